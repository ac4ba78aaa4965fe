// Tokens of each request, stacked by category, with the limits and a mark where a layer fired.

import { CATEGORIES, COLOURS, count, element, put, shape, sum, thousands } from "./dom.js";
import { moveSign } from "./moves.js";
import { Slider } from "./slider.js";
import { binned, gridOf, lastStep, merged, spread, stepGap } from "./scale.js";

const HEIGHT = 208;
const TOP = 30;
const BOTTOM = 22;
const LEFT = 40;
const NARROW = 640;
const DENSE = 24; // marks beyond which lines would hide the chart

export class Chart {
  constructor(store) {
    this.store = store;
    this.width = 0;
    this.cursor = null;
    this.svg = shape("svg", { height: HEIGHT, role: "img", tabindex: "0", class: "oc-chart" });
    this.grid = shape("g");
    this.areas = COLOURS.map((name) => shape("path", { class: `oc-area oc-fill-${name}` }));
    this.marks = shape("g");
    this.limits = shape("g");
    this.pointer = shape("line", { class: "oc-pointer", y1: TOP, y2: HEIGHT - BOTTOM });
    this.hint = shape("text", { class: "oc-hint", y: HEIGHT - BOTTOM - 12 }, "No request yet: press Step or Run.");
    this.other = shape("path", { class: "oc-other" });
    this.then = shape("line", { class: "oc-then", y1: TOP - 4, y2: HEIGHT - BOTTOM });
    this.later = shape("rect", { class: "oc-later", y: TOP, height: HEIGHT - TOP - BOTTOM });
    const below = [this.grid, ...this.areas, this.later];
    this.svg.append(...below, this.marks, this.limits, this.other, this.then, this.pointer, this.hint);
    this.readout = element("span", { className: "oc-quiet oc-number" });
    this.legend = element("span", { className: "oc-quiet oc-other-name" });
    this.title = element("h3", {}, "Context pressure by step ", this.legend, this.readout);
    this.slider = new Slider(store);
    this.svg.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.svg.addEventListener("pointerleave", () => this.at(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("click", () => this.travel());
    this.nodes = [element("section", { className: "oc-pressure" }, this.title, this.svg, this.slider.node)];
  }

  resize(width) {
    // No width: not laid out at this moment (a theme is being changed, a tab is hidden).
    if (width < 100) return;
    this.width = Math.floor(width);
    this.svg.setAttribute("width", this.width);
  }

  draw() {
    const { state, rows } = this.store;
    this.slider.draw();
    if (!this.width) return;
    this.measure(state, rows);
    this.hint.style.display = rows.length ? "none" : "";
    this.hint.setAttribute("x", LEFT + 12);
    this.drawGrid(state);
    this.drawAreas(rows);
    this.drawLimits(state);
    this.drawMarks();
    this.drawLens();
    this.drawPointer();
  }

  /** The step that is looked at, and the pressure that another chain would have given. */
  drawLens() {
    const { lens, rows } = this.store;
    const shown = lens.step !== null && rows.length > 0;
    for (const node of [this.then, this.later]) node.style.display = shown ? "" : "none";
    if (shown) {
      const [from, to] = [this.x(lens.step + 1), this.x(rows[rows.length - 1][0] + 1)];
      const x = (this.x(lens.step) + from) / 2;
      this.then.setAttribute("x1", x);
      this.then.setAttribute("x2", x);
      this.later.setAttribute("x", from);
      this.later.setAttribute("width", Math.max(to - from, 0));
    }
    const points = lens.points.filter(([step]) => step >= this.first);
    const go = ([step, tokens]) => [this.x(step), this.x(step + 1)].map((x) => `${x.toFixed(1)},${this.y(tokens).toFixed(1)}`);
    this.other.setAttribute("d", points.length ? `M${points.flatMap(go).join("L")}` : "");
    put(this.legend, points.length ? "· the line: this draft's chain" : "");
  }

  /** Look at the request of the step under the pointer. */
  travel() {
    const { rows, lens } = this.store;
    if (this.cursor === null || !rows.length) return;
    const at = Math.min(this.cursor, rows.length - 1);
    lens.go(at === rows.length - 1 ? null : rows[at][0]);
  }

  measure(state, rows) {
    const narrow = this.width < NARROW;
    this.right = this.width - (narrow ? 6 : 112);
    this.first = rows.length ? rows[0][0] : 1;
    this.last = lastStep(rows.length ? rows[rows.length - 1][0] : 1, state.max_steps);
    this.greatest = Math.max(state.window ?? 0, state.trigger * 1.1, state.tokens);
    for (const row of rows) this.greatest = Math.max(this.greatest, sum(row));
    for (const [, tokens] of this.store.lens.points) this.greatest = Math.max(this.greatest, tokens);
    const steps = Math.max(this.last - this.first + 1, 1);
    // The left edge of a step: its column reaches to the left edge of the next.
    this.x = (step) => LEFT + ((this.right - LEFT) * (step - this.first)) / steps;
    this.y = (tokens) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - tokens / this.greatest);
  }

  drawGrid(state) {
    const nodes = [];
    for (const value of gridOf(this.greatest, state.window)) {
      const y = this.y(value);
      nodes.push(shape("line", { class: "oc-grid", x1: LEFT, x2: this.right, y1: y, y2: y }));
      nodes.push(shape("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, thousands(value)));
    }
    const wide = (this.right - LEFT) / Math.max(this.last - this.first + 1, 1);
    const gap = stepGap(this.last - this.first + 1);
    for (let step = Math.ceil(this.first / gap) * gap; step <= this.last; step += gap) {
      const at = { x: this.x(step) + wide / 2, y: HEIGHT - 6, "text-anchor": "middle" };
      nodes.push(shape("text", at, count(step)));
    }
    this.grid.replaceChildren(...nodes);
  }

  drawAreas(rows) {
    const shown = binned(rows, this.x);
    const end = rows.length ? this.x(rows[rows.length - 1][0] + 1) : LEFT;
    const lefts = shown.map((row) => this.x(row[0]));
    lefts.push(end);
    let base = shown.map(() => 0);
    this.areas.forEach((area, c) => {
      const top = base.map((tokens, i) => tokens + shown[i][c + 1]);
      area.setAttribute("d", this.outline(lefts, top, base));
      base = top;
    });
  }

  /** A closed stair between two heights. */
  outline(lefts, top, base) {
    if (!top.length) return "";
    const go = (i, tokens) => `${lefts[i].toFixed(1)},${this.y(tokens).toFixed(1)}`;
    const points = [];
    for (let i = 0; i < top.length; i++) points.push(go(i, top[i]), go(i + 1, top[i]));
    for (let i = top.length - 1; i >= 0; i--) points.push(go(i + 1, base[i]), go(i, base[i]));
    return `M${points.join("L")}Z`;
  }

  drawLimits(state) {
    const limits = [
      ["window", state.window],
      ["trigger", state.trigger],
      ["target", state.target],
    ].filter(([, value]) => value);
    const inside = this.width < NARROW;
    const heights = spread(limits.map(([, value]) => this.y(value)), 13);
    const nodes = limits.flatMap(([name, value], i) => {
      const y = this.y(value);
      const line = { class: `oc-limit oc-${name}`, x1: LEFT, x2: this.right, y1: y, y2: y };
      const at = inside
        ? { x: this.right - 2, y: y + (name === "trigger" ? -4 : 12), "text-anchor": "end", class: "oc-halo" }
        : { x: this.right + 6, y: heights[i] + 4 };
      return [shape("line", line), shape("text", at, `${name} ${count(value)}`)];
    });
    this.limits.replaceChildren(...nodes);
  }

  drawMarks() {
    const nodes = [];
    const free = [0, 0]; // where the next label may begin, in each of two rows
    const marks = merged(this.store.marks, this.x).filter((mark) => mark.step >= this.first);
    const dense = marks.filter((mark) => mark.kind < 2).length > DENSE;
    for (const mark of marks) {
      if (mark.kind > 1) {
        nodes.push(moveSign(mark, HEIGHT - BOTTOM));
        continue;
      }
      const group = shape("g", { class: mark.swap ? "oc-mark oc-swap" : "oc-mark" });
      group.append(shape("title", {}, markTitle(mark)));
      group.append(shape("line", { x1: mark.x, x2: mark.x, y1: TOP - 4, y2: dense && !mark.swap ? TOP + 4 : HEIGHT - BOTTOM }));
      if (mark.swap) group.append(diamond(mark.x, HEIGHT - BOTTOM));
      nodes.push(group);
      if (dense && !mark.swap) continue;
      const label = mark.names.join(", ") + (mark.times > mark.names.length ? ` ×${mark.times}` : "");
      const text = label.length > 26 ? `${label.slice(0, 25)}…` : label;
      const wide = text.length * 6.2 + 8;
      const left = Math.min(mark.x + 3, this.right - wide);
      const row = free.findIndex((from) => from <= left);
      if (row >= 0) {
        free[row] = left + wide;
        group.append(shape("text", { x: left, y: row ? 22 : 10, class: "oc-halo" }, text));
      }
    }
    this.marks.replaceChildren(...nodes);
  }

  drawPointer() {
    const { rows } = this.store;
    const row = this.cursor === null ? null : rows[Math.min(this.cursor, rows.length - 1)];
    this.pointer.style.display = row ? "" : "none";
    if (!row) {
      put(this.readout, "");
      this.svg.setAttribute("aria-label", "Stacked tokens by step, with window, trigger and target");
      return;
    }
    const x = (this.x(row[0]) + this.x(row[0] + 1)) / 2;
    this.pointer.setAttribute("x1", x);
    this.pointer.setAttribute("x2", x);
    const parts = CATEGORIES.map((name, i) => [row[i + 1], `${name} ${count(row[i + 1])}`]);
    const shown = parts.filter(([tokens]) => tokens).map(([, text]) => text);
    const text = `step ${count(row[0])} · ${count(sum(row))} tokens: ${shown.join(", ")}`;
    put(this.readout, text);
    this.svg.setAttribute("aria-label", text);
  }

  /** The row under a place. */
  point(offset) {
    const { rows } = this.store;
    if (!rows.length || !this.x) return;
    let low = 0;
    let high = rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.x(rows[middle][0]) <= offset) low = middle;
      else high = middle - 1;
    }
    this.at(low);
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    const most = this.store.rows.length - 1;
    if (event.key === "Enter") this.travel();
    if (by === undefined || most < 0) return;
    event.preventDefault();
    this.at(Math.min(Math.max((this.cursor ?? most) + by, 0), most));
  }

  at(index) {
    if (index === this.cursor) return;
    this.cursor = index;
    if (this.x) this.drawPointer();
  }
}

function diamond(x, y) {
  return shape("path", { d: `M${x},${y - 5}l5,5l-5,5l-5,-5z`, class: "oc-diamond" });
}

function markTitle(mark) {
  const steps = mark.to === mark.step ? `step ${mark.step}` : `steps ${mark.step} to ${mark.to}`;
  return `${mark.names.join(", ")} at ${steps}`;
}
