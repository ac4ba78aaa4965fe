// The lanes of a team: who made which step when, what was said to whom, who was spawned, shaped, ran out.

import { count, element, put } from "./dom.js";
import { MERGE_PX, lastStep } from "./scale.js";
import { KINDS, LEGEND, eventWords, laneWords, stepWords } from "./teamwords.js";
import { AXIS, Places, TOP, arrival, paintAxis, paintChosen, paintGround, paintLetters, paintMoments, paintOpen, paintSteps } from "./teampen.js";

const TALLS = [[4, 54], [8, 42], [Infinity, 30]]; // pixels a lane, for up to so many
const NEAR_PX = 8;
const PAGE = 10;
const HINT = "Point at the lanes, or use the arrow keys on them. Click a member, or press Enter, for its own panel.";

export class Lanes {
  constructor(store) {
    this.store = store;
    this.events = [];
    this.cursor = -1;
    this.hover = null;
    this.about = element("span", { className: "oc-quiet oc-number" });
    this.names = element("div", { className: "oc-lane-names" });
    this.canvas = element("canvas", { className: "oc-lanes", tabIndex: 0, role: "slider" });
    this.canvas.setAttribute("aria-label", "Messages and moments of the team");
    this.still = element("canvas");
    this.probe = element("span", { hidden: true });
    this.told = element("p", { className: "oc-told oc-number", dir: "auto" });
    const chips = LEGEND.map(([sign, word, title]) =>
      element("span", { title }, element("b", { className: `oc-sign oc-team-${sign}`, "aria-hidden": "true" }), word),
    );
    this.nodes = [
      element(
        "section",
        { className: "oc-team-lanes" },
        element("h3", {}, "Lanes ", this.about),
        element("div", { className: "oc-lane-box" }, this.names, element("div", { className: "oc-lane-place" }, this.canvas, this.probe)),
        this.told,
        element("div", { className: "oc-chips" }, ...chips),
      ),
    ];
    this.canvas.addEventListener("pointermove", (event) => this.point(event.offsetX, event.offsetY));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("click", (event) => this.open(this.laneAt(event.offsetY)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => this.go(this.cursor < 0 ? this.events.length - 1 : this.cursor));
    this.canvas.addEventListener("blur", () => this.paint());
    this.tell("");
  }

  tell(text) {
    put(this.told, text || HINT);
    this.told.classList.toggle("oc-quiet", !text);
  }

  draw(width) {
    const { store } = this;
    const { state, lanes } = store;
    const gone = store.first ? `, from step ${count(store.first + 1)} on` : "";
    put(this.about, `${count(state.step)} steps of ${count(lanes.length)} members, in their order${gone}`);
    this.tall = TALLS.find(([most]) => lanes.length <= most)[1];
    this.drawNames();
    this.width = Math.max(Math.floor(width - this.names.offsetWidth - 10), 160);
    this.places = new Places(this.width, this.tall, lastStep(Math.max(state.step, 1), null), store.first);
    this.lay();
    this.paintLanes();
    this.paint();
    const aria = { min: this.events.length ? 1 : 0, max: this.events.length, now: Math.max(this.cursor, 0) + 1 };
    for (const [name, value] of Object.entries(aria)) this.canvas.setAttribute(`aria-value${name}`, value);
  }

  /** One button a member, at the height of its lane. */
  drawNames() {
    const { store } = this;
    while (this.names.childElementCount > store.lanes.length) this.names.lastElementChild.remove();
    store.lanes.forEach((lane, at) => {
      const figures = store.figures[at];
      if (!this.names.children[at]) this.names.append(this.button(at));
      const button = this.names.children[at];
      const [dot, name, outcome] = button.children;
      button.style.height = `${this.tall - 5}px`;
      // A member at work rests while its team does.
      const calm = figures.outcome === "at work" && !/^(running|pausing)$/.test(store.state.run);
      dot.className = `oc-dot ${calm ? "" : (DOTS[figures.outcome] ?? "")}`;
      put(name, lane.name);
      put(outcome, figures.outcome);
      const open = store.state.open?.[0] === at;
      button.setAttribute("aria-expanded", String(open));
      button.setAttribute("aria-label", `${laneWords(lane, figures)}. ${open ? "Close" : "Show"} its own panel`);
      button.title = `${laneWords(lane, figures)}${lane.task ? `\n${lane.task}` : ""}`;
    });
  }

  button(at) {
    const parts = [element("span", { className: "oc-dot" }), element("b", { dir: "auto" }), element("span", { className: "oc-quiet" })];
    const button = element("button", { type: "button", className: "oc-lane-name" }, ...parts);
    button.addEventListener("click", () => this.open(at));
    return button;
  }

  open(at) {
    const { store } = this;
    if (!store.lanes[at] || store.waited("open") !== null) return;
    store.order("open", store.state.open?.[0] === at ? null : at);
  }

  /** All that can be pointed at, in its order; of one lane's shapings those close together as one. */
  lay() {
    const { store, places } = this;
    const chosen = this.events[this.cursor];
    const last = new Map();
    const found = [];
    for (const letter of store.letters.values()) {
      if (letter.tick >= store.first) found.push({ ...letter, letter: true, x: places.x(letter.tick + (letter.from < 0 ? 0 : 0.5)) });
    }
    for (const moment of store.moments) {
      if (moment.tick < store.first) continue;
      const x = places.x(moment.tick + (moment.kind === "layer" ? 0.5 : 0));
      const near = moment.kind === "layer" ? last.get(moment.lane) : null;
      if (near && x - near.x < MERGE_PX) {
        near.times += 1;
        if (!near.text.includes(moment.text)) near.text += `, ${moment.text}`;
        continue;
      }
      const event = { ...moment, x, times: 1 };
      found.push(event);
      if (moment.kind === "layer") last.set(moment.lane, event);
    }
    found.sort((a, b) => a.tick - b.tick);
    this.events = found;
    if (chosen) this.cursor = found.findIndex((e) => e.number === chosen.number && e.tick === chosen.tick && e.kind === chosen.kind && e.lane === chosen.lane);
    if (this.cursor >= found.length) this.cursor = found.length - 1;
    this.hover = null;
  }

  /** All lanes, onto a canvas that is not on the page: what is pointed at comes over a copy of it. */
  paintLanes() {
    const { store, places, canvas, still } = this;
    const scale = globalThis.devicePixelRatio || 1;
    const tall = TOP + store.lanes.length * this.tall + AXIS;
    for (const one of [canvas, still]) {
      one.width = Math.round(this.width * scale);
      one.height = Math.round(tall * scale);
    }
    canvas.style.width = `${this.width}px`;
    canvas.style.height = `${tall}px`;
    this.ink = this.colours();
    const pen = still.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    pen.textBaseline = "middle";
    paintGround(pen, store, places, this.ink);
    paintSteps(pen, store, places, this.ink);
    paintAxis(pen, places, store.lanes.length, this.ink);
    paintLetters(pen, this.events, places, this.ink);
    paintMoments(pen, this.events, places, this.ink);
    if (store.state.open) paintOpen(pen, store.state.open[0], places, this.ink);
  }

  paint() {
    const { places, canvas, still } = this;
    if (!places || !canvas.isConnected || !still.width) return;
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(still, 0, 0);
    pen.scale(canvas.width / this.width, canvas.width / this.width);
    const at = this.hover ?? (document.activeElement === canvas ? this.events[this.cursor] : null);
    if (at) paintChosen(pen, at, places, this.ink);
  }

  colours() {
    const read = (name) => {
      this.probe.style.color = `var(--oc-${name})`;
      return getComputedStyle(this.probe).color;
    };
    const names = ["ink", "quiet", "ground", "free", "line", "accent", "bad", "good", "summary"];
    const ink = Object.fromEntries(names.map((name) => [name, read(name)]));
    return { ...ink, kinds: KINDS.map((kind) => read(COLOURS_OF[kind])) };
  }

  laneAt(y) {
    return Math.floor((y - TOP) / this.tall);
  }

  /** Where an event can be pointed at: both ends of a message. */
  ends(event) {
    if (event.letter) return [[event.from, event.x], [event.to, arrival(event, this.places)]];
    return event.kind === "spawn" ? [[event.other, event.x], [event.lane, event.x]] : [[event.lane, event.x]];
  }

  point(x, y) {
    const lane = this.laneAt(y);
    let [nearest, found] = [NEAR_PX, null];
    for (const event of this.events) {
      for (const [at, place] of this.ends(event)) {
        const far = Math.abs(place - x);
        if (far < nearest && (at === lane || (at < 0 && y < TOP))) [nearest, found] = [far, event];
      }
    }
    if (found !== this.hover) {
      this.hover = found;
      this.paint();
    }
    this.tell(found ? eventWords(this.store, found) : this.stepAt(lane, x));
  }

  /** The newest step of a lane at a place. */
  stepAt(lane, x) {
    const { store, places } = this;
    const from = Math.min(places.tickAt(x), store.tick - 1);
    for (let tick = from; tick >= store.first && tick > from - store.lanes.length - 2; tick--) {
      if (store.steps[tick - store.first].lane === lane) return stepWords(store, tick);
    }
    return store.lanes[lane] ? laneWords(store.lanes[lane], store.figures[lane]) : "";
  }

  leave() {
    this.hover = null;
    this.tell("");
    this.paint();
  }

  go(at) {
    if (!this.events.length) return;
    this.cursor = Math.min(Math.max(at, 0), this.events.length - 1);
    this.hover = null;
    const text = eventWords(this.store, this.events[this.cursor]);
    this.canvas.setAttribute("aria-valuenow", this.cursor + 1);
    this.canvas.setAttribute("aria-valuetext", text);
    this.tell(text);
    this.paint();
  }

  /** The lane of what the keys are at. */
  lane() {
    const event = this.events[this.cursor];
    return event ? (event.letter ? event.to : event.lane) : 0;
  }

  key(event) {
    const end = this.events.length;
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -PAGE, PageDown: PAGE, Home: -end, End: end }[event.key];
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by !== undefined) this.go(this.cursor + by);
    else if (way !== undefined) this.goLane(way);
    else if (event.key === "Enter" || event.key === " ") this.open(this.lane());
    else return;
    event.preventDefault();
  }

  /** To what lies nearest on the next lane that has anything. */
  goLane(way) {
    const here = this.events[this.cursor];
    if (!here) return;
    for (let lane = this.lane() + way; lane >= 0 && lane < this.store.lanes.length; lane += way) {
      const own = this.events.filter((e) => (e.letter ? e.to : e.lane) === lane);
      if (!own.length) continue;
      own.sort((a, b) => Math.abs(a.x - here.x) - Math.abs(b.x - here.x));
      this.go(this.events.indexOf(own[0]));
      return;
    }
  }
}

const DOTS = { "at work": "oc-is-running", waiting: "oc-is-paused", finished: "oc-is-done", "ran out": "oc-is-stopped", failed: "oc-is-stopped", stopped: "oc-is-stopped" };
const COLOURS_OF = { tools: "tool", talk: "restatement", wait: "system", answer: "assistant" };
