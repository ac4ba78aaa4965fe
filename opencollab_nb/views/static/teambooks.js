// The books of a team: what each member was granted, has used, has kept for it and gave back.

import { count, element, percent, put, show } from "./dom.js";

const NUMBERS = ["granted", "used", "reserved", "returned"];
const SHARES = ["used", "over", "reserved", "returned"];
const SAYS = {
  granted: "Tokens it may spend, granted before it spends the first.",
  used: "Input, the cached part included, and output of all its calls. A call under way may overshoot.",
  reserved: "Kept for it and not spent yet: nobody else can have it.",
  returned: "Granted and given back unspent.",
};

export class Books {
  constructor(store) {
    this.store = store;
    this.body = element("tbody", {});
    const heads = ["member", "", ...NUMBERS, "state"].map((text, at) => {
      const right = NUMBERS.includes(text) ? "oc-right" : "";
      const head = element("th", { scope: "col", textContent: text, className: right, title: SAYS[text] ?? "" });
      if (at === 1) head.setAttribute("aria-label", "share of the largest grant");
      return head;
    });
    const table = element("table", { className: "oc-books" }, element("thead", {}, element("tr", {}, ...heads)), this.body);
    this.scroll = element("div", { className: "oc-team-scroll", tabIndex: 0, role: "region" }, table);
    this.scroll.setAttribute("aria-label", "Budget of each member");
    const chips = SHARES.map((name) =>
      element("span", { title: SAYS[name] ?? "Spent beyond what was granted, by the call that was under way." }, element("b", { className: `oc-team-${name}`, "aria-hidden": "true" }), name),
    );
    this.nodes = [element("section", {}, element("h3", {}, "Budget ", element("span", { className: "oc-quiet" }, "tokens of each member")), this.scroll, element("div", { className: "oc-chips" }, ...chips))];
  }

  draw() {
    const { lanes, figures, state } = this.store;
    while (this.body.childElementCount > lanes.length) this.body.lastElementChild.remove();
    const largest = Math.max(...figures.map((one) => Math.max(one.granted ?? 0, one.used + one.reserved)), 1);
    lanes.forEach((lane, at) => {
      if (!this.body.children[at]) this.body.append(row());
      this.drawRow(this.body.children[at], lane, figures[at], largest, state.pool);
    });
  }

  drawRow(line, lane, one, largest, pool) {
    const [name, bar, ...rest] = line.children;
    put(name, lane.name);
    name.title = lane.name;
    const whole = one.granted === null ? Math.max(pool ?? largest, 1) : largest;
    const cap = one.granted === null ? Infinity : one.granted - one.returned;
    const over = Math.max(one.used - cap, 0);
    const tokens = [one.used - over, over, one.reserved, one.returned];
    [...bar.firstElementChild.children].forEach((part, at) => {
      show(part, tokens[at] > 0);
      part.style.width = `${(100 * tokens[at]) / Math.max(whole, one.used)}%`;
    });
    bar.title = one.granted ? `${percent(one.used / one.granted)} of its allowance used` : "";
    const numbers = [one.granted === null ? "shares the pool" : count(one.granted), ...NUMBERS.slice(1).map((key) => count(one[key]))];
    numbers.forEach((text, at) => put(rest[at], text));
    put(rest[4], one.outcome);
    line.classList.toggle("oc-team-empty", one.outcome === "ran out");
  }
}

function row() {
  const line = element("tr", {}, element("th", { scope: "row", className: "oc-what", dir: "auto" }));
  const bar = element("div", { className: "oc-team-bar", "aria-hidden": "true" }, ...SHARES.map((name) => element("i", { className: `oc-team-${name}` })));
  line.append(element("td", { className: "oc-bar-cell" }, bar));
  for (const _ of NUMBERS) line.append(element("td", { className: "oc-right oc-number" }));
  line.append(element("td", { className: "oc-account" }));
  return line;
}
