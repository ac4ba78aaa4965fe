// Words for what stands on the lanes: for the line below them, for screen readers, for the legend.

import { count } from "./dom.js";

/** What a step did, in the order of its numbers. */
export const KINDS = ["tools", "talk", "wait", "answer"];
const DID = ["called tools", "wrote to others or spawned", "waited", "called no tool"];
const ABOUT = { message: "message", task: "task", result: "result", note: "note" };

/** Sign, word and explanation of each entry of the legend. */
export const LEGEND = [
  ["step-tools", "calls tools", "A step that called tools of the workspace. Its height is the size of its request; the top of a lane is the trigger."],
  ["step-talk", "writes or spawns", "A step that only wrote to other members, or gave one a task."],
  ["step-wait", "waits", "A step that ended with waiting for what comes in."],
  ["step-answer", "calls nothing", "A step without a tool call: the member says that it is through, or where it stands."],
  ["failed", "a tool failed", "A red foot: a tool that the step called gave back an error."],
  ["letter", "message", "From who sent it to who reads it before the next step. A ring: sent, an arrow: arrived."],
  ["spawn", "task, spawn", "One member gives another one a task."],
  ["layer", "shaped", "A shaper made the request of a member smaller: cleared, snipped, compacted."],
  ["out", "ran out", "The allowance, or the team's pool, was used up: the next call was not made."],
  ["end", "end", "A member has finished, green, or ended without, red. A message may wake it."],
];

/** One line on a message or a moment. */
export function eventWords(store, event) {
  const at = `after step ${count(event.tick)}`;
  if (event.letter) {
    const arrived = event.got < 0 ? "not read yet" : `read after step ${count(event.got)}`;
    const outcome = event.outcome ? ` (${event.outcome})` : "";
    return `${ABOUT[event.about] ?? "message"} ${event.number}${outcome} · ${store.nameOf(event.from)} → ${store.nameOf(event.to)} · sent ${at}, ${arrived} · ${event.text}`;
  }
  const name = store.nameOf(event.lane);
  if (event.kind === "spawn") return `${store.nameOf(event.other)} spawns ${name} · ${at} · ${event.text}`;
  if (event.kind === "out") return `${name} ran out of tokens · ${at} · ${event.text}`;
  if (event.kind === "layer") return `${name}: its request was made smaller · ${at} · ${event.text}`;
  if (event.kind === "swap") return `${name}: shapers changed · ${at} · ${event.text}`;
  return `${name} ended · ${at} · ${event.text}`;
}

/** One line on a step. */
export function stepWords(store, tick) {
  const step = store.steps[tick - store.first];
  const failed = step.failed ? ", one of which failed" : "";
  const number = count(store.ownNumber(step.lane, tick));
  return `step ${count(tick + 1)} · step ${number} of ${store.nameOf(step.lane)} · request of ${count(step.tokens)} tokens · ${DID[step.kind]}${failed}`;
}

/** A member in one line. */
export function laneWords(lane, figures) {
  const role = lane.role && lane.role !== lane.name ? `, ${lane.role}` : "";
  const used = figures.granted === null ? count(figures.used) : `${count(figures.used)} of ${count(figures.granted)}`;
  return `${lane.name}${role}: ${figures.outcome}, ${count(figures.steps)} steps, ${used} tokens`;
}
