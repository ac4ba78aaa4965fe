// What another chain would have sent: numbers, layer by layer, both requests as strips and as one list.

import { count, element, put, show } from "./dom.js";
import { factsNode, reportsNode } from "./message.js";
import { PairList, comparedNodes } from "./pairs.js";
import { Strip } from "./strip.js";

export class WhatIf {
  constructor(store) {
    this.store = store;
    this.made = this.button("Project", () => store.lens.project());
    this.made.className = "oc-primary";
    this.use = this.button("Use this chain", () => this.end("use"));
    this.discard = this.button("Discard", () => this.end("discard"));
    this.where = element("span", { className: "oc-quiet" });
    const title = element("h3", { textContent: "What if: this draft" });
    const head = element("div", { className: "oc-row oc-head" }, title, this.where, element("span", { className: "oc-grow" }), element("span", { className: "oc-acts" }, this.made, this.use, this.discard));
    this.told = element("p", { className: "oc-told oc-number", dir: "auto" });
    this.body = element("div", {});
    const tell = (text) => put(this.told, text);
    this.strips = [
      new Strip("The request of the run's own chain", () => undefined, tell),
      new Strip("The request of the draft's chain", (at) => store.lens.compare(at), tell),
    ];
    const names = ["own chain", "this draft"];
    const pairs = this.strips.map((strip, i) => element("div", { className: "oc-pair" }, element("span", { className: "oc-quiet", textContent: names[i] }), strip.node));
    this.pairs = element("div", { hidden: true }, ...pairs, this.told);
    this.both = element("div", { className: "oc-both" });
    this.list = new PairList(store);
    this.nodes = [element("section", { className: "oc-whatif", hidden: true }, head, this.body, this.pairs, this.both, this.list.node)];
    this.nodes[0].setAttribute("aria-label", "What if");
  }

  button(text, act) {
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") act();
    });
    return button;
  }

  end(how) {
    this.store.lens.forgetResult();
    this.store.order("draft", how);
  }

  draw() {
    const { lens, state, alive } = this.store;
    const [section] = this.nodes;
    show(section, Boolean(state.draft));
    if (!state.draft) {
      if (lens.result) lens.forgetResult();
      this.drawn = null;
      return;
    }
    for (const button of [this.made, this.use, this.discard]) button.setAttribute("aria-disabled", String(!alive));
    this.made.setAttribute("aria-disabled", String(!alive || Boolean(lens.busy)));
    put(this.made, lens.busy ? "Projecting…" : lens.result ? "Project again" : "Project");
    put(this.where, lens.step === null ? "on the whole transcript so far" : `on the request of step ${count(lens.step)}`);
    const { result } = lens;
    show(this.pairs, Boolean(result));
    if (result !== this.drawn) {
      this.drawn = result;
      this.shown = null;
      this.both.replaceChildren();
      this.body.replaceChildren(...(result ? resultNodes(result) : [hintNode()]));
      this.list.fill(result);
    }
    if (!result) return;
    const width = this.pairs.clientWidth;
    const whole = Math.max(result.before, result.after);
    this.strips.forEach((strip, i) => strip.draw(result.maps[i], width, i ? lens.picked : -1, [], whole));
    if (!this.told.textContent) put(this.told, "Choose a cell of the draft's request, or a row below, to compare that message.");
    if (lens.compared && lens.compared !== this.shown) {
      this.shown = lens.compared;
      this.both.replaceChildren(...comparedNodes(lens.compared));
    }
  }
}

function hintNode() {
  const text = "Change the draft, then press Project: nothing is sent, the run goes on with its own chain.";
  return element("p", { className: "oc-quiet", textContent: text });
}

function resultNodes(result) {
  const less = result.before - result.after;
  const change = less === 0 ? "the same" : `${less > 0 ? "−" : "+"}${count(Math.abs(less))}`;
  const lost = result.lost.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
  const facts = [
    ["tokens", `${count(result.before)} → ${count(result.after)}, ${change}`],
    ["prefix kept", `${count(result.prefix)} tokens`],
    ["messages that differ", count(result.changed)],
    ["no longer word for word", result.lost_count ? `${count(result.lost_count)}: ${lost}` : "none"],
    ["mode, target", `${result.mode}, ${count(result.target)} of ${count(result.trigger)}`],
  ];
  const reports = result.reports.length ? [reportsNode(result.reports)] : [];
  return [factsNode(facts), ...reports];
}
