// How full the request is: the big number, a meter by category with the limits as ticks, the budget.

import { CATEGORIES, COLOURS, count, element, percent, put, show, sum } from "./dom.js";
import { SAYS, sourceWords } from "./says.js";

/** The meter ends a little after the trigger, so that its tick can be seen and passed. */
const ROOM_AFTER_TRIGGER = 1.08;

export class Meter {
  constructor(store) {
    this.store = store;
    this.big = element("span", { className: "oc-big oc-number" });
    this.of = element("span", { className: "oc-quiet oc-number" });
    this.share = element("span", { className: "oc-tag oc-number" });
    this.spent = element("span", { className: "oc-quiet oc-number" });
    this.bars = COLOURS.map((name) => element("i", { className: `oc-fill-${name}` }));
    this.meter = element("div", { className: "oc-meter", role: "meter" }, ...this.bars);
    this.meter.setAttribute("aria-label", "Context pressure");
    this.meter.setAttribute("aria-valuemin", "0");
    this.target = element("span", { className: "oc-tick oc-dashed oc-number" }, element("span", {}));
    this.trigger = element("span", { className: "oc-tick oc-trigger oc-number" }, element("span", {}));
    this.chips = CATEGORIES.map((name, i) => {
      const number = element("span", { className: "oc-number" });
      const colour = element("b", { className: `oc-fill-${COLOURS[i]}`, "aria-hidden": "true" });
      return { number, node: element("span", {}, colour, `${name} `, number) };
    });
    this.of.title = SAYS.effective;
    this.spent.title = SAYS.spent;
    this.target.title = SAYS.target;
    this.trigger.title = SAYS.trigger;
    const top = element(
      "div",
      { className: "oc-row" },
      element("span", { className: "oc-row" }, this.big, this.of, this.share),
      element("span", { className: "oc-grow" }),
      this.spent,
    );
    const ticks = element("div", { className: "oc-ticks" }, this.meter, this.target, this.trigger);
    const chips = element("div", { className: "oc-chips" }, ...this.chips.map((chip) => chip.node));
    this.nodes = [element("section", {}, top, ticks, chips)];
  }

  draw() {
    const { lens, rows } = this.store;
    const { moment } = lens;
    const state = moment ? { ...this.store.state, ...limitsOf(moment) } : this.store.state;
    const row = moment ? moment.row : rows.length ? rows[rows.length - 1] : null;
    const tokens = row ? state.tokens : 0;
    const ratio = tokens / state.trigger;
    const share = percent(ratio);
    put(this.big, count(tokens));
    put(this.of, `of ${count(state.trigger)} effective tokens`);
    put(this.share, moment ? `${share} of the trigger · at step ${count(moment.step)}` : row ? `${share} of the trigger · ${state.source}` : "no request yet");
    this.share.classList.toggle("oc-fired", ratio >= 1);
    put(this.spent, spentText(state));
    this.spent.classList.toggle("oc-over", Boolean(state.budget) && state.spent >= state.budget);
    this.share.title = row ? sourceWords(moment ? "" : state.source) : "";
    this.drawMeter(state, row, tokens, share);
  }

  drawMeter(state, row, tokens, percentText) {
    const end = Math.max(state.trigger * ROOM_AFTER_TRIGGER, tokens);
    const total = row ? Math.max(sum(row), 1) : 1;
    this.bars.forEach((bar, i) => {
      const share = row ? (row[i + 1] / total) * tokens : 0;
      bar.style.width = `${(100 * share) / end}%`;
      put(this.chips[i].number, count(row ? row[i + 1] : 0));
      show(this.chips[i].node, (row && row[i + 1] > 0) || i < 4);
    });
    this.target.style.left = `${(100 * state.target) / end}%`;
    this.trigger.style.left = `${(100 * state.trigger) / end}%`;
    put(this.target.firstChild, `target ${count(state.target)}`);
    put(this.trigger.firstChild, `trigger ${count(state.trigger)}`);
    this.meter.setAttribute("aria-valuemax", state.trigger);
    this.meter.setAttribute("aria-valuenow", Math.min(tokens, state.trigger));
    this.meter.setAttribute(
      "aria-valuetext",
      `${count(tokens)} of ${count(state.trigger)} tokens, ${percentText} of the trigger, ${state.source}`,
    );
  }
}

function spentText(state) {
  const budget = state.budget ? ` of ${count(state.budget)}` : "";
  const cached = state.cached_ratio === null ? "" : ` · ${percent(state.cached_ratio)} cached`;
  return `spent ${count(state.spent)}${budget}${cached}`;
}

const limitsOf = ({ tokens, trigger, target }) => ({ tokens, trigger, target });
