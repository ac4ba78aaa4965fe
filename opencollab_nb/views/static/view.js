// One place where a session is shown.

import { element } from "./dom.js";
import { Rounds } from "./cards.js";
import { Chart } from "./chart.js";
import { Editor } from "./editor.js";
import { Family } from "./family.js";
import { Frame } from "./frame.js";
import { Header } from "./header.js";
import { Log } from "./log.js";
import { ContextMap } from "./map.js";
import { MessageView } from "./message.js";
import { Meter } from "./meter.js";
import { Direction, Quotas } from "./moves.js";
import { WhatIf } from "./whatif.js";

export class View {
  constructor(store, place) {
    this.store = store;
    this.state = null;
    this.frame = new Frame(store, place, (width) => this.draw(width));
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
    const { root } = this.frame;
    root.append(...header.nodes, ...meter.nodes, ...quotas.nodes, ...chart.nodes, ...map.nodes, ...direction.nodes, ...rest, log.foot);
    this.frame.suppressShortcuts();
    this.frame.changed();
  }

  draw(width) {
    const { store, frame } = this;
    frame.root.setAttribute("aria-label", `Session ${store.state.name}`);
    if (store.state !== this.state) this.log.reset();
    this.state = store.state;
    this.chart.resize(width);
    for (const part of this.parts) part.draw(width);
  }

  close() {
    this.frame.close();
  }
}
