// The chart's arithmetic, apart from the page: bins, ends of axes, merged marks. Pure functions.

import { sum } from "./dom.js";

/** Marks closer than this are drawn as one. */
export const MERGE_PX = 8;

/** The first round number not below n: 1, 2, 2.5 or 5 times a power of ten. */
export function roundUp(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 2.5, 5, 10].map((k) => k * power).find((v) => v >= n);
}

/** The last step on the axis: it moves in rare jumps, not at each step. */
export function lastStep(step, most) {
  const ends = [20, 40, 60, 80, 100];
  const power = 10 ** Math.floor(Math.log10(Math.max(step, 1)));
  const found = ends.find((end) => end >= step) ?? Math.ceil(step / (power / 2)) * (power / 2);
  return most ? Math.max(Math.min(found, most), step) : found;
}

/** Grid lines from 0 up: quarters of the window while it is the greatest value, else round numbers. */
export function gridOf(greatest, window) {
  const gap = window === greatest ? window / 4 : roundUp(greatest / 4.5);
  const lines = [];
  for (let v = 0; v <= greatest * 1.001; v += gap) lines.push(v);
  return lines;
}

/** Every how many steps the axis names one. */
export function stepGap(steps) {
  return steps < 50 ? Math.max(Math.ceil(steps / 6 / 5) * 5, 1) : roundUp(steps / 8);
}

/** At most one row for each pixel: the one with the most tokens, so that no peak is lost. */
export function binned(rows, x) {
  const out = [];
  let pixel = null;
  for (const row of rows) {
    const at = Math.floor(x(row[0]));
    if (at !== pixel) out.push(row);
    else if (sum(row) > sum(out[out.length - 1])) out[out.length - 1] = row;
    pixel = at;
  }
  return out;
}

/** Marks by place, those of one kind closer than MERGE_PX as one: {x, step, to, names, kind, swap, times}. */
export function merged(marks, x) {
  const out = [];
  const last = new Map();
  for (const [step, name, swap] of marks) {
    const at = x(step);
    const near = last.get(swap);
    if (near && at - near.x < MERGE_PX) {
      if (!near.names.includes(name)) near.names.push(name);
      near.times += 1;
      near.to = step;
    } else {
      const mark = { x: at, step, to: step, names: [name], kind: swap, swap: swap === 1, times: 1 };
      last.set(swap, mark);
      out.push(mark);
    }
  }
  return out;
}

/** Places pushed apart to at least `gap`, keeping their order. */
export function spread(places, gap) {
  const order = places.map((at, i) => [at, i]).sort((a, b) => a[0] - b[0]);
  const out = [...places];
  for (let k = 1; k < order.length; k++) {
    const before = out[order[k - 1][1]];
    out[order[k][1]] = Math.max(out[order[k][1]], before + gap);
  }
  return out;
}
