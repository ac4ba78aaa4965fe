// The chosen message: the original beside what was sent, why, and what can be done with it.

import { count, element, put, show } from "./dom.js";
import { diffNode } from "./diff.js";
import { isSummary, standsFor } from "./maprows.js";

export class MessageView {
  constructor(store) {
    this.store = store;
    this.drawn = null;
    this.title = element("h3", {});
    this.body = element("div", { className: "oc-message-body" });
    this.buttons = {
      restore: this.button("Restore", "restore"),
      pin: this.button("Pin", "pin"),
      unpin: this.button("Unpin", "unpin"),
    };
    this.fork = element("button", { type: "button" });
    this.fork.addEventListener("click", () => {
      if (this.fork.getAttribute("aria-disabled") !== "true") this.store.order("fork", this.forkStep);
    });
    this.acts = element("div", { className: "oc-acts" }, ...Object.values(this.buttons), this.fork);
    this.nodes = [element("section", { className: "oc-message" }, this.title, this.body, this.acts)];
    this.nodes[0].setAttribute("aria-label", "Message");
  }

  button(name, verb) {
    const button = element("button", { type: "button", textContent: name });
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") this.store.order(verb, this.spans);
    });
    return button;
  }

  draw() {
    const { lens, alive } = this.store;
    const row = lens.map.rows[lens.at];
    const message = row && lens.message;
    const shown = message || (lens.moment ?? lens.map.version);
    show(this.acts, Boolean(message));
    show(this.nodes[0], Boolean(message) || !this.store.state.draft);
    if (!message) {
      if (shown !== this.drawn) this.drawRequest();
      this.drawn = shown;
      return;
    }
    this.spans = message.id === null ? message.covers : [[message.id, message.id]];
    const standing = message.id !== null && this.store.state.pins.some(([a, b]) => a <= message.id && message.id <= b);
    this.forkStep = lens.step ?? Math.min(message.step || this.store.state.step, this.store.state.step);
    put(this.buttons.restore, message.id === null ? "Restore the originals" : "Restore from the next step");
    show(this.buttons.restore, message.id === null ? message.covers.length > 0 : message.state !== "verbatim" && !standing);
    show(this.buttons.pin, message.id !== null && !message.pinned && !standing);
    show(this.buttons.unpin, standing);
    put(this.fork, `Fork here, after step ${count(this.forkStep)}`);
    show(this.fork, this.forkStep > 0);
    for (const button of this.acts.children) button.setAttribute("aria-disabled", String(!alive));
    if (message === this.drawn) return;
    this.drawn = message;
    this.drawMessage(message, row, lens.map);
  }

  drawMessage(message, row, map) {
    const what = message.id === null ? (isSummary(row) ? `Summary of ${count(standsFor(row))} messages` : "Tail") : `Message ${message.id}`;
    const tool = map.tools[row.tool] && row.kind === 2 ? ` · tool result of ${map.tools[row.tool]}` : ` · ${message.role}`;
    put(this.title, `${what}${tool} · ${message.state}`);
    const facts = [
      ["what", message.about],
      ["stored", message.id === null ? "–" : `${count(map.tokens(row.stored))} tokens`],
      ["sent", message.gone ? "not at all" : `${count(map.tokens(row.sent))} tokens`],
      ["why", whyOf(message)],
      ["rule", message.rule ?? ""],
    ];
    const left = { name: isSummary(row) ? "stands for" : "stored", text: message.stored, none: "Only in this request." };
    const right = { name: "sent", text: message.sent, none: message.gone ? "Not sent. The transcript still holds it." : "No text." };
    this.body.replaceChildren(factsNode(facts), diffNode(left, right));
  }

  /** No message is chosen: what the whole request is like. */
  drawRequest() {
    const { lens, state } = this.store;
    const { moment } = lens;
    put(this.title, moment ? `Request of step ${count(moment.step)}, as it was` : "Message");
    if (!moment) {
      const text = lens.map.facts.step ? "Choose a cell of the map to see that message, stored beside sent." : "No request yet.";
      this.body.replaceChildren(element("p", { className: "oc-quiet", textContent: text }));
      return;
    }
    const facts = [
      ["tokens", `${count(moment.tokens)} of ${count(moment.trigger)} (target ${count(moment.target)})`],
      ["messages", `${count(moment.sent)} sent of ${count(moment.stored)} stored`],
      ["chain", moment.chain.join(" → ") || "empty"],
    ];
    const reports = moment.reports.length ? reportsNode(moment.reports) : element("p", { className: "oc-quiet", textContent: "No layer acted at this step." });
    this.body.replaceChildren(factsNode(facts), reports);
  }
}

function whyOf(message) {
  if (message.by_hand) return "pinned by hand";
  if (message.why) return message.why;
  if (message.pinned) return "pinned: no shaper may change it";
  return message.state === "verbatim" ? "as it came" : "";
}

export function factsNode(facts) {
  const list = element("div", { className: "oc-facts" });
  for (const [name, value] of facts) {
    if (value === "") continue;
    const label = element("span", { className: "oc-quiet", textContent: name });
    list.append(element("div", {}, label, element("span", { textContent: value, dir: "auto" })));
  }
  return list;
}

/** Layer by layer: tokens before and after, what it did, its problem. */
export function reportsNode(reports) {
  const list = element("div", { className: "oc-reports", role: "list" });
  for (const [name, before, after, removed, rewritten, covered, problem] of reports) {
    const did = [
      removed && `${count(removed)} removed`,
      rewritten && `${count(rewritten)} rewritten`,
      covered && `${count(covered)} summarized`,
    ].filter(Boolean);
    const item = element("div", { role: "listitem" }, element("b", { textContent: name, dir: "auto" }));
    item.append(element("span", { className: "oc-number", textContent: `${count(before)} → ${count(after)}` }));
    item.append(element("span", { className: "oc-quiet", textContent: did.join(", ") || (problem ? "skipped" : "nothing to do") }));
    if (problem) item.append(element("span", { className: "oc-problem", textContent: problem, dir: "auto" }));
    list.append(item);
  }
  return list;
}
