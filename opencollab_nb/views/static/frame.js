// One place where a store is shown. Drawn at most once a frame, and only when something changed.

import { element, put, show } from "./dom.js";

const WAIT_MS = 5000;

export class Frame {
  /**
   * `build(store, model)` gives the nodes, the parts that draw them, and `label(state)` for a screen reader; besides, `kind`
   * is a class for the style sheet, and `below` are nodes that stand outside of the panel.
   */
  constructor(store, place, build, model) {
    this.store = store;
    this.place = place;
    this.frame = 0;
    this.state = null;
    const { nodes, parts, label, kind = "", below = [] } = build(store, model);
    this.parts = parts;
    this.label = label;
    this.root = element("div", { className: `oc-panel ${kind}`, role: "region", hidden: true });
    this.root.append(...nodes);
    this.empty = element("p", { className: "oc-empty", textContent: "…" });
    place.replaceChildren(this.empty, this.root, ...below);
    this.suppressShortcuts();
    this.timer = setTimeout(() => {
      this.empty.textContent = "The live panel needs its kernel: run this cell again.";
    }, WAIT_MS);
    this.sizes = new ResizeObserver(() => this.changed());
    this.sizes.observe(this.root);
    // A canvas does not take on the colours of another theme by itself.
    this.theme = new MutationObserver(() => this.changed());
    const attributes = { attributeFilter: ["class", "data-jp-theme-light", "data-theme", "theme"] };
    for (const node of [document.documentElement, document.body]) this.theme.observe(node, attributes);
    store.views.add(this);
    this.changed();
  }

  /** Without this a key pressed on a part of the panel is also a command of the notebook ("dd" deletes the cell). */
  suppressShortcuts() {
    for (const node of this.root.querySelectorAll("button, select, input, [tabindex]")) {
      node.setAttribute("data-lm-suppress-shortcuts", "true");
    }
  }

  changed() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    const { store } = this;
    const live = store.state !== null;
    show(this.root, live);
    show(this.empty, !live);
    if (store.problem) put(this.empty, store.problem);
    if (!live) return;
    clearTimeout(this.timer);
    store.tellTheme();
    // The mark that lets the style sheet hide the snapshot.
    this.root.classList.add("oc-live");
    this.root.classList.toggle("oc-dead", !store.alive);
    this.root.setAttribute("aria-label", this.label(store.state));
    if (store.state !== this.state) for (const part of this.parts) part.reset?.();
    this.state = store.state;
    const width = this.root.clientWidth - 28;
    for (const part of this.parts) part.resize?.(width);
    for (const part of this.parts) part.draw(width);
  }

  close() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.sizes.disconnect();
    this.theme.disconnect();
    this.store.views.delete(this);
    for (const part of this.parts) part.close?.();
    this.place.replaceChildren();
  }
}
