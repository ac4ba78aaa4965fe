// The chain editor: policy, mode, target, summarizer, the layers in order, and shapers to add.

import { element, onChange, put, show } from "./dom.js";
import { LayerCard } from "./layer.js";
import { SAYS } from "./says.js";

const POLICIES = ["default", "summarize", "no_history_compaction"];
const SUMMARIZERS = [
  ["none", "none"],
  ["extractive", "extractive, no model"],
  ["model", "the session's model"],
  ["local", "SmolLM2 on this machine"],
  ["openai", "OpenAI-compatible…"],
];

export class Editor {
  constructor(store) {
    this.store = store;
    this.cards = new Map();
    this.policy = this.select("Policy", POLICIES.map((name) => [name, name]), (name) => {
      this.store.order("edit", ["policy", name]); // to the draft, also one whose begin is still on its way
    });
    this.mode = this.select("Mode", [["sticky", "sticky"], ["stateless", "stateless"]], (mode) => this.store.order("mode", mode));
    this.target = element("input", { type: "number", min: "30", max: "95", step: "5" });
    onChange(this.target, () => this.store.order("target", Number(this.target.value) / 100));
    this.summarizer = this.select("Summarizer", SUMMARIZERS, (kind) => this.chooseSummarizer(kind));
    this.model = element("input", { type: "text", className: "oc-long", placeholder: "model name" });
    this.model.setAttribute("aria-label", "Model of the summarizer");
    this.url = element("input", { type: "text", className: "oc-long", placeholder: "endpoint, or empty for OPENAI_BASE_URL" });
    this.url.setAttribute("aria-label", "Endpoint of the summarizer");
    this.set = element("button", { type: "button", textContent: "Set" });
    this.set.addEventListener("click", () => this.store.order("summarizer", ["openai", this.model.value, this.url.value]));
    const note = element("small", { className: "oc-quiet", textContent: "The key is read from OPENAI_API_KEY in the kernel." });
    this.remote = element("div", { className: "oc-remote", hidden: true }, this.model, this.url, this.set, note);
    this.list = element("div", { className: "oc-cards", role: "list" });
    this.list.setAttribute("aria-label", "Layers in order");
    this.known = element("select", {});
    this.known.setAttribute("aria-label", "A shaper to add");
    this.plus = element("button", { type: "button", textContent: "Add" });
    this.plus.addEventListener("click", () => this.known.value && this.store.order("edit", ["add", this.known.value]));
    this.whatif = element("button", { type: "button", textContent: "What if…" });
    this.whatif.addEventListener("click", () => this.store.order("draft", "begin"));
    this.pending = element("p", { className: "oc-pending", role: "status", hidden: true });
    this.title = element("h3", { textContent: "Chain" });
    this.nodes = [element("section", { className: "oc-chain" }, ...this.head(), this.list, this.foot(), this.pending)];
  }

  head() {
    const label = (text, control, after = "") => element("label", { className: "oc-quiet", title: SAYS[text] ?? "" }, `${text} `, control, after);
    const top = element("div", { className: "oc-row oc-head" }, this.title, element("span", { className: "oc-grow" }), label("policy", this.policy));
    const settings = element(
      "div",
      { className: "oc-settings" },
      label("mode", this.mode),
      label("target", this.target, " %"),
      label("summarizer", this.summarizer),
    );
    return [top, settings, this.remote];
  }

  foot() {
    return element("div", { className: "oc-row oc-add" }, this.known, this.plus, element("span", { className: "oc-grow" }), this.whatif);
  }

  select(name, options, take) {
    const select = element("select", {});
    select.setAttribute("aria-label", name);
    for (const [value, text] of options) select.append(element("option", { value, textContent: text }));
    select.addEventListener("change", () => take(select.value));
    return select;
  }

  chooseSummarizer(kind) {
    show(this.remote, kind === "openai");
    if (kind === "openai") this.model.focus();
    else this.store.order("summarizer", [kind]);
  }

  draw() {
    const { store } = this;
    const { state, alive } = store;
    const failed = !store.answer.ok && store.answer !== this.answered;
    this.answered = store.answer;
    put(this.title, state.chain_title ?? (state.draft ? "Draft chain" : "Chain"));
    this.nodes[0].classList.toggle("oc-draft", Boolean(state.draft));
    for (const control of [this.policy, this.mode, this.target, this.summarizer, this.known, this.model, this.url]) control.disabled = !alive;
    for (const button of [this.plus, this.whatif, this.set]) button.setAttribute("aria-disabled", String(!alive));
    // Of the chain that is shown: what waits for the next step, or the draft; one made by hand has no policy.
    if (store.waited("edit") === null) {
      choose(this.policy, state.chosen_policy || (state.pending && this.policy.value) || state.policy);
    }
    if (store.waited("mode") === null) choose(this.mode, state.draft || state.mode);
    if (document.activeElement !== this.target || failed) this.target.value = Math.round(100 * state.target_ratio);
    this.drawSummarizer(state, failed);
    this.drawKnown(state.known);
    this.drawLayers(state.layers, failed);
    show(this.whatif, !state.draft);
    const text = store.queued("edit") ? "Swap queued: the kernel is busy." : state.pending;
    put(this.pending, text);
    show(this.pending, Boolean(text));
  }

  drawSummarizer({ summarizer: [kind, words], known_summarizers: own }, failed) {
    const key = JSON.stringify([kind, words, own]);
    if (key === this.summarized && !failed) return;
    this.summarized = key;
    const options = [...SUMMARIZERS, ...own.map((name) => [name, name])];
    if (!options.some(([value]) => value === kind)) options.push([kind, words]);
    this.summarizer.replaceChildren(...options.map(([value, text]) => element("option", { value, textContent: text })));
    if (kind === "model") this.summarizer.querySelector('[value="model"]').textContent = words || "a model";
    this.summarizer.value = kind;
    show(this.remote, false);
  }

  drawKnown(known) {
    const key = known.join();
    if (key === this.knew) return;
    this.knew = key;
    const first = element("option", { value: "", textContent: "Add a shaper…" });
    this.known.replaceChildren(first, ...known.map((name) => element("option", { value: name, textContent: name.replace(/Shaper$/, "") })));
  }

  drawLayers(layers, failed) {
    const kept = new Map();
    for (const row of layers) kept.set(row[0], this.cards.get(row[0]) ?? new LayerCard(this.store, row));
    const nodes = [...kept.values()].map((card) => card.node);
    const same = nodes.length === this.list.childElementCount && nodes.every((node, i) => node === this.list.children[i]);
    if (!same) {
      const focused = document.activeElement;
      this.list.replaceChildren(...nodes);
      if (this.list.contains(focused)) focused.focus();
    }
    this.cards = kept;
    layers.forEach((row, i) => kept.get(row[0]).draw(row, i, layers.length - 1, failed));
    if (!layers.length) this.list.replaceChildren(element("p", { className: "oc-quiet", textContent: "No layer: requests grow until the window refuses them." }));
  }
}

/** Show a value in a choice; one that is none of its options is shown as `custom`. */
function choose(select, value) {
  let own = select.querySelector("option[data-own]");
  const known = [...select.options].some((option) => option !== own && option.value === value);
  if (known) own?.remove();
  else if (!own) {
    own = element("option", { value: "custom", textContent: "custom", disabled: true });
    own.dataset.own = "1";
    select.append(own);
  }
  const wanted = known ? value : "custom";
  if (select.value !== wanted) select.value = wanted;
}
