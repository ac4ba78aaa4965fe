// The steps as a table, the newest on top, scrolling inside; and the last one in the foot.

import { count, element, put, show } from "./dom.js";

const MOST_DRAWN = 200;

export class Log {
  constructor(store) {
    this.store = store;
    this.drawn = 0;
    this.body = element("tbody", {});
    const names = [["step", "oc-right"], ["what", ""], ["", ""], ["tokens out", "oc-right"], ["seconds", "oc-right"]];
    const heads = names.map(([text, className]) => element("th", { scope: "col", textContent: text, className }));
    heads[2].setAttribute("aria-label", "ok");
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.body);
    this.scroll = element("div", { className: "oc-scroll", tabIndex: 0, role: "region" }, table);
    this.scroll.setAttribute("aria-label", "Step log");
    this.count = element("span", { className: "oc-quiet" });
    this.none = element("p", { className: "oc-quiet oc-none", textContent: "Each step will stand here, the newest on top." });
    this.scroll.append(this.none);
    const title = element("summary", {}, element("h3", {}, "Step log ", this.count));
    this.fold = element("details", { className: "oc-fold oc-log" }, title, this.scroll);
    this.nodes = [element("section", { className: "oc-folded" }, this.fold)];
    this.last = element("span", { className: "oc-last", dir: "auto" });
    this.answer = element("span", { className: "oc-answer", role: "status" });
    this.foot = element("div", { className: "oc-foot oc-row" }, this.last, element("span", { className: "oc-grow" }), this.answer);
  }

  draw() {
    const { store } = this;
    const fresh = store.logged - this.drawn;
    if (fresh) {
      if (fresh < 0 || fresh > store.log.length) this.body.replaceChildren();
      const lines = fresh < 0 ? store.log : store.log.slice(-Math.min(fresh, store.log.length));
      this.body.prepend(...lines.map(tableRow).reverse());
      while (this.body.childElementCount > MOST_DRAWN) this.body.lastElementChild.remove();
      this.drawn = store.logged;
    }
    show(this.none, store.log.length === 0);
    const { state } = store;
    put(this.count, state.step ? `${count(state.step)} steps, the newest first` : "");
    this.drawFoot(state);
  }

  /** Forget what was drawn: the store was filled anew. */
  reset() {
    this.body.replaceChildren();
    this.drawn = 0;
  }

  drawFoot(state) {
    const { store } = this;
    // Notes are in the log, and ends above: the foot keeps to the last step.
    const last = store.log.findLast((line) => line[2] !== -1) ?? null;
    const running = store.alive && (state.run === "running" || state.run === "pausing");
    const doing = running && state.doing ? `${count(state.step + 1)} · ${state.doing}` : "";
    put(this.last, doing || (last ? `${count(last[0])} · ${last[1]}${facts(last)}` : "No step yet."));
    put(this.answer, this.answerText());
  }

  answerText() {
    const { store } = this;
    if (!store.alive) return "The kernel was restarted or is gone. Run this cell again.";
    if (store.silent) return "No answer for 5 s: the kernel is busy, or it was restarted (then run this cell again).";
    if (store.queued()) return "Queued: the kernel is busy with a cell.";
    return store.answer.ok ? store.answer.text : "";
  }
}

function facts([, , ok, tokens, seconds]) {
  const parts = [ok ? "ok" : "failed"];
  if (tokens !== null) parts.push(`${count(tokens)} tokens out`);
  if (seconds !== null) parts.push(`${duration(seconds)} s`);
  return ` · ${parts.join(" · ")}`;
}

function duration(seconds) {
  if (seconds === null) return "–";
  if (seconds < 0.01) return "<0.01";
  return seconds < 0.1 ? seconds.toFixed(2) : seconds.toFixed(1);
}

function tableRow([step, what, ok, tokens, seconds]) {
  const row = element("tr", { className: ok === -1 ? "oc-note" : ok ? "" : "oc-failed" });
  row.append(element("td", { className: "oc-right oc-number", textContent: count(step) }));
  const text = element("td", { className: "oc-what", dir: "auto", textContent: what, title: what });
  if (ok === -1) {
    text.colSpan = 4;
    row.append(text);
    return row;
  }
  row.append(text, element("td", { textContent: ok ? "ok" : "failed", className: "oc-ok" }));
  row.append(element("td", { className: "oc-right oc-number", textContent: tokens === null ? "–" : count(tokens) }));
  row.append(element("td", { className: "oc-right oc-number", textContent: duration(seconds) }));
  return row;
}
