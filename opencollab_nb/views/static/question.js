// The question of a shell: a command that waits for Allow, Edit or Deny.

import { element, put, show } from "./dom.js";

export class Question {
  constructor(store) {
    this.store = store;
    this.number = 0;
    this.editing = false;
    this.ask = element("span", { className: "oc-question-ask" });
    this.command = element("code", { dir: "auto", className: "oc-scroll", tabIndex: 0 });
    this.command.setAttribute("aria-label", "Command that waits");
    this.text = element("textarea", { hidden: true, spellcheck: false, rows: 3 });
    this.text.setAttribute("aria-label", "Command to run in its place");
    this.text.setAttribute("data-lm-suppress-shortcuts", "true");
    this.allow = this.button("Allow", () => this.answer(true), "oc-primary");
    this.edit = this.button("Edit", () => this.change(!this.editing));
    this.deny = this.button("Deny", () => this.answer(false));
    this.held = element("span", { className: "oc-quiet oc-question-held" });
    const buttons = element("span", { className: "oc-question-buttons" }, this.allow, this.edit, this.deny);
    this.node = element(
      "div",
      { className: "oc-word oc-question", hidden: true, role: "group" },
      this.ask,
      this.command,
      this.text,
      buttons,
      this.held,
    );
    this.node.setAttribute("aria-label", "Question of the agent");
    this.node.setAttribute("aria-live", "assertive");
  }

  button(text, act, className = "") {
    const button = element("button", { type: "button", textContent: text, className });
    button.addEventListener("click", act);
    return button;
  }

  /** The answer goes with the number of the question on screen: another may have come in its place. */
  answer(allow) {
    const argument = { allow, number: this.number };
    if (allow && this.editing) argument.command = this.text.value;
    this.store.order("answer", argument);
  }

  change(editing) {
    this.editing = editing;
    show(this.text, editing);
    show(this.command, !editing);
    put(this.allow, editing ? "Run this" : "Allow");
    put(this.edit, editing ? "Do not edit" : "Edit");
    if (editing) {
      this.text.value = this.command.textContent;
      this.text.rows = Math.min(12, this.text.value.split("\n").length + 1);
      this.text.focus();
    }
  }

  draw() {
    const { state, alive } = this.store;
    if (state.question_number !== this.number) {
      this.number = state.question_number;
      this.change(false);
    }
    put(this.ask, `${state.asker || "The agent"} asks to run`);
    put(this.command, state.question);
    put(this.held, state.held_by ? `Commands are ${state.held_by}.` : "");
    show(this.edit, Boolean(state.question_editable));
    show(this.node, Boolean(state.question) && alive);
  }
}
