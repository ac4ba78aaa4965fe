// The map of one request as the kernel sends it: 18 bytes a message, and splices of what is new.

import { count } from "./dom.js";

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

/**
 * Where a row of a former map is in these: the same message; of a summary or a tail, which a round makes anew, the
 * nearest one. -1 where there is none.
 */
export function placeOf(rows, row, near) {
  const same = row.id >= 0 ? (other) => other.id === row.id : (other) => other.id < 0 && other.state === row.state;
  let place = -1;
  rows.forEach((other, at) => {
    if (same(other) && (place < 0 || Math.abs(at - near) < Math.abs(place - near))) place = at;
  });
  return place;
}

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

/** A row in words: which message, who, tokens, state, why. */
export function rowWords(map, row, run = 1, byHand = false) {
  const why = map.whys[row.why] ? `: ${map.whys[row.why]}` : "";
  if (run > 1) return `${count(run)} messages from ${row.id} on · ${STATES[row.state]}${why} · all in the transcript`;
  if (isSummary(row)) return `summary · stands for ${count(standsFor(row))} earlier messages · ${count(map.tokens(row.sent))} tokens`;
  if (STATES[row.state] === "tail") return `tail · of this request only · ${count(map.tokens(row.sent))} tokens`;
  const tool = map.tools[row.tool];
  const kind = ["system", "task", "tool result", "reply", "user", "summary", "restatement"][row.kind];
  const who = tool ? (row.kind === 2 ? `${kind} of ${tool}` : `${kind}, calls ${tool}`) : kind;
  const [sent, stored] = [map.tokens(row.sent), map.tokens(row.stored)];
  const tokens = sent === stored ? `${count(sent)} tokens` : `${count(sent)} of ${count(stored)} tokens`;
  const pinned = byHand || row.pin === 2 ? " · pinned by hand" : row.pin ? " · always kept" : "";
  return `message ${row.id} · ${who} · ${tokens} · ${STATES[row.state]}${why}${pinned}`;
}
