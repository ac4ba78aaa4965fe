// The pool of a team: what is spent, what is kept for members, what is kept for nobody.

import { count, element, percent, put, show } from "./dom.js";

const PARTS = [
  ["used", "spent"],
  ["reserved", "kept for members"],
  ["free", "kept for nobody"],
];

export class Pool {
  constructor(store) {
    this.store = store;
    this.spent = element("span", { className: "oc-big oc-number" });
    this.of = element("span", { className: "oc-quiet oc-number" });
    this.share = element("span", { className: "oc-tag" });
    this.rule = element("span", { className: "oc-quiet" });
    this.bars = PARTS.map(([name]) => element("i", { className: `oc-team-${name}` }));
    this.meter = element("div", { className: "oc-meter", role: "meter" }, ...this.bars);
    this.meter.setAttribute("aria-label", "Tokens of the team's pool that are spent");
    this.numbers = PARTS.map(() => element("span", { className: "oc-number" }));
    this.chips = PARTS.map(([name, word], at) =>
      element("span", {}, element("b", { className: `oc-team-${name}`, "aria-hidden": "true" }), `${word} `, this.numbers[at]),
    );
    const head = element("div", { className: "oc-row" }, this.spent, this.of, this.share, element("span", { className: "oc-grow" }), this.rule);
    this.nodes = [element("section", { className: "oc-team-pool" }, head, this.meter, element("div", { className: "oc-chips" }, ...this.chips))];
  }

  draw() {
    const { state, figures } = this.store;
    const { pool, spent } = state;
    const reserved = figures.reduce((all, one) => all + one.reserved, 0);
    // An overshoot of one seat is its own: what the others have is theirs still.
    const free = pool === null ? 0 : Math.max(pool - spent - reserved, 0);
    const all = Math.max(pool ?? 0, spent + reserved, 1);
    put(this.spent, count(spent));
    put(this.of, pool === null ? "tokens, no limit" : `of ${count(pool)} tokens spent`);
    show(this.share, pool !== null);
    const ratio = pool === null ? 0 : spent / pool;
    put(this.share, `${percent(ratio)} of the pool`);
    this.share.classList.toggle("oc-fired", ratio >= 1);
    put(this.rule, state.rule);
    [spent, reserved, free].forEach((tokens, at) => {
      this.bars[at].style.width = `${(100 * tokens) / all}%`;
      put(this.numbers[at], count(tokens));
    });
    show(this.chips[2], pool !== null);
    this.meter.setAttribute("aria-valuemin", 0);
    this.meter.setAttribute("aria-valuemax", all);
    this.meter.setAttribute("aria-valuenow", Math.min(spent, all));
    this.meter.setAttribute("aria-valuetext", `${this.spent.textContent} ${this.of.textContent}`);
  }
}
