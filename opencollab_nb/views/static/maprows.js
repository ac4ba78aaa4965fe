// The map of one request as the kernel sends it: 18 bytes a message, and splices of what is new.

const ROW = 18;
export const KINDS = ["system and tools", "task", "tool results", "assistant", "user", "summary", "restatement"];
export const STATES = [
  "verbatim", "capped", "cleared", "rewritten", "snipped", "shed", "summarized", "summary", "tail", "offloaded",
];
const GONE = 4; // states from here on to SUMMARY are not sent
const SUMMARY = 7;

export class MapRows {
  constructor() {
    this.facts = { step: 0, tokens: 0, overhead: 0, ratio: 1, window: null, trigger: 0, target: 0 };
    this.rows = [];
    this.whys = [];
    this.tools = [];
    this.version = 0;
  }

  /** Take what is new: splices of rows, ends of the tables of words, facts. */
  take({ cut, whys, tools, ...facts }, bytes) {
    Object.assign(this.facts, facts);
    this.whys.push(...(whys ?? []));
    this.tools.push(...(tools ?? []));
    let from = 0;
    for (const [at, gone, come] of cut ?? []) {
      const fresh = [];
      for (let i = 0; i < come; i++) fresh.push(readRow(bytes, (from + i) * ROW));
      from += come;
      // In pieces: an engine limits how many arguments one call takes.
      this.rows.splice(at, gone);
      for (let i = 0; i < fresh.length; i += 1000) this.rows.splice(at + i, 0, ...fresh.slice(i, i + 1000));
    }
    this.version += 1;
    return this;
  }

  tokens(measured) {
    return Math.round(measured * this.facts.ratio);
  }

  /** How many messages are stored, and how many of this request's are sent. */
  counts() {
    const stored = this.rows.filter((row) => row.id >= 0).length;
    return [stored, this.rows.filter((row) => !isGone(row)).length];
  }
}

export const isGone = (row) => row.state >= GONE && row.state < SUMMARY;
export const isSummary = (row) => row.state === SUMMARY;
export const standsFor = (row) => -1 - row.id;

function readRow(view, at) {
  return {
    id: view.getInt32(at, true),
    sent: view.getUint32(at + 4, true),
    stored: view.getUint32(at + 8, true),
    why: view.getUint16(at + 12, true),
    kind: view.getUint8(at + 14),
    state: view.getUint8(at + 15),
    tool: view.getUint8(at + 16),
    pin: view.getUint8(at + 17),
  };
}

/** Cells of a strip: a message each, a run of messages that are not sent as one. */
export function cellsOf(rows) {
  const cells = [];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    let end = i;
    if (isGone(row)) while (end + 1 < rows.length && rows[end + 1].state === row.state) end += 1;
    cells.push({ from: i, to: end, row, count: end - i + 1 });
    i = end;
  }
  return cells;
}
