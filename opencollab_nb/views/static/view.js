// One place where a session is shown. Drawn at most once a frame, and only when something changed.

import { element, put, show } from "./dom.js";
import { Rounds } from "./cards.js";
import { Chart } from "./chart.js";
import { Editor } from "./editor.js";
import { Family } from "./family.js";
import { Header } from "./header.js";
import { Log } from "./log.js";
import { ContextMap } from "./map.js";
import { MessageView } from "./message.js";
import { Meter } from "./meter.js";
import { Direction, Quotas } from "./moves.js";
import { WhatIf } from "./whatif.js";

const WAIT_MS = 5000;

export class View {
  constructor(store, place) {
    this.store = store;
    this.place = place;
    this.frame = 0;
    this.state = null;
    const [header, meter, chart, map] = [new Header(store), new Meter(store), new Chart(store), new ContextMap(store)];
    const [editor, message, whatif] = [new Editor(store), new MessageView(store), new WhatIf(store)];
    const [family, rounds, log] = [new Family(store), new Rounds(store), new Log(store)];
    this.parts = [header, meter, chart, family, map, editor, message, whatif, rounds, log];
    this.chart = chart;
    this.log = log;
    const right = element("div", { className: "oc-right-side" }, ...whatif.nodes, ...message.nodes);
    const [quotas, direction] = [new Quotas(store), new Direction(store)];
    this.parts.push(quotas, direction);
    const two = element("div", { className: "oc-two" }, ...editor.nodes, right);
    const rest = [two, ...family.nodes, ...rounds.nodes, ...log.nodes];
    this.root = element("div", { className: "oc-panel", role: "region", hidden: true });
    this.root.append(...header.nodes, ...meter.nodes, ...quotas.nodes, ...chart.nodes, ...map.nodes, ...direction.nodes, ...rest, log.foot);
    this.empty = element("p", { className: "oc-empty", textContent: "…" });
    place.replaceChildren(this.empty, this.root);
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
    this.root.setAttribute("aria-label", `Session ${store.state.name}`);
    if (store.state !== this.state) this.log.reset();
    this.state = store.state;
    const width = this.root.clientWidth - 28;
    this.chart.resize(width);
    for (const part of this.parts) part.draw(width);
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
