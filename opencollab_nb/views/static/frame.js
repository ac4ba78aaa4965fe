// The place where a panel is shown: drawn at most once a frame, and only when something changed.

import { element, put, show } from "./dom.js";

const WAIT_MS = 5000;

export class Frame {
  /** `draw(width)` is called once there is something to draw; it fills `root`. */
  constructor(store, place, draw) {
    this.store = store;
    this.place = place;
    this.draw = draw;
    this.frame = 0;
    this.root = element("div", { className: "oc-panel", role: "region", hidden: true });
    this.empty = element("p", { className: "oc-empty", textContent: "…" });
    place.replaceChildren(this.empty, this.root);
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
  }

  /** Without this a key pressed on a part of the panel is also a command of the notebook ("dd" deletes the cell). */
  suppressShortcuts() {
    for (const node of this.root.querySelectorAll("button, select, input, [tabindex]")) {
      node.setAttribute("data-lm-suppress-shortcuts", "true");
    }
  }

  changed() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  paint() {
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
    this.draw(this.root.clientWidth - 28);
  }

  close() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.sizes.disconnect();
    this.theme.disconnect();
    this.store.views.delete(this);
    this.place.replaceChildren();
  }
}
