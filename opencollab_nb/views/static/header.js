// The bar on top: state, step, who runs; the buttons; the question of a shell; faults.

import { count, element, put, show } from "./dom.js";
import { Question } from "./question.js";

const RUNNING = ["running", "pausing"];
const KERNEL_GONE =
  "The kernel was restarted or is gone, and nothing here can be pressed any more: this is the last state. " +
  "Run this cell again for a live panel; after a restart the cells before it first.";

export class Header {
  /** `to` says what the number beside Run means. */
  constructor(store, to = ["to step", "Run to step", "end"]) {
    this.store = store;
    this.dot = element("span", { className: "oc-dot", "aria-hidden": "true" });
    this.run = element("b", {});
    this.step = element("b", {});
    this.most = element("span", {});
    this.steps = element("span", { className: "oc-number oc-steps" }, "step ", this.step, this.most);
    this.about = element("span", { className: "oc-quiet oc-about", dir: "auto" });
    this.buttons = {
      step: this.button("Step", "step"),
      run: this.button("Run", "run", () => this.toStep()),
      pause: this.button("Pause", "pause"),
      stop: this.button("Stop", "stop"),
    };
    // Not type="number": that gives an empty value, which means "to the end", for what it cannot read.
    this.to = element("input", { type: "text", inputMode: "numeric", placeholder: to[2], autocomplete: "off" });
    this.to.setAttribute("aria-label", to[1]);
    this.to.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.buttons.run.click();
    });
    const buttons = element("span", { className: "oc-buttons", role: "group" }, ...Object.values(this.buttons));
    buttons.setAttribute("aria-label", "Run control");
    const label = element("label", { className: "oc-quiet oc-to" }, `${to[0]} `, this.to);
    this.bar = element(
      "div",
      { className: "oc-bar" },
      element("span", { className: "oc-state" }, this.dot, this.run),
      this.steps,
      this.about,
      element("span", { className: "oc-grow" }),
      element("span", { className: "oc-control" }, buttons, label),
    );
    this.word = element("div", { className: "oc-word", role: "status", dir: "auto", hidden: true });
    this.fault = element("div", { className: "oc-word oc-bad", role: "alert", dir: "auto", hidden: true });
    this.question = new Question(store);
    this.note = element("div", { className: "oc-word oc-warn oc-note-at", role: "status", dir: "auto", hidden: true });
    this.nodes = [this.bar, this.fault, this.word, this.note, this.question.node];
  }

  /** A button that keeps its focus while it cannot be pressed, as `disabled` would not. */
  button(text, verb, argument = () => null) {
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", () => {
      // Asked of the store, not of the page: a second click may come before the next drawing.
      if (!this.disabled(verb)) this.store.order(verb, argument());
    });
    return button;
  }

  /** The step to run to, null for the end; what is no whole number goes as it is and is refused by name. */
  toStep() {
    const text = this.to.value.trim();
    if (text === "") return null;
    const number = Number(text.replace(/[,_ ]/g, ""));
    return Number.isSafeInteger(number) ? number : text;
  }

  /** True for what makes no sense in this state, is under way already, or has no kernel. */
  disabled(verb) {
    const { state, alive } = this.store;
    if (!alive || state === null || this.store.waited(verb) !== null) return true;
    const running = RUNNING.includes(state.run);
    if (verb === "pause") return !running || state.run === "pausing";
    if (verb === "stop") return !running && state.run !== "paused";
    return running;
  }

  /** The state in words; a run that waits for an answer says so. */
  standing(state) {
    if (!this.store.alive) return ["kernel gone", ""];
    if (state.question) return ["waiting for you", "oc-is-paused"];
    return [state.run.replace("(", " ("), `oc-is-${state.run.replace(/\(.*/, "")}`];
  }

  draw() {
    const { store } = this;
    const { state } = store;
    const [standing, dot] = this.standing(state);
    this.dot.className = `oc-dot ${dot}`;
    put(this.run, standing);
    put(this.step, count(state.step));
    put(this.most, state.max_steps ? ` · limit ${count(state.max_steps)}` : "");
    // The full label is in the tooltip; here the words that must never be cut off.
    const model = state.model.replace(/^(simulated agent) .*/, "$1");
    put(this.about, [state.name, model, state.window_label].filter(Boolean).join(" · "));
    this.about.title = [state.name, state.model, state.window_label].join(" · ");
    this.drawButtons(state);
    const failed = !store.answer.ok && store.answer.text;
    const fault = state.problem || failed || "";
    put(this.fault, fault);
    show(this.fault, Boolean(fault));
    // Only ends are told here: a line that came and went with each step would move the page.
    const word = store.alive ? (/^(stopped|done)/.test(state.run) ? state.detail : "") : KERNEL_GONE;
    put(this.word, word);
    show(this.word, Boolean(word));
    this.word.classList.toggle("oc-warn", !store.alive || state.run.startsWith("stopped"));
    this.drawNote(state.notices ?? [], store.lens?.step ?? null);
    this.to.disabled = !store.alive;
    this.question.draw();
  }

  /** Where a recording would have gone on otherwise: at the step that is looked at, else where last. */
  drawNote(notices, step) {
    show(this.note, notices.length > 0);
    if (!notices.length) return;
    const at = notices.filter((note) => step === null || note[0] === step);
    const last = step === null ? at.slice(-1) : at;
    const text = last.map(([, said]) => said).join(" · ");
    put(this.note, last.length ? `Step ${count(last[0][0])}: ${text}` : `No notice at step ${count(step)}.`);
    this.note.title = text;
  }

  drawButtons(state) {
    for (const [verb, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-disabled", String(this.disabled(verb)));
      const name = verb[0].toUpperCase() + verb.slice(1);
      put(button, this.store.queued(verb) ? "queued" : name);
    }
    const running = RUNNING.includes(state.run);
    this.buttons.run.classList.toggle("oc-primary", !running && state.run !== "done");
    this.buttons.pause.classList.toggle("oc-primary", state.run === "running");
  }
}
