// Two texts side by side, line by line: what left is marked on the left, what came on the right.

import { element } from "./dom.js";

const MOST_PAIRS = 250000;

/** [sign, line] pairs, sign one of " ", "-", "+": a longest common subsequence of lines. */
export function diffLines(before, after) {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const same = (lines) => lines.map((line) => [" ", line]);
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))];
}

function between(a, b) {
  const all = [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  if (!a.length || !b.length || a.length * b.length > MOST_PAIRS) return all;
  const wide = b.length + 1;
  const best = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * wide + j] =
        a[i] === b[j] ? best[(i + 1) * wide + j + 1] + 1 : Math.max(best[(i + 1) * wide + j], best[i * wide + j + 1]);
    }
  }
  const out = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) out.push([" ", a[(j++, i++)]]);
    else if (best[(i + 1) * wide + j] >= best[i * wide + j + 1]) out.push(["-", a[i++]]);
    else out.push(["+", b[j++]]);
  }
  return [...out, ...a.slice(i).map((line) => ["-", line]), ...b.slice(j).map((line) => ["+", line])];
}

/** Both columns; a side that is empty says why. */
export function diffNode(left, right) {
  const lines = diffLines(left.text, right.text);
  const differ = lines.some(([sign]) => sign !== " ");
  if (!differ && left.text) return element("div", { className: "oc-diff oc-same" }, textNode(`${left.name} and ${right.name}, word for word`, lines));
  const side = ({ name, text, none }, mine) =>
    textNode(name, text === "" ? [] : lines.filter(([sign]) => sign === " " || sign === mine), none);
  return element("div", { className: "oc-diff" }, side(left, "-"), side(right, "+"));
}

const SIGNS = { " ": ["", ""], "-": ["−", "oc-left"], "+": ["+", "oc-came"] };

function textNode(name, lines, none = "") {
  const box = element("div", { className: "oc-text", tabIndex: 0, role: "region", dir: "auto" });
  box.setAttribute("aria-label", name);
  const differ = lines.some(([sign]) => sign !== " ");
  if (!lines.length) box.append(element("p", { className: "oc-quiet", textContent: none }));
  for (const [sign, line] of lines) {
    const [mark, className] = SIGNS[sign];
    const row = element("div", { className: `oc-line ${className}` }, element("span", { textContent: line || " " }));
    if (differ) row.prepend(element("i", { textContent: mark }));
    box.append(row);
  }
  return element("div", {}, element("span", { className: "oc-quiet", textContent: name }), box);
}
