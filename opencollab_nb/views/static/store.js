// What the page knows of one session: fed by the kernel's messages, shared by all views of one model.

import { isDark } from "./dom.js";
import { Lens } from "./lens.js";

const MOST_LINES = 200;
const MOST_ROWS = 12000;
const QUEUED_MS = 400;
const SILENT_MS = 5000;
const ASK_AGAIN_MS = [300, 600, 1200, 2400, 4800, 9600];

export class Store {
  constructor(model) {
    this.model = model;
    this.views = new Set();
    this.timers = new Set();
    this.page = Math.floor(Math.random() * 2 ** 31);
    this.number = 0;
    this.seq = 0;
    this.asked = false;
    this.asks = 0;
    this.alive = true;
    this.waiting = new Map(); // number of an order -> {verb, since}
    this.asking = new Map(); // number of a question -> what takes its answer, and the question
    this.answer = { ok: true, text: "" };
    this.problem = "";
    this.told = null; // the theme that the kernel knows of
    this.lens = new Lens(this);
    this.fills = 0; // whole pictures so far: what was asked of a former one may be of another session
    this.clear();
  }

  clear() {
    this.rows = [];
    this.marks = [];
    this.log = [];
    this.logged = 0; // lines ever added: tells a view what it has not drawn yet
    this.state = null;
  }

  /** Ask for the whole picture; once, until it has come. */
  begin() {
    if (this.asked) return;
    this.asked = true;
    this.asks += 1;
    this.sendAsk(this.asks, 0);
  }

  /** Again, for a message sent before the page has a subshell of its own waits for the cells that run. */
  sendAsk(ask, tries) {
    if (!this.asked || ask !== this.asks) return;
    this.told = isDark();
    this.model.send({ kind: "ready", page: this.page, ask, dark: this.told });
    if (tries < ASK_AGAIN_MS.length) this.later(ASK_AGAIN_MS[tries], () => this.sendAsk(ask, tries + 1));
  }

  /** Tell the kernel of another theme, for figures that are made there. */
  tellTheme() {
    if (this.asked || !this.alive || this.told === isDark()) return;
    this.told = isDark();
    this.model.send({ kind: "theme", dark: this.told });
  }

  /** Order something of the session. Answered by one ack of the same number. */
  order(verb, argument = null) {
    if (!this.alive) return;
    const number = ++this.number;
    this.answer = { ok: true, text: "" };
    this.waiting.set(number, { verb, since: performance.now(), asks: this.asks });
    this.model.send({ kind: "do", page: this.page, number, verb, argument });
    this.later(QUEUED_MS + 20);
    this.later(SILENT_MS + 20);
    this.changed();
  }

  /** Ask to see something. `take(body, buffers)` is called once, without a body where there is none. */
  ask(what, numbers, take) {
    if (!this.alive) return;
    const number = ++this.number;
    const message = { kind: "ask", page: this.page, number, what, numbers };
    this.asking.set(number, { take, message, asks: this.asks });
    this.model.send(message);
  }

  /**
   * The picture that was asked for because a message got lost: an answer may have been lost too. What was asked before
   * is asked again; what was ordered before was done, and the picture shows what came of it.
   */
  again() {
    for (const [number, order] of this.waiting) if (order.asks < this.asks) this.waiting.delete(number);
    for (const question of this.asking.values()) {
      if (question.asks === this.asks) continue;
      question.asks = this.asks;
      this.model.send(question.message);
    }
  }

  later(ms, act = () => this.changed()) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }

  /** How long the oldest unanswered order of this verb has waited, in ms; null if none waits. */
  waited(verb) {
    let longest = null;
    for (const order of this.waiting.values()) {
      if (verb && order.verb !== verb) continue;
      longest = Math.max(longest ?? 0, performance.now() - order.since);
    }
    return longest;
  }

  queued(verb) {
    return (this.waited(verb) ?? 0) >= QUEUED_MS;
  }

  get silent() {
    return (this.waited() ?? 0) >= SILENT_MS;
  }

  /** Take one message of the kernel. */
  take(message, buffers = []) {
    this.alive = true;
    this.problem = message.state?.problem ?? this.problem;
    if (message.kind === "full") this.fill(message);
    else if (this.state === null || message.seq !== this.seq + 1) this.begin();
    this.seq = message.seq;
    if (message.kind === "ack" && message.page === this.page) this.acknowledge(message);
    if (message.kind !== "full" && this.state) this.add(message);
    if (message.map && this.state) this.lens.take(message.map, buffers[0]);
    if (message.kind === "answer" && message.page === this.page) this.answered(message, buffers);
    this.changed();
  }

  fill(message) {
    this.clear();
    this.fills += 1;
    // Of another session nothing that was looked at is there.
    const another = this.path !== undefined && this.path !== message.state.path;
    if (another) this.lens = new Lens(this);
    this.path = message.state.path;
    this.lens.filled();
    if (this.asked && !another) this.again();
    this.asked = false;
    this.rows = message.rows;
    this.marks = message.marks;
    this.append(message.log);
    this.state = message.state;
  }

  add(message) {
    for (const row of message.rows ?? []) {
      if (this.rows.length && this.rows[this.rows.length - 1][0] === row[0]) this.rows.pop();
      this.rows.push(row);
    }
    if (this.rows.length > MOST_ROWS) this.rows = this.rows.filter((_, i) => i % 2 || i > MOST_ROWS / 2);
    this.marks.push(...(message.marks ?? []));
    this.append(message.log ?? []);
    const rest = message.state?.run && !/^(running|pausing)$/.test(message.state.run);
    if (rest && this.answer.ok && this.answer.moves) this.answer = { ok: true, text: "" };
    Object.assign(this.state, message.state);
  }

  append(lines) {
    this.log.push(...lines);
    this.logged += lines.length;
    if (this.log.length > MOST_LINES) this.log.splice(0, this.log.length - MOST_LINES);
  }

  acknowledge({ number, ok, text }) {
    const verb = this.waiting.get(number)?.verb;
    this.waiting.delete(number);
    this.answer = { ok, text, moves: /^(step|run|pause|stop)$/.test(verb) };
  }

  answered(message, buffers) {
    const question = this.asking.get(message.number);
    if (!question) return;
    this.asking.delete(message.number);
    if (!message.ok) this.answer = message;
    question.take(message.ok ? message.body : null, buffers);
  }

  /** The kernel is gone or was restarted; a message of it would prove otherwise. */
  lost() {
    this.alive = false;
    this.asked = false;
    this.waiting.clear();
    this.asking.clear();
    this.lens.lost();
    this.changed();
  }

  changed() {
    for (const view of this.views) view.changed();
  }

  close() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
