// What the page knows of one session: fed by the kernel's messages, shared by all views of one model.

import { Lens } from "./lens.js";
import { Wire } from "./wire.js";

const MOST_ROWS = 12000;

export class Store extends Wire {
  constructor(model) {
    super(model);
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

  /** True where it is of the session that was shown before. Of another one nothing that was looked at is there. */
  fill(message, buffers) {
    this.clear();
    this.fills += 1;
    const same = this.path === undefined || this.path === message.state.path;
    if (!same) this.lens = new Lens(this);
    this.path = message.state.path;
    this.lens.filled();
    this.rows = message.rows;
    this.marks = message.marks;
    this.append(message.log);
    this.state = message.state;
    this.mapped(message, buffers);
    return same;
  }

  add(message, buffers) {
    for (const row of message.rows ?? []) {
      if (this.rows.length && this.rows[this.rows.length - 1][0] === row[0]) this.rows.pop();
      this.rows.push(row);
    }
    if (this.rows.length > MOST_ROWS) this.rows = this.rows.filter((_, i) => i % 2 || i > MOST_ROWS / 2);
    this.marks.push(...(message.marks ?? []));
    this.append(message.log ?? []);
    Object.assign(this.state, message.state);
    this.mapped(message, buffers);
  }

  mapped(message, buffers) {
    if (message.map) this.lens.take(message.map, buffers[0]);
  }

  /** The kernel is gone or was restarted; a message of it would prove otherwise. */
  lost() {
    this.lens.lost();
    super.lost();
  }
}
