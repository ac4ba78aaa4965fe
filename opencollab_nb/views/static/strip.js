// One strip of a context map on a canvas: where each cell lies, how its state looks, what is under a place.

import { COLOURS, count, element } from "./dom.js";
import { STATES, cellsOf, isGone, placeOf, rowWords } from "./maprows.js";

const TALL = 36;
const CELL_TOP = 3;
const FOOT = 13; // room for the marks of pins
const RUN_PX = 24;
const END_PX = 112;
const LEAST_FREE_PX = 58;
const PAGE = 10;

export class Strip {
  /** `pick(at)` is called with the place of a message; `told(text)` with what is under the pointer or focus. */
  constructor(label, pick, told) {
    this.pick = pick;
    this.told = told;
    this.cells = [];
    this.cursor = -1;
    this.hover = -1;
    this.over = null; // where the pointer is, in px
    this.chosen = -1;
    this.canvas = element("canvas", { className: "oc-strip", tabIndex: 0, role: "slider" });
    this.canvas.setAttribute("aria-label", label);
    this.probe = element("span", { hidden: true });
    this.node = element("div", { className: "oc-strip-box" }, this.canvas, this.probe);
    this.canvas.addEventListener("pointermove", (event) => this.point((this.over = event.offsetX)));
    this.canvas.addEventListener("pointerleave", () => this.point((this.over = null)));
    this.canvas.addEventListener("click", (event) => this.choose(this.under(event.offsetX)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => this.go(this.cursor < 0 ? this.cells.length - 1 : this.cursor));
    this.canvas.addEventListener("blur", () => this.paint());
  }

  /**
   * Draw a map in this width; `chosen` is the place of the message that is shown below. With `whole`, so many
   * tokens fill the width: strips one below the other can be compared.
   */
  draw(map, width, chosen, pins = [], whole = 0) {
    const held = this.cells[this.cursor];
    this.map = map;
    this.whole = whole;
    this.width = Math.max(Math.floor(width), 120);
    this.chosen = chosen;
    this.pinned = (id) => pins.some(([first, last]) => first <= id && id <= last);
    this.lay();
    this.follow(held);
    this.paint();
    const aria = { min: this.cells.length ? 1 : 0, max: this.cells.length, now: Math.max(this.cursor, 0) + 1 };
    for (const [name, value] of Object.entries(aria)) this.canvas.setAttribute(`aria-value${name}`, value);
  }

  /** Keys and pointer stay on what they were on, and what is said of it is that of the map on screen. */
  follow(held) {
    if (held) {
      const at = held.overhead ? -1 : placeOf(this.map.rows, held.row, held.from);
      const cell = this.cells.findIndex((c) => (held.overhead ? c.overhead : c.from <= at && at <= c.to));
      this.cursor = cell < 0 ? Math.min(this.cursor, this.cells.length - 1) : cell;
    }
    this.hover = this.over === null ? -1 : this.under(this.over);
    const text = this.cells[this.cursor] ? this.words(this.cells[this.cursor]) : "";
    if (text !== (this.canvas.getAttribute("aria-valuetext") ?? "")) this.canvas.setAttribute("aria-valuetext", text);
    if (this.hover >= 0) this.told(this.words(this.cells[this.hover]));
    else if (document.activeElement === this.canvas && text) this.told(text);
  }

  lay() {
    const { facts } = this.map;
    const cells = cellsOf(this.map.rows);
    if (facts.overhead) cells.unshift({ from: -1, to: -1, overhead: true, count: 1, row: { kind: 0, state: 0, pin: 0 } });
    const limit = facts.trigger || facts.tokens;
    const free = Math.max(limit - facts.tokens, 0);
    this.end = facts.window && !this.whole ? facts.window - limit : 0;
    this.endWide = this.end ? Math.min(END_PX, this.width * 0.14) : 0;
    this.freeWide = limit && !this.whole ? Math.min(Math.max((this.width * free) / (limit * 1.4), LEAST_FREE_PX), this.width * 0.3) : 0;
    this.free = free;
    const room = this.width - this.endWide - this.freeWide - 6;
    const runs = cells.filter((cell) => isGone(cell.row)).length;
    const runWide = Math.min(RUN_PX, (room * 0.25) / Math.max(runs, 1));
    const tokens = (cell) => (cell.overhead ? facts.overhead : cell.row.sent * facts.ratio);
    const shown = cells.filter((cell) => !isGone(cell.row));
    const least = Math.min(3, (room * 0.5) / Math.max(cells.length, 1));
    const total = shown.reduce((all, cell) => all + tokens(cell), 0) || 1;
    const px = Math.max(room - runs * runWide - shown.length * least, 0) / Math.max(total, this.whole);
    let x = 0;
    for (const cell of cells) {
      cell.x = x;
      cell.wide = isGone(cell.row) ? runWide : least + tokens(cell) * px;
      x += cell.wide;
    }
    this.cells = cells;
    this.freeFrom = x;
  }

  paint() {
    if (!this.map || !this.canvas.isConnected) return;
    const scale = globalThis.devicePixelRatio || 1;
    this.canvas.width = this.width * scale;
    this.canvas.height = (TALL + CELL_TOP + FOOT) * scale;
    this.canvas.style.width = `${this.width}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    this.ink = this.colours();
    pen.font = `11px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.textBaseline = "middle";
    for (const cell of this.cells) this.paintCell(pen, cell);
    this.paintRoom(pen);
    this.paintAround(pen, this.cells.findIndex((c) => c.from >= 0 && c.from <= this.chosen && this.chosen <= c.to), 2.5);
    if (document.activeElement === this.canvas) this.paintAround(pen, this.cursor, 2);
    this.paintAround(pen, this.hover, 1.25);
  }

  colours() {
    const read = (name) => {
      this.probe.style.color = `var(--oc-${name})`;
      return getComputedStyle(this.probe).color;
    };
    const kinds = COLOURS.map(read);
    const [ink, quiet, ground, free, band, line, accent] =
      ["ink", "quiet", "ground", "free", "band", "line", "accent"].map(read);
    return { kinds, ink, quiet, ground, free, band, line, accent };
  }

  paintCell(pen, cell) {
    const { row } = cell;
    const gap = cell.wide > 5 ? 1.5 : cell.wide > 2.5 ? 0.75 : 0;
    const wide = Math.max(cell.wide - gap, 0.4);
    const colour = this.ink.kinds[row.kind];
    const state = cell.overhead ? "verbatim" : STATES[row.state];
    const box = [cell.x, CELL_TOP, wide, TALL];
    pen.save();
    if (isGone(row)) this.paintRun(pen, cell, box, state);
    else if (state === "cleared") frame(pen, box, colour, 1.5);
    else if (state === "capped") hatched(pen, box, colour);
    else if (state === "offloaded") folded(pen, box, colour);
    else if (state === "rewritten") {
      fill(pen, [box[0], CELL_TOP + TALL / 2, wide, TALL / 2], colour);
      frame(pen, box, colour, 1.5);
    } else {
      fill(pen, box, colour);
      if (state === "summary") bars(pen, box, this.ink.ground);
      if (state === "tail") fill(pen, [box[0], CELL_TOP, wide, TALL * 0.28], this.ink.ground, 0.75);
    }
    pen.restore();
    if (row.pin || (row.id >= 0 && this.pinned(row.id))) this.paintPin(pen, cell);
  }

  /** A run of messages that are not sent: their number in a dashed frame. */
  paintRun(pen, cell, [x, y, wide, tall], state) {
    pen.setLineDash(state === "shed" ? [1.5, 2.5] : [3, 2]);
    frame(pen, [x, y, wide, tall], state === "summarized" ? this.ink.kinds[5] : this.ink.quiet, 1.25);
    if (wide < 11) return;
    pen.fillStyle = this.ink.quiet;
    pen.textAlign = "center";
    const text = count(cell.count);
    if (pen.measureText(text).width < wide - 2) pen.fillText(text, x + wide / 2, y + tall / 2);
  }

  paintPin(pen, cell) {
    const x = cell.x + Math.min(cell.wide / 2, 5);
    const y = CELL_TOP + TALL + 3;
    pen.fillStyle = cell.row.pin === 1 && !this.pinned(cell.row.id) ? this.ink.quiet : this.ink.accent;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + 4, y + 8);
    pen.lineTo(x - 4, y + 8);
    pen.fill();
  }

  paintRoom(pen) {
    const free = [this.freeFrom + 3, CELL_TOP, this.width - this.endWide - this.freeFrom - 6, TALL];
    const room = [this.width - this.endWide, CELL_TOP, this.endWide - 1, TALL];
    pen.textAlign = "left";
    if (free[2] > 4 && !this.whole) this.paintWords(pen, free, this.ink.free, `free ${count(this.free)}`);
    if (!this.endWide) return;
    this.paintWords(pen, room, this.ink.band, `reserve ${count(this.end)}`);
    frame(pen, room, this.ink.line, 1);
  }

  paintWords(pen, box, ground, text) {
    fill(pen, box, ground);
    pen.fillStyle = this.ink.quiet;
    const short = [text, text.replace(/ .*/, "")].find((t) => pen.measureText(t).width < box[2] - 10);
    if (short) pen.fillText(short, box[0] + 7, box[1] + TALL / 2);
  }

  paintAround(pen, at, thick) {
    const cell = this.cells[at];
    if (!cell) return;
    frame(pen, [cell.x - 1, CELL_TOP - 1, Math.max(cell.wide, 3) + 1, TALL + 2], this.ink.ground, thick + 2);
    frame(pen, [cell.x - 1, CELL_TOP - 1, Math.max(cell.wide, 3) + 1, TALL + 2], thick > 2 ? this.ink.accent : this.ink.ink, thick);
  }

  under(x) {
    let [low, high] = [0, this.cells.length - 1];
    if (high < 0 || x > this.freeFrom) return -1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.cells[middle].x <= x) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  point(x) {
    const at = x === null ? -1 : this.under(x);
    if (at === this.hover) return;
    this.hover = at;
    this.paint();
    this.told(at < 0 ? "" : this.words(this.cells[at]));
  }

  go(at) {
    if (!this.cells.length) return;
    this.cursor = Math.min(Math.max(at, 0), this.cells.length - 1);
    const text = this.words(this.cells[this.cursor]);
    this.canvas.setAttribute("aria-valuenow", this.cursor + 1);
    this.canvas.setAttribute("aria-valuetext", text);
    this.told(text);
    this.paint();
  }

  key(event) {
    const end = this.cells.length;
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -PAGE, PageDown: PAGE, Home: -end, End: end }[event.key];
    if (by !== undefined) this.go(this.cursor + by);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.cursor);
    else return;
    event.preventDefault();
  }

  choose(at) {
    const cell = this.cells[at];
    if (!cell || cell.from < 0) return;
    this.cursor = at;
    // Of a run, each further choice shows its next message.
    const inside = cell.from <= this.chosen && this.chosen < cell.to;
    this.pick(inside ? this.chosen + 1 : cell.from);
  }

  /** What a cell is, in words: which message, who, tokens, state, why. */
  words(cell) {
    const { map } = this;
    if (cell.overhead) return `tool schemas and framing · ${count(map.facts.overhead)} tokens, in every request`;
    return rowWords(map, cell.row, cell.count, this.pinned(cell.row.id));
  }
}

function fill(pen, [x, y, wide, tall], colour, alpha = 1) {
  pen.globalAlpha = alpha;
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, wide, tall, wide > 5 ? 2 : 0);
  pen.fill();
  pen.globalAlpha = 1;
}

function frame(pen, [x, y, wide, tall], colour, thick) {
  pen.strokeStyle = colour;
  pen.lineWidth = Math.min(thick, Math.max(wide / 2, 0.5));
  const half = pen.lineWidth / 2;
  pen.beginPath();
  pen.roundRect(x + half, y + half, Math.max(wide - 2 * half, 0.2), tall - 2 * half, wide > 5 ? 2 : 0);
  pen.stroke();
}

function hatched(pen, box, colour) {
  const [x, y, wide, tall] = box;
  fill(pen, box, colour, 0.4);
  pen.save();
  pen.beginPath();
  pen.rect(x, y, wide, tall);
  pen.clip();
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  for (let at = -tall; at < wide; at += 6) {
    pen.moveTo(x + at, y + tall);
    pen.lineTo(x + at + tall, y);
  }
  pen.stroke();
  pen.restore();
}

/** A frame with its lower corner filled: a little of it is here, all of it elsewhere. */
function folded(pen, box, colour) {
  const [x, y, wide, tall] = box;
  frame(pen, box, colour, 1.5);
  pen.fillStyle = colour;
  pen.fill(new Path2D(`M${x},${y + tall}h${wide}v${(-tall * 2) / 3}z`));
}

/** Two light lines: one cell that stands for several. */
function bars(pen, [x, y, wide, tall], colour) {
  if (wide < 4) return;
  fill(pen, [x, y + 5, wide, 1.5], colour, 0.9);
  fill(pen, [x, y + tall - 6.5, wide, 1.5], colour, 0.9);
}
