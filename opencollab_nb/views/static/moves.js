// The four moves: a bar for each quota, what the work is held to, and small marks on the chart.

import { count, element, percent, put, shape, show } from "./dom.js";

/** Name on screen and colour of each quota, in the order in which the kernel sends them. */
const QUOTAS = [
  ["system and head", "system", "System prompt, tool schemas, task, goal and constraints: in every request."],
  ["tool results", "tool", "What tools answered. Over its quota, long results give way to pointers."],
  ["history", "assistant", "Replies with their calls, what you said, summaries."],
  ["restate and memory", "restatement", "What keeps the direction: restatement, milestones, handoff, memories."],
];

export class Quotas {
  constructor(store) {
    this.store = store;
    this.bars = QUOTAS.map(([name, colour, says]) => new Bar(name, colour, says));
    this.about = element("span", { className: "oc-quiet" });
    const grid = element("div", { className: "oc-quotas" }, ...this.bars.map((bar) => bar.node));
    this.nodes = [element("section", { hidden: true }, element("h3", {}, "Quotas ", this.about), grid)];
  }

  draw() {
    const { lens, state } = this.store;
    const fills = (lens.moment ?? state).fills ?? [];
    show(this.nodes[0], fills.length > 0);
    const over = fills.filter(([used, quota]) => used > quota).length;
    put(this.about, over ? `${count(over)} over` : "each category's share of the window");
    fills.forEach(([used, quota], i) => this.bars[i]?.draw(used, quota));
  }
}

class Bar {
  constructor(name, colour, says) {
    this.name = name;
    this.used = element("span", { className: "oc-number" });
    this.share = element("b", { className: "oc-number" });
    this.fill = element("i", { className: `oc-fill-${colour}` });
    this.tick = element("u", { hidden: true });
    this.bar = element("div", { className: "oc-quota-bar", role: "meter" }, this.fill, this.tick);
    this.bar.setAttribute("aria-label", `Quota of ${name}`);
    this.bar.setAttribute("aria-valuemin", "0");
    const words = element("div", { className: "oc-quota-words" }, element("span", { textContent: name }), this.share);
    this.node = element("div", { className: "oc-quota", title: says }, words, this.bar, this.used);
  }

  draw(used, quota) {
    const end = Math.max(used, quota, 1);
    const [share, over] = [percent(used / Math.max(quota, 1)), used > quota];
    put(this.share, share);
    put(this.used, `${count(used)} of ${count(quota)}${over ? `, ${count(used - quota)} over` : ""}`);
    this.fill.style.width = `${(100 * used) / end}%`;
    this.tick.style.left = `${(100 * quota) / end}%`;
    show(this.tick, over);
    this.node.classList.toggle("oc-quota-over", over);
    this.bar.setAttribute("aria-valuemax", quota);
    this.bar.setAttribute("aria-valuenow", Math.min(used, quota));
    this.bar.setAttribute("aria-valuetext", `${count(used)} of ${count(quota)} tokens, ${share}`);
  }
}

export class Direction {
  constructor(store) {
    this.store = store;
    this.drawn = "";
    this.facts = element("span", { className: "oc-quiet oc-number oc-moved" });
    this.left = element("div", { className: "oc-held" });
    this.right = element("div", { className: "oc-held" });
    const body = element("div", { className: "oc-direction", tabIndex: 0, role: "region" }, this.left, this.right);
    body.setAttribute("aria-label", "Anchors and todos");
    const title = element("summary", {}, element("h3", {}, "Direction "), this.facts);
    this.fold = element("details", { className: "oc-fold", open: true }, title, body);
    this.nodes = [element("section", { className: "oc-folded", hidden: true }, this.fold)];
  }

  draw() {
    const { lens, state } = this.store;
    const { direction = {}, todos = {}, moves = {} } = lens.moment ?? state;
    const known = [direction, todos, moves].some((part) => Object.keys(part).length > 0);
    show(this.nodes[0], known);
    const key = JSON.stringify([direction, todos, moves]);
    if (!known || key === this.drawn) return;
    this.drawn = key;
    this.facts.replaceChildren(...movedNodes(moves));
    this.left.replaceChildren(...heldNodes(direction));
    this.right.replaceChildren(...stateNodes(direction, todos));
    show(this.left, this.left.childElementCount > 0);
  }
}

/** What the moves did last: with the sign that each has on the chart. */
function movedNodes({ restated, offloaded, anchored, injected, handoff }) {
  const parts = [];
  if (restated) parts.push(["restated", `restated at step ${count(restated[0])} (${restated[1]}), ${count(restated[3])}× so far`]);
  if (offloaded) parts.push(["offloaded", `${many(offloaded[1], "result")} offloaded, −${count(offloaded[2])} tokens`]);
  if (anchored) parts.push(["anchored", `${many(anchored[1], "anchor")}, the last at step ${count(anchored[0])}`]);
  if (injected) parts.push(["", `${many(injected[0], "note")} from memory`]);
  if (handoff) parts.push(["", `handoff written at step ${count(handoff[0])}`]);
  return parts.map(([sign, text]) => {
    const mark = sign ? [element("i", { className: `oc-move oc-move-${sign}`, "aria-hidden": "true" })] : [];
    return element("span", {}, ...mark, text);
  });
}

function heldNodes({ goal, constraints = [], constraints_count: total = 0, others = [] }) {
  const rows = [];
  if (goal) rows.push(["Goal", [goal], 0]);
  if (total) rows.push(["Constraints", constraints, total - constraints.length]);
  for (const [kind, text] of others) rows.push([kind.replaceAll("_", " "), [text], 0]);
  return rows.flatMap(([name, texts, more]) => listNodes(name, texts.map((text) => line(text)), more && `and ${count(more)} more`));
}

function stateNodes({ finished = [], finished_count: done = 0 }, { open = [], open_count: left, dropped_count: dropped = 0 }) {
  const nodes = [];
  const earlier = done - finished.length;
  if (done) {
    const lines = finished.map((text) => line(text, "done"));
    nodes.push(...listNodes(`Finished ${count(done)}`, lines.reverse(), earlier && `and ${count(earlier)} earlier`));
  }
  if (left !== undefined) {
    const lines = open.map(([id, text, status, by]) => line(text, status, id, by === "agent" ? "the agent's own" : ""));
    const rest = [left > open.length && `and ${count(left - open.length)} more`, dropped && `${count(dropped)} dropped`];
    nodes.push(...listNodes(`Open ${count(left)}`, lines, rest.filter(Boolean).join(", ")));
  }
  return nodes;
}

function listNodes(name, lines, rest) {
  const list = element("ul", {}, ...lines);
  if (rest) list.append(element("li", { className: "oc-quiet", textContent: rest }));
  if (!list.childElementCount) list.append(element("li", { className: "oc-quiet", textContent: "none" }));
  return [element("span", { className: "oc-quiet oc-number", textContent: name }), list];
}

function line(text, status = "", id = "", note = "") {
  const item = element("li", { title: text });
  if (status) {
    const words = { done: "✓", in_progress: "◐" }[status] ?? "○";
    item.append(element("i", { className: `oc-todo-${status}`, textContent: words, role: "img", "aria-label": status.replace("_", " ") }));
  }
  if (id) item.append(element("span", { className: "oc-quiet oc-number", textContent: `${id} ` }));
  item.append(element("span", { textContent: text, dir: "auto" }));
  if (note) item.append(element("span", { className: "oc-quiet", textContent: ` · ${note}` }));
  return item;
}

const many = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

// A row for each kind: a milestone is followed by a restatement, often at the next step.
const MOVE_ROW_PX = { 2: 18, 3: 0, 4: 9 };
const MOVE_SIGNS = {
  2: ["offloaded", "M-4,-7h8l-4,6.5z", () => "long results offloaded"],
  3: ["restated", "M0,-8a3.6,3.6 0 1 1 -.01,0z", (names) => `direction and todos restated (${names.join(", ")})`],
  4: ["anchored", "M-4,-1h8l-4,-6.5z", (names) => `anchored: ${names.join(", ")}`],
};

/** A small mark on the chart's axis: lines are for what changed the view. */
export function moveSign(mark, y) {
  const [name, path, says] = MOVE_SIGNS[mark.kind] ?? MOVE_SIGNS[4];
  const steps = mark.to === mark.step ? `step ${count(mark.step)}` : `steps ${count(mark.step)} to ${count(mark.to)}`;
  const sign = shape("g", { class: `oc-move-mark oc-move-${name}`, transform: `translate(${mark.x.toFixed(1)},${y - (MOVE_ROW_PX[mark.kind] ?? 0)})` });
  sign.append(shape("title", {}, `${says(mark.names)} at ${steps}`), shape("path", { d: path }));
  return sign;
}
