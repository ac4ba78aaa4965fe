// The curves of a comparison over each other: a line for each chain, dotted where it is stateless.

import { count, element, put, shape, show, thousands } from "./dom.js";
import { gridOf, spread, stepGap } from "./scale.js";

const TALL = 230;
const ABOVE = 14;
const BELOW = 22;
const BESIDE = 52;
const HUES = ["task", "tool", "assistant", "summary", "restatement", "user", "system"];
const SIGNS = { tokens: thousands, share: (v) => `${Math.round(100 * v)}%`, dollars: (v) => `$${v < 10 ? v.toFixed(2) : count(v)}` };

export class CurveChart {
  constructor(store) {
    this.store = store;
    this.width = 0;
    this.what = element("select", {});
    this.what.setAttribute("aria-label", "What is drawn");
    this.what.addEventListener("change", () => store.order("draw", [this.what.value, null]));
    this.where = element("select", { className: "oc-where-from" });
    this.where.setAttribute("aria-label", "Transcript and window");
    this.where.addEventListener("change", () => store.order("draw", [null, Number(this.where.value)]));
    this.figure = element("button", { type: "button", textContent: "Plotly figure" });
    this.figure.title = "Draw this as a plotly figure below the panel";
    this.figure.addEventListener("click", () => this.figure.getAttribute("aria-disabled") !== "true" && store.order("figure"));
    this.svg = shape("svg", { height: TALL, role: "img", class: "oc-chart oc-curves" });
    this.legend = element("div", { className: "oc-chips" });
    this.readout = element("p", { className: "oc-told oc-number", dir: "auto" });
    const head = element("div", { className: "oc-row oc-head oc-chart-head" }, element("h3", { textContent: "By step" }), this.what, this.where, element("span", { className: "oc-grow" }), this.figure);
    this.section = element("section", { hidden: true }, head, this.svg, this.readout, this.legend);
    this.nodes = [this.section];
    this.svg.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.svg.addEventListener("pointerleave", () => this.point(null));
  }

  resize(width) {
    if (width >= 100) this.width = Math.floor(width);
  }

  draw() {
    const { state, alive } = this.store;
    const { curves } = state;
    show(this.section, Boolean(curves.lines));
    if (!curves.lines) return;
    this.fill(this.what, state.drawings.filter(([name]) => name !== "gone" || state.results[0]?.length > state.header.length), state.drawn);
    this.fill(this.where, state.groups.map((text, at) => [String(at), text]), String(state.group));
    for (const control of [this.what, this.where]) control.disabled = !alive;
    this.figure.setAttribute("aria-disabled", String(!alive || state.drawn === "gone"));
    if (!this.width || (curves === this.drawn && this.width === this.drawnWidth)) return;
    [this.drawn, this.drawnWidth] = [curves, this.width];
    this.svg.setAttribute("width", this.width);
    this.svg.setAttribute("aria-label", `${curves.axis}, ${curves.lines.length} curves`);
    this.lines(curves);
    this.chips(curves);
    this.point(null);
  }

  fill(select, options, value) {
    const key = JSON.stringify(options);
    if (select.dataset.key !== key) {
      select.dataset.key = key;
      select.replaceChildren(...options.map(([name, text]) => element("option", { value: name, textContent: text })));
    }
    if (this.store.waited("draw") === null) select.value = value;
  }

  lines({ lines, limits, kind }) {
    const all = lines.flatMap(([, , , points]) => points);
    const last = Math.max(...all.map(([step]) => step), 1);
    const window = limits.find(([name]) => name === "window")?.[1];
    const highest = Math.max(...all.map(([, value]) => value), ...limits.map(([, value]) => value), kind === "tokens" ? 1 : 0);
    // What overflows many times would press all that fits to the ground.
    const most = kind === "share" ? 1 : window ? Math.min(highest, 2 * window) : highest || 1;
    const right = limits.length ? this.width - 104 : this.width - 14;
    this.x = (step) => BESIDE + ((right - BESIDE) * (step - 1)) / Math.max(last - 1, 1);
    this.y = (value) => TALL - BELOW - (TALL - BELOW - ABOVE) * Math.min(value / most, 1);
    const grid = kind === "tokens" ? gridOf(most, window ?? 0) : [0, 0.25, 0.5, 0.75, 1].map((part) => part * most);
    const nodes = grid.flatMap((value) => [
      shape("line", { class: "oc-grid", x1: BESIDE, x2: right, y1: this.y(value), y2: this.y(value) }),
      shape("text", { x: BESIDE - 6, y: this.y(value) + 4, "text-anchor": "end" }, SIGNS[kind](value)),
    ]);
    for (let step = stepGap(last); step <= last; step += stepGap(last)) {
      nodes.push(shape("text", { x: this.x(step), y: TALL - 6, "text-anchor": "middle" }, count(step)));
    }
    const places = spread(limits.map(([, value]) => this.y(value)), 13);
    limits.forEach(([name, value], at) => {
      const style = name === "window" ? "oc-limit oc-window" : "oc-limit";
      nodes.push(shape("line", { class: style, x1: BESIDE, x2: right, y1: this.y(value), y2: this.y(value) }));
      nodes.push(shape("text", { x: right + 5, y: places[at] + 4 }, `${name} ${count(value)}`));
    });
    for (const [, hue, dotted, points] of lines) {
      const d = points.map(([step, value], at) => `${at ? "L" : "M"}${this.x(step).toFixed(1)} ${this.y(value).toFixed(1)}`).join("");
      nodes.push(shape("path", { d, class: `oc-curve oc-hue-${hueOf(hue)}`, "stroke-dasharray": hue < 0 ? "1 3" : dotted ? "5 4" : "none" }));
      if (points.length === 1) nodes.push(shape("circle", { cx: this.x(points[0][0]), cy: this.y(points[0][1]), r: 3, class: `oc-dot-of oc-hue-${hueOf(hue)}` }));
    }
    this.pointer = shape("line", { class: "oc-pointer", y1: ABOVE, y2: TALL - BELOW });
    if (highest > most) nodes.push(shape("text", { class: "oc-halo", x: BESIDE + 6, y: ABOVE + 12 }, `highest ${SIGNS[kind](highest)}, not to scale up here`));
    this.svg.replaceChildren(...nodes, this.pointer);
    this.last = last;
  }

  chips({ lines, left_out: more }) {
    const chips = lines.map(([name, hue, dotted]) => {
      const line = shape("svg", { width: 22, height: 10, "aria-hidden": "true" });
      line.append(shape("line", { x1: 0, x2: 22, y1: 5, y2: 5, class: `oc-curve oc-hue-${hueOf(hue)}`, "stroke-dasharray": hue < 0 ? "1 3" : dotted ? "5 4" : "none" }));
      return element("span", { className: "oc-curve-name", dir: "auto", title: name }, line, " ", element("bdi", { textContent: name }));
    });
    if (more) chips.push(element("span", { textContent: `and ${count(more)} more` }));
    this.legend.replaceChildren(...chips);
  }

  /** The values at the step under the pointer; without one, what the axis means. */
  point(x) {
    const { curves } = this.store.state ?? {};
    if (!this.pointer || !curves?.lines) return;
    this.pointer.style.display = x === null ? "none" : "";
    if (x === null) {
      put(this.readout, "Point at a step for its figures.");
      return;
    }
    const step = Math.min(Math.max(Math.round(1 + ((x - BESIDE) / (this.x(this.last) - BESIDE || 1)) * (this.last - 1)), 1), this.last);
    this.pointer.setAttribute("x1", this.x(step));
    this.pointer.setAttribute("x2", this.x(step));
    const told = curves.lines.map(([name, , , points]) => `${name} ${SIGNED[curves.kind](nearest(points, step))}`);
    put(this.readout, `step ${count(step)}: ${told.join(" · ")}`);
  }
}

const SIGNED = { tokens: count, share: SIGNS.share, dollars: (v) => `$${(v ?? 0).toFixed(2)}` };

const hueOf = (hue) => (hue < 0 ? "recorded" : HUES[hue % HUES.length]);

function nearest(points, step) {
  let best = points[0];
  for (const point of points) if (Math.abs(point[0] - step) < Math.abs(best[0] - step)) best = point;
  return best?.[1] ?? 0;
}
