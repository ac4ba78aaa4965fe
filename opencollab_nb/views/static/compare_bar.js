// The bar of a compare panel: state, Run and Stop, windows, modes; progress, and what went wrong.

import { count, element, onChange, put, show } from "./dom.js";

const AT_WORK = ["running", "pausing"];
const MODE_NAMES = [["sticky", "sticky"], ["stateless", "stateless"], ["both", "both"]];

export class CompareBar {
  constructor(store) {
    this.store = store;
    this.dot = element("span", { className: "oc-dot", "aria-hidden": "true" });
    this.run = element("b", {});
    this.about = element("span", { className: "oc-quiet oc-about oc-number", dir: "auto" });
    this.buttons = { run: this.button("Run"), stop: this.button("Stop") };
    const buttons = element("span", { className: "oc-buttons", role: "group" }, this.buttons.run, this.buttons.stop);
    buttons.setAttribute("aria-label", "Comparison");
    const state = element("span", { className: "oc-state" }, this.dot, this.run);
    this.bar = element("div", { className: "oc-bar" }, state, this.about, element("span", { className: "oc-grow" }), buttons);
    this.windows = element("input", { type: "text", className: "oc-windows", placeholder: "those of the transcripts" });
    this.windows.title = "In tokens, several parted by commas: 64000, 200000";
    onChange(this.windows, () => store.order("windows", this.windows.value));
    this.mode = element("select", {}, ...MODE_NAMES.map(([value, text]) => element("option", { value, textContent: text })));
    this.mode.addEventListener("change", () => store.order("modes", this.mode.value));
    this.survival = element("input", { type: "checkbox" });
    this.survival.addEventListener("change", () => store.order("survival", this.survival.checked));
    const label = (text, control) => element("label", { className: "oc-quiet" }, `${text} `, control);
    const kept = element("label", { className: "oc-quiet" }, this.survival, " count what survives");
    kept.title = "Which facts of a transcript each request holds, and which a later step needed and had lost; takes longer.";
    const settings = element("div", { className: "oc-settings" }, label("windows", this.windows), label("modes", this.mode), kept);
    this.requests = element("section", { className: "oc-requests" }, element("h3", { textContent: "Requests" }), settings);
    this.meter = element("i", { className: "oc-fill-assistant" });
    this.progress = element("div", { className: "oc-meter oc-progress", role: "progressbar", hidden: true }, this.meter);
    this.progress.setAttribute("aria-label", "Combinations finished");
    this.fault = element("div", { className: "oc-word oc-bad oc-as-is", role: "alert", dir: "auto", hidden: true });
    this.word = element("div", { className: "oc-word", role: "status", dir: "auto", hidden: true });
    this.nodes = [this.bar, this.progress, this.fault, this.word];
  }

  button(text) {
    const verb = text.toLowerCase();
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", () => {
      if (!this.disabled(verb)) this.store.order(verb);
    });
    return button;
  }

  disabled(verb) {
    const { state, alive } = this.store;
    if (!alive || state === null || this.store.waited(verb) !== null) return true;
    if (verb === "stop") return state.run !== "running";
    return AT_WORK.includes(state.run) || Boolean(state.loading);
  }

  draw() {
    const { store } = this;
    const { state, alive } = store;
    const atWork = AT_WORK.includes(state.run);
    this.dot.className = `oc-dot ${alive ? `oc-is-${state.run}` : ""}`;
    put(this.run, !alive ? "kernel gone" : state.run === "pausing" ? "stopping" : state.run);
    const size = this.size(state);
    const time = state.seconds ? ` in ${count(state.seconds)} s` : "";
    put(this.about, state.total && state.run !== "ready" ? `${count(state.done)} of ${count(state.total)}${atWork ? `: ${state.doing}` : time}` : size);
    for (const [verb, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-disabled", String(this.disabled(verb)));
      put(button, store.queued(verb) ? "queued" : verb === "run" ? "Run" : "Stop");
    }
    this.buttons.run.classList.toggle("oc-primary", !atWork);
    this.buttons.stop.classList.toggle("oc-primary", state.run === "running");
    show(this.progress, atWork);
    this.progress.setAttribute("aria-valuemax", state.total);
    this.progress.setAttribute("aria-valuenow", state.done);
    this.meter.style.width = `${state.total ? (100 * state.done) / state.total : 0}%`;
    const failed = !store.answer.ok && store.answer.text;
    put(this.fault, state.problem || failed || "");
    show(this.fault, Boolean(state.problem || failed));
    const gone = "The kernel was restarted or is gone, and nothing here can be pressed any more: this is the last state.";
    put(this.word, alive ? (state.loading ? `Loading ${state.loading}…` : "") : gone);
    show(this.word, Boolean(this.word.textContent));
    if (document.activeElement !== this.windows || failed) this.windows.value = state.windows;
    if (store.waited("modes") === null) this.mode.value = state.modes;
    if (store.waited("survival") === null) this.survival.checked = Boolean(state.survival);
    for (const control of [this.windows, this.mode, this.survival]) control.disabled = !alive;
  }

  /** What Run would do. */
  size(state) {
    const ticked = (rows, at) => rows.filter((row) => row[at]).length;
    const [files, chains] = [ticked(state.files, 1), ticked(state.chains, 2)];
    const windows = state.windows ? state.windows.split(",").length : 1;
    const modes = state.modes === "both" ? 2 : 1;
    const all = files * chains * windows * modes;
    const named = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
    return `${named(files, "transcript")} × ${named(chains, "chain")} × ${named(windows, "window")} × ${named(modes, "mode")} = ${named(all, "combination")}`;
  }
}
