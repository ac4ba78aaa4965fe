// Rounds as cards: what was removed, rewritten, summarized; where the originals are; how to have them back.

import { count, element, put, show } from "./dom.js";
import { reportsNode } from "./message.js";

export class Rounds {
  constructor(store) {
    this.store = store;
    this.count = element("span", { className: "oc-quiet" });
    this.list = element("div", { className: "oc-rounds" });
    const title = element("summary", {}, element("h3", {}, "Rounds and offloads ", this.count));
    this.fold = element("details", { className: "oc-fold" }, title, this.list);
    this.fold.addEventListener("toggle", () => store.changed());
    this.nodes = [element("section", { className: "oc-folded", hidden: true }, this.fold)];
  }

  draw() {
    const { lens, state, alive } = this.store;
    show(this.nodes[0], state.rounds > 0);
    for (const button of this.list.querySelectorAll("button")) button.setAttribute("aria-disabled", String(!alive));
    if (this.fold.open && alive) lens.fetchCards(state.rounds);
    put(this.count, lens.cards.length ? `${count(lens.cards[lens.cards.length - 1].number + 1)} so far, the newest first` : "");
    if (lens.cards === this.drawn) return;
    this.drawn = lens.cards;
    this.list.replaceChildren(...[...lens.cards].reverse().map((card) => this.card(card)));
  }

  card(card) {
    const less = card.before - card.after;
    const head = element("div", { className: "oc-row" }, element("b", { textContent: `Step ${count(card.step)}` }));
    head.append(element("span", { className: "oc-number", textContent: `${count(card.before)} → ${count(card.after)} tokens, −${count(less)}` }));
    if (card.forced) head.append(element("span", { className: "oc-tag oc-fired", textContent: "after an overflow" }));
    head.append(element("span", { className: "oc-quiet", textContent: `trigger ${count(card.trigger)}, target ${count(card.target)}` }));
    const ids = card.ids.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
    const where = element("p", { className: "oc-quiet", textContent: `Messages ${ids || "none"}; the originals are in the transcript.` });
    const see = this.button(`See step ${count(card.step)}`, () => this.store.lens.go(card.step));
    const back = this.button("Restore these", () => this.store.order("restore", card.ids));
    const acts = element("div", { className: "oc-acts" }, see, ...(card.ids.length ? [back] : []));
    const node = element("div", { className: "oc-card" }, head, reportsNode(card.layers), where);
    if (card.restated) node.append(element("p", { className: "oc-quiet", textContent: `Direction and todos restated in the same request (${card.restated[0]}, ${count(card.restated[1])} tokens).` }));
    if (card.summary) node.append(summaryNode(card.summary));
    node.append(acts);
    return node;
  }

  button(text, act) {
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", act);
    return button;
  }
}

function summaryNode({ text, model, tokens, version }) {
  const facts = [model, tokens === null ? "" : `${count(tokens)} tokens`, version].filter(Boolean).join(" · ");
  const body = element("div", { className: "oc-text", tabIndex: 0, role: "region", textContent: text, dir: "auto" });
  body.setAttribute("aria-label", "Summary");
  return element("details", {}, element("summary", { textContent: `Summary: ${facts}` }), body);
}
