// The context map: what is in a request, message by message, with its legend.

import { count, element, put } from "./dom.js";
import { STATE_SAYS } from "./says.js";
import { Strip } from "./strip.js";

const SENT = ["verbatim", "offloaded", "capped", "cleared", "rewritten", "stands for others", "tail"];
const NOT_SENT = ["snipped", "shed", "summarized"];
const ROOM = ["free", "reserve"];

export class ContextMap {
  constructor(store) {
    this.store = store;
    this.about = element("span", { className: "oc-quiet oc-number" });
    this.title = element("h3", {}, this.about);
    this.told = element("p", { className: "oc-told oc-number", dir: "auto" });
    this.strip = new Strip("Messages of the request", (at) => store.lens.pick(at), (text) => this.tell(text));
    this.name = element("span", { textContent: "What is in the request" });
    this.title.prepend(this.name);
    const sign = (name) => {
      const mark = element("b", { className: `oc-sign oc-sign-${name.replace(/ .*/, "")}`, "aria-hidden": "true" });
      return element("span", { title: STATE_SAYS[name] }, mark, name);
    };
    const pin = element("span", { title: "No shaper may change or leave out this message." }, element("i", { textContent: "▲", "aria-hidden": "true" }), " pinned");
    const gone = element("span", { className: "oc-signs", title: STATE_SAYS["not sent"] }, "not sent:", ...NOT_SENT.map(sign));
    const legend = element("div", { className: "oc-chips oc-legend" }, ...SENT.map(sign), pin, gone, ...ROOM.map(sign));
    this.hint = "Point at a cell, or use ← and →; click or Enter shows the message. Width is tokens as sent.";
    this.nodes = [element("section", { className: "oc-map" }, this.title, this.strip.node, this.told, legend)];
  }

  tell(text) {
    put(this.told, text || this.hint);
    this.told.classList.toggle("oc-quiet", !text);
  }

  draw(width) {
    const { lens, state } = this.store;
    const { map } = lens;
    const [stored, sent] = map.counts();
    const step = map.facts.step;
    put(this.name, step ? `What is in the request at step ${count(step)}` : "What is in the request");
    put(this.about, step ? `${count(stored)} messages stored, ${count(sent)} sent, ${count(map.facts.tokens)} tokens` : "none sent yet");
    if (map !== this.shown) this.tell("");
    this.shown = map;
    this.strip.draw(map, width, lens.at, lens.step === null ? state.pins : []);
  }
}
