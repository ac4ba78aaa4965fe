// The chains of a compare panel: a list with ticks; the chosen one is edited below.

import { element, put } from "./dom.js";

export class ChainList {
  constructor(store) {
    this.store = store;
    this.known = element("select", {});
    this.known.setAttribute("aria-label", "A chain to add");
    this.plus = element("button", { type: "button", textContent: "Add" });
    this.plus.addEventListener("click", () => this.store.alive && this.known.value && this.store.order("chain", ["add", this.known.value]));
    const head = element("div", { className: "oc-row oc-head" }, element("h3", { textContent: "Chains" }), element("span", { className: "oc-grow" }), this.known, this.plus);
    this.list = element("div", { className: "oc-chains", role: "list" });
    this.list.setAttribute("aria-label", "Chains");
    this.nodes = [element("section", { className: "oc-chain-list" }, head, this.list)];
    this.drawn = "";
  }

  draw() {
    const { state, alive } = this.store;
    this.known.disabled = !alive;
    this.plus.setAttribute("aria-disabled", String(!alive));
    if (!this.known.childElementCount) {
      this.known.replaceChildren(...state.policies.map((name) => element("option", { value: name, textContent: name })));
    }
    const key = JSON.stringify([state.chains, state.shown, alive]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = document.activeElement?.dataset?.chain;
    this.list.replaceChildren(...state.chains.map((chain) => this.row(chain, state)));
    if (focused) this.list.querySelector(`[data-chain="${focused}"]`)?.focus();
  }

  row([number, name, on], { shown, chains }) {
    const box = element("input", { type: "checkbox", checked: Boolean(on), disabled: !this.store.alive });
    box.dataset.chain = `tick ${number}`;
    box.setAttribute("aria-label", `Compare ${name}`);
    box.addEventListener("change", () => this.store.order("chain", ["tick", number, box.checked]));
    const show = element("button", { type: "button", className: "oc-choose-chain", textContent: name, dir: "auto", title: name });
    show.dataset.chain = `show ${number}`;
    show.setAttribute("aria-pressed", String(number === shown));
    show.addEventListener("click", () => this.store.order("chain", ["show", number]));
    const away = element("button", { type: "button", className: "oc-away", textContent: "✕", title: `Remove ${name}` });
    away.setAttribute("aria-label", `Remove ${name}`);
    away.dataset.chain = `away ${number}`;
    away.setAttribute("aria-disabled", String(chains.length === 1 || !this.store.alive));
    away.addEventListener("click", () => away.getAttribute("aria-disabled") !== "true" && this.store.order("chain", ["remove", number]));
    const row = element("div", { role: "listitem", className: number === shown ? "oc-shown" : "" }, box, show, away);
    put(away, "✕");
    return row;
  }
}
