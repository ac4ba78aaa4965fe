// What the page knows of one team: lanes, all steps in their order, messages, moments, the books.

import { Wire } from "./wire.js";

const STEP_BYTES = 6;
const FAILED_BIT = 4;
const MOST_STEPS = 40000;
const MOST_MOMENTS = 4000;

export class TeamStore extends Wire {
  constructor(model) {
    super(model);
    this.clear();
  }

  clear() {
    this.first = 0; // tick of the first step that is known here
    this.steps = []; // {lane, kind, failed, tokens} a tick
    this.letters = new Map(); // number -> {number, tick, from, to, about, text, got, outcome}
    this.moments = []; // {tick, lane, kind, text, other}
    this.lanes = []; // {name, role, parent, began, task}
    this.figures = []; // {outcome, steps, granted, used, reserved, returned, trigger}
    this.log = [];
    this.logged = 0; // lines ever added: tells a view what it has not drawn yet
    this.state = null;
  }

  /** Steps of the team so far. */
  get tick() {
    return this.first + this.steps.length;
  }

  /** A panel shows one team as long as it lives. */
  fill(message, buffers) {
    this.clear();
    this.first = message.first;
    this.state = {};
    this.add(message, buffers);
    return true;
  }

  add(message, buffers) {
    Object.assign(this.state, message.state);
    for (const [at, [name, role, parent, began, task]] of Object.entries(message.lanes ?? {})) {
      this.lanes[at] = { name, role, parent, began, task };
    }
    for (const [at, [outcome, steps, granted, used, reserved, returned, trigger]] of Object.entries(message.figures ?? {})) {
      this.figures[at] = { outcome, steps, granted, used, reserved, returned, trigger };
    }
    if (message.first !== undefined) this.takeSteps(buffers[0]);
    for (const [number, tick, from, to, about, text, got, outcome] of message.letters ?? []) {
      this.letters.set(number, { number, tick, from, to, about, text, got, outcome });
    }
    for (const [number, tick] of message.got ?? []) {
      const letter = this.letters.get(number);
      if (letter) letter.got = tick;
    }
    for (const [tick, lane, kind, text, other] of message.moments ?? []) this.moments.push({ tick, lane, kind, text, other });
    if (this.moments.length > MOST_MOMENTS) this.moments.splice(0, this.moments.length - MOST_MOMENTS);
    this.append(message.log ?? []);
  }

  takeSteps(bytes) {
    const end = bytes.byteLength - STEP_BYTES;
    for (let at = 0; at <= end; at += STEP_BYTES) {
      const word = bytes.getUint32(at + 2, true);
      const did = word >>> 24;
      const step = { lane: bytes.getUint16(at, true), kind: did % FAILED_BIT, failed: did >= FAILED_BIT, tokens: word & 0xffffff };
      this.steps.push(step);
    }
    if (this.steps.length <= MOST_STEPS) return;
    const gone = this.steps.length - MOST_STEPS / 2;
    this.steps.splice(0, gone);
    this.first += gone;
  }

  /** The number that a member gave to its step at a tick. */
  ownNumber(lane, tick) {
    let later = 0;
    for (let at = tick + 1 - this.first; at < this.steps.length; at++) later += this.steps[at].lane === lane;
    return this.figures[lane].steps - later;
  }

  nameOf(lane) {
    if (lane === -1) return "you";
    return lane < 0 ? "the harness" : (this.lanes[lane]?.name ?? "?");
  }
}
