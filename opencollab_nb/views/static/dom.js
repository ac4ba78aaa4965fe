// Small pieces for the page. All text goes through textContent: nothing here reads markup.

const ACTING = /^(button|select|input|summary)$/;
const SVG = "http://www.w3.org/2000/svg";

export const CATEGORIES = [
  "system and tools",
  "task",
  "tool results",
  "assistant",
  "user",
  "summary",
  "restatement",
];

/** Colour classes, in the order of CATEGORIES. */
export const COLOURS = ["system", "task", "tool", "assistant", "user", "summary", "restatement"];

/** An element with properties or attributes, and children. */
export function element(tag, settings = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(settings)) {
    if (key in node && key !== "role") node[key] = value;
    else node.setAttribute(key, value);
  }
  // Without this a key pressed here is also a command of the notebook ("dd" deletes the cell).
  if (ACTING.test(tag) || "tabIndex" in settings) node.setAttribute("data-lm-suppress-shortcuts", "true");
  node.append(...children);
  return node;
}

/** Call `act` when a control's value was changed; JupyterLab keeps Enter from doing that by itself. */
export function onChange(control, act) {
  control.addEventListener("change", act);
  control.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || control.type === "checkbox") return;
    control.blur();
    control.focus();
  });
}

/** An SVG element with attributes, and text. */
export function shape(tag, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  return node;
}

/** Set text only where it differs, so that a screen reader hears changes and nothing else. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Show or hide without a layout trace. */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** True on a page whose ground is dark. */
export const isDark = () =>
  document.querySelector('body[data-jp-theme-light="false"], html[theme="dark"], html[data-theme="dark"]') !== null ||
  /\bvscode-(dark|high-contrast)\b/.test(document.body.className);

/** 12,345 whatever the browser's language, as in the snapshot and in Python. */
export const count = (n) => Math.round(n ?? 0).toLocaleString("en-US");

/** Whole percents, rounded down as in the snapshot: nothing is full, or over, before it is. */
export const percent = (ratio) => {
  const whole = Math.floor(100 * ratio + 1e-9);
  return ratio > 0 && whole === 0 ? "<1%" : `${whole}%`;
};

/** 16k for an axis. */
export const thousands = (n) => (n >= 1000 ? `${+(n / 1000).toFixed(1)}k` : `${n}`);

export const sum = (row) => {
  let total = 0;
  for (let i = 1; i < row.length; i++) total += row[i];
  return total;
};
