// One layer of the chain editor: on or off, its place, its parameters as controls, what it saved.

import { count, element, onChange, put, show } from "./dom.js";
import { layerWords } from "./says.js";

const NEW_STEPS = 2;
const LONG = new Set(["set", "numbers", "str"]); // kinds whose controls are wide

export class LayerCard {
  constructor(store, row) {
    this.store = store;
    this.key = row[0];
    this.box = element("input", { type: "checkbox" });
    this.box.addEventListener("change", () => this.edit(this.box.checked ? "on" : "off"));
    this.name = element("b", { dir: "auto" });
    this.tag = element("span", { className: "oc-tag oc-number" });
    this.up = this.button("↑", "up");
    this.down = this.button("↓", "down");
    this.away = this.button("✕", "remove");
    this.words = element("small", { dir: "auto" });
    this.fields = element("div", { className: "oc-fields" });
    this.problem = element("p", { className: "oc-problem", dir: "auto", hidden: true });
    const places = element("span", { className: "oc-places" }, this.up, this.down, this.away);
    const head = element("div", { className: "oc-layer" }, element("label", {}, this.box, this.name), this.tag, places);
    this.node = element("div", { className: "oc-card", role: "listitem" }, head, this.words, this.fields, this.problem);
  }

  button(sign, what) {
    const button = element("button", { type: "button", textContent: sign });
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") this.edit(what);
    });
    return button;
  }

  edit(what, ...rest) {
    this.store.order("edit", [what, this.key, ...rest]);
  }

  draw(row, at, last, failed) {
    const [, name, layer, on, cannot, words, fields] = row;
    const { state, alive } = this.store;
    const waits = this.store.waited("edit") !== null;
    const saving = state.saved[layer] ?? [];
    const fired = saving.length > 0 && on && state.step - saving[0] < NEW_STEPS;
    put(this.name, name);
    this.name.title = layerWords(layer);
    if (!waits) this.box.checked = Boolean(on);
    this.box.disabled = !alive;
    this.box.setAttribute("aria-label", `${name}, in the chain`);
    this.label(this.up, `Move ${name} up`, at > 0);
    this.label(this.down, `Move ${name} down`, at < last);
    this.label(this.away, `Remove ${name}`, true);
    put(this.tag, !on || cannot ? "off" : saving.length ? `at ${count(saving[0])} · −${count(saving[1])}` : "idle");
    this.tag.title = saving.length > 0 ? `−${count(saving[3])} tokens in ${count(saving[2])} rounds` : "";
    this.tag.classList.toggle("oc-fired", fired);
    this.node.classList.toggle("oc-now", fired);
    this.node.classList.toggle("oc-off", !on || Boolean(cannot));
    // Where controls say it all, the words would only say it again.
    const said = fields.some(([, kind]) => !LONG.has(kind)) && !/summar/.test(words);
    put(this.words, said ? "" : words.replace(/(summarizer|summaries).*, .*/, "$1"));
    show(this.words, !said);
    const key = JSON.stringify(fields);
    if (key !== this.drawn || failed) this.drawFields(fields, name, key);
    for (const control of this.fields.querySelectorAll("input, select")) control.disabled = !alive;
    const problem = state.problems[layer];
    // Until the layer acts again: a step may be over before anyone has read it.
    const now = problem && on && problem[0] >= (saving[0] ?? 0);
    put(this.problem, now ? `Skipped at step ${count(problem[0])}: ${problem[1]}` : "");
    show(this.problem, Boolean(now));
  }

  label(button, text, possible) {
    button.title = text;
    button.setAttribute("aria-label", text);
    button.setAttribute("aria-disabled", String(!possible || !this.store.alive));
  }

  drawFields(fields, layer, key) {
    this.drawn = key;
    const focused = document.activeElement?.dataset?.field;
    const inside = this.fields.contains(document.activeElement);
    const main = fields.filter(([, kind]) => !LONG.has(kind));
    const more = fields.filter(([, kind]) => LONG.has(kind));
    const open = this.fields.querySelector("details")?.open;
    this.fields.replaceChildren(...main.map((field) => this.control(field, layer)));
    if (more.length) {
      const fold = element("details", { open: Boolean(open) }, element("summary", { textContent: "more" }));
      fold.append(...more.map((field) => this.control(field, layer)));
      this.fields.append(fold);
    }
    if (inside) this.fields.querySelector(`[data-field="${CSS.escape(focused ?? "")}"]`)?.focus();
  }

  control([name, kind, value, standard, least, options, optional], layer) {
    const words = name.replaceAll("_", " ");
    if (kind === "choice") return this.choice(name, words, value, standard, options, layer);
    const listed = kind === "set" || kind === "numbers";
    const type = { int: "number", float: "number", bool: "checkbox" }[kind] ?? "text";
    const input = element("input", { type, className: type === "text" ? "oc-long" : "" });
    input.dataset.field = name;
    input.setAttribute("aria-label", `${layer}: ${words}`);
    const shown = listed ? (value ?? []).join(", ") : value;
    if (type === "checkbox") input.checked = value;
    else input.value = shown ?? "";
    if (type === "number") {
      input.step = kind === "int" ? "1" : "any";
      if (least !== null && least !== undefined) input.min = least;
    }
    const usual = listed ? (standard ?? []).join(", ") : standard;
    input.title = `by default ${usual || (optional ? "none" : usual)}`;
    if (optional) input.placeholder = "none";
    onChange(input, () => this.edit("set", name, optional && input.value === "" ? null : valueOf(input, kind)));
    return element("label", {}, `${words} `, input);
  }

  choice(name, words, value, standard, options, layer) {
    const select = element("select", { title: `by default ${standard}` });
    select.dataset.field = name;
    select.setAttribute("aria-label", `${layer}: ${words}`);
    select.append(...options.map((option) => element("option", { value: option, textContent: option })));
    select.value = value;
    select.addEventListener("change", () => this.edit("set", name, select.value));
    return element("label", {}, `${words} `, select);
  }
}

/** What a control holds, as the kernel takes it; a number that is none is sent as it was typed. */
function valueOf(input, kind) {
  if (kind === "bool") return input.checked;
  const parts = () => input.value.split(",").map((part) => part.trim()).filter(Boolean);
  if (kind === "set") return parts();
  if (kind === "numbers") return parts().map((part) => (Number.isNaN(Number(part)) ? part : Number(part)));
  if (kind === "str") return input.value;
  return input.value === "" || Number.isNaN(Number(input.value)) ? input.value : Number(input.value);
}
