// The figures of a comparison: a row for each combination that is finished, then what failed.

import { count, element, put, show } from "./dom.js";

const ALIKE = new Set(["mode", "cost"]); // not worth a column where all rows say the same

export class Results {
  constructor(store) {
    this.store = store;
    this.head = element("thead", {});
    this.body = element("tbody", {});
    this.box = element("div", { className: "oc-results", tabIndex: 0, role: "region" }, element("table", {}, this.head, this.body));
    this.box.setAttribute("aria-label", "Results");
    this.more = element("p", { className: "oc-quiet" });
    this.failed = element("div", { className: "oc-failures", role: "alert" });
    this.caveat = element("p", { className: "oc-quiet" });
    this.section = element("section", { className: "oc-figures", hidden: true }, element("h3", { textContent: "Results" }), this.failed, this.box, this.more, this.caveat);
    this.nodes = [this.section];
  }

  draw() {
    const { state } = this.store;
    show(this.section, state.results.length > 0 || state.failed.length > 0 || state.troubles.length > 0);
    // What is finished does not change, so its number says whether there is more of it.
    const key = `${state.results.length} ${state.failed.length} ${state.troubles.length} ${JSON.stringify(state.results[0] ?? 0)} ${state.results_more}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const facts = state.results[0]?.length > state.header.length ? state.facts_header : [];
    const header = [...state.header, ...facts];
    const told = header.map((name, at) => !ALIKE.has(name) || state.results.some((row) => row[at] !== state.results[0][at]));
    const kept = (_, at) => told[at];
    const numeric = header.map((_, at) => at > 3);
    const cell = (tag, value, at) => element(tag, { textContent: typeof value === "number" ? count(value) : value, className: numeric[at] ? "oc-right oc-number" : "", dir: "auto" });
    this.head.replaceChildren(element("tr", {}, ...header.map((name, at) => cell("th", name, at)).filter(kept)));
    this.body.replaceChildren(...state.results.map((row) => element("tr", {}, ...row.map((value, at) => cell("td", value, at)).filter(kept))));
    show(this.box, state.results.length > 0);
    put(this.more, state.results_more ? `and ${count(state.results_more)} rows more, in .frame` : "");
    const failures = [...state.failed.map(([what, why]) => `${what}: ${why}`), ...state.troubles];
    this.failed.replaceChildren(...failures.map((text) => element("p", { className: "oc-problem", textContent: text, dir: "auto" })));
    put(this.caveat, `${state.caveat}; the whole table is .frame of the panel.`);
  }
}
