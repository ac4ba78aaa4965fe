// A run and its branches side by side: one small chart each on the same axes, and how to go on with it.

import { count, element, put, shape, show, sum, thousands } from "./dom.js";

const CHART_TALL = 116;
const EDGE = { top: 8, right: 8, bottom: 17, left: 36 };
const OWN = -1;

export class Family {
  constructor(store) {
    this.store = store;
    this.curves = new Map(); // number of a run -> [[step, tokens], ...]
    this.asked = new Set();
    this.cards = new Map();
    this.about = element("span", { className: "oc-quiet" });
    this.list = element("div", { className: "oc-family", role: "list" });
    const title = element("h3", {}, "Branches side by side ", this.about);
    this.nodes = [element("section", { className: "oc-branches", hidden: true }, title, this.list)];
    this.nodes[0].setAttribute("aria-label", "Branches");
  }

  draw() {
    const { state, rows } = this.store;
    if (this.filled !== this.store.fills) {
      this.filled = this.store.fills;
      this.curves.clear();
      this.asked.clear();
    }
    const runs = (state.family ?? []).map((row) => runOf(row));
    show(this.nodes[0], runs.length > 0);
    if (!runs.length) return;
    for (const run of runs) this.fetch(run);
    const own = { at: OWN, role: "this run", name: state.name, step: state.begun, chain: chainOf(state), mode: state.mode, steps: state.step, state: state.run, tokens: state.tokens, trigger: state.trigger, sent: state.input_tokens, here: true };
    this.curves.set(OWN, rows.map((row) => [row[0], sum(row)]));
    // The origin stands first, then this run, then what was begun from it.
    const all = [...runs.filter((run) => run.role === "origin"), own, ...runs.filter((run) => run.role !== "origin")];
    put(this.about, "on the same axes; the grey line is this run");
    this.measure(all);
    const cards = all.map((run) => this.cards.get(run.at) ?? this.made(run));
    if (cards.some((card, i) => this.list.children[i] !== card.node) || this.list.childElementCount !== cards.length) {
      this.list.replaceChildren(...cards.map((card) => card.node));
    }
    all.forEach((run, i) => cards[i].draw(run, this));
  }

  made(run) {
    const card = new RunCard(this.store, run);
    this.cards.set(run.at, card);
    return card;
  }

  /** Have the part of a curve that is new; one question a run at a time. */
  fetch(run) {
    const known = this.curves.get(run.at) ?? [];
    const last = known.length ? known[known.length - 1][0] : 0;
    if (last >= run.last || this.asked.has(run.at) || !this.store.alive) return;
    this.asked.add(run.at);
    const { fills } = this.store;
    this.store.ask("relative", [run.at, last], (body) => {
      if (fills !== this.store.fills) return;
      this.asked.delete(run.at);
      this.curves.set(run.at, [...known, ...(body?.points ?? [[run.last, run.tokens]])]);
    });
  }

  /** The axes that all charts share. */
  measure(all) {
    const points = all.flatMap((run) => this.curves.get(run.at) ?? []);
    this.last = Math.max(2, ...points.map(([step]) => step));
    this.most = Math.max(...all.map((run) => run.trigger * 1.08), ...points.map(([, tokens]) => tokens), 1);
  }
}

function runOf([at, role, name, step, chain, mode, steps, state, tokens, trigger, sent, path, line, open, last]) {
  return { at, role, name, step, chain, mode, steps, state, tokens, trigger, sent, path, line, open, last };
}

const chainOf = (state) => state.chain.map(([name]) => name).join(" → ") || "no layers";

class RunCard {
  constructor(store, run) {
    this.store = store;
    this.name = element("b", { dir: "auto" });
    this.role = element("span", { className: "oc-quiet" });
    this.dot = element("span", { className: "oc-dot", "aria-hidden": "true" });
    this.state = element("span", { className: "oc-tag" });
    const head = element("div", { className: "oc-row oc-run-head" }, this.dot, this.name, this.role, element("span", { className: "oc-grow" }), this.state);
    this.svg = shape("svg", { class: "oc-chart oc-small", height: CHART_TALL, role: "img" });
    this.facts = element("div", { className: "oc-facts oc-number" });
    this.chain = element("p", { className: "oc-quiet oc-run-chain", dir: "auto" });
    this.show = element("button", { type: "button", textContent: "Show it here" });
    this.show.addEventListener("click", () => {
      if (this.show.getAttribute("aria-disabled") !== "true") store.order("show", run.at);
    });
    this.line = element("code", { className: "oc-code", dir: "auto" });
    this.acts = element("div", { className: "oc-acts oc-run-acts" }, this.show, this.line);
    this.node = element("div", { className: "oc-card oc-run", role: "listitem" }, head, this.svg, this.facts, this.chain, this.acts);
  }

  draw(run, family) {
    put(this.name, run.name);
    put(this.role, run.here ? "this run" : run.role === "origin" ? "origin" : "");
    const known = /^(running|pausing|paused|done|stopped)/.exec(run.state)?.[1] ?? "ready";
    this.dot.className = `oc-dot oc-is-${known}`;
    put(this.state, run.state === "elsewhere" ? "left running" : run.state.replace("(", " ("));
    this.node.classList.toggle("oc-now-here", Boolean(run.here));
    const share = run.trigger ? `${Math.floor((100 * run.tokens) / run.trigger)}% of the trigger` : "";
    const facts = [["steps", count(run.steps)], ["pressure now", `${count(run.tokens)}, ${share}`], ["sent so far", `${count(run.sent)} tokens`]];
    if (run.step && run.role !== "origin") facts.splice(2, 0, ["begun", `after step ${count(run.step)}`]);
    const text = facts.map((fact) => fact.join()).join();
    if (text !== this.told) {
      this.told = text;
      this.facts.replaceChildren(...facts.map(([name, value]) => element("div", {}, element("span", { className: "oc-quiet", textContent: name }), element("span", { textContent: value }))));
    }
    put(this.chain, `${run.mode} · ${run.chain}`);
    show(this.acts, !run.here);
    show(this.show, Boolean(run.open));
    this.show.setAttribute("aria-label", `Show ${run.name} here`);
    this.show.setAttribute("aria-disabled", String(!this.store.alive));
    put(this.line, run.line ?? "");
    show(this.line, Boolean(run.line));
    this.line.title = "In a cell of its own this line shows that run's panel.";
    this.paint(run, family);
  }

  paint(run, family) {
    const width = this.node.clientWidth - 22;
    const points = family.curves.get(run.at) ?? [];
    const own = run.here ? [] : (family.curves.get(OWN) ?? []);
    const key = [width, family.last, family.most, points.length, points.at(-1), own.length, run.step, run.trigger].join();
    if (width < 80 || key === this.painted) return;
    this.painted = key;
    const wide = width - EDGE.left - EDGE.right;
    const x = (step) => EDGE.left + (wide * (step - 1)) / family.last;
    const y = (tokens) => EDGE.top + (CHART_TALL - EDGE.top - EDGE.bottom) * (1 - tokens / family.most);
    const stair = (line) => line.flatMap(([step, tokens]) => [step, step + 1].map((s) => `${x(s).toFixed(1)},${y(tokens).toFixed(1)}`)).join("L");
    const ground = y(0);
    const nodes = [shape("line", { class: "oc-grid", x1: EDGE.left, x2: width - EDGE.right, y1: ground, y2: ground })];
    const trigger = y(run.trigger);
    const at = (place, text) => shape("text", place, text);
    if (own.length) nodes.push(shape("path", { class: "oc-run-other", d: `M${stair(own)}` }));
    const path = stair(points);
    if (path) {
      const end = x(points[points.length - 1][0] + 1).toFixed(1);
      nodes.push(shape("path", { class: "oc-run-area", d: `M${x(points[0][0]).toFixed(1)},${ground}L${path}L${end},${ground}Z` }));
      nodes.push(shape("path", { class: "oc-run-line", d: `M${path}` }));
    }
    nodes.push(shape("line", { class: "oc-limit", x1: EDGE.left, x2: width - EDGE.right, y1: trigger, y2: trigger }));
    nodes.push(at({ x: EDGE.left - 5, y: trigger + 4, "text-anchor": "end" }, thousands(run.trigger)));
    nodes.push(at({ x: EDGE.left - 5, y: ground + 4, "text-anchor": "end" }, "0"));
    nodes.push(at({ x: width - EDGE.right, y: CHART_TALL - 4, "text-anchor": "end" }, count(family.last)));
    if (run.step) {
      const fork = x(run.step + 1);
      nodes.push(shape("line", { class: "oc-run-fork", x1: fork, x2: fork, y1: EDGE.top - 4, y2: ground }));
      const near = fork > width - 70;
      nodes.push(at({ x: fork, y: CHART_TALL - 4, "text-anchor": near ? "end" : "middle", class: "oc-run-at" }, `fork ${count(run.step)}`));
    }
    this.svg.setAttribute("width", width);
    this.svg.replaceChildren(...nodes);
    this.svg.setAttribute("aria-label", `Tokens of ${run.name} by step, ${count(run.tokens)} at step ${count(run.steps)}${run.step ? `, forked after step ${run.step}` : ""}`);
  }
}
