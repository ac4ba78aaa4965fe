// The shapers in force as cards, each with what it saved, and the choice of a policy.

import { count, element, put, show } from "./dom.js";

const POLICIES = ["default", "summarize", "no_history_compaction"];
const RECENT_STEPS = 2;

export class Chain {
  constructor(store) {
    this.store = store;
    this.drawn = "";
    this.choice = element("select", {});
    this.choice.setAttribute("aria-label", "Policy");
    for (const name of POLICIES) this.choice.append(element("option", { value: name, textContent: name }));
    this.custom = element("option", { value: "custom", textContent: "custom", disabled: true });
    this.chosen = false; // here, and not yet in force
    this.choice.addEventListener("change", () => {
      this.chosen = true;
      this.store.order("use", this.choice.value);
    });
    this.mode = element("span", { className: "oc-tag" });
    this.cards = element("div", { className: "oc-cards", role: "list" });
    this.pending = element("p", { className: "oc-quiet oc-pending", role: "status", hidden: true });
    const label = element("label", { className: "oc-quiet" }, "policy ", this.choice);
    const head = element(
      "div",
      { className: "oc-row oc-head" },
      element("h3", { textContent: "Chain" }),
      this.mode,
      element("span", { className: "oc-grow" }),
      label,
    );
    this.nodes = [element("section", { className: "oc-chain" }, head, this.cards, this.pending)];
  }

  draw() {
    const { store } = this;
    const { state } = store;
    put(this.mode, state.mode);
    const waits = store.waited("use") !== null;
    this.choice.disabled = !store.alive;
    this.chosen = this.chosen && store.alive && (waits || Boolean(state.pending));
    if (!this.chosen) this.choose(state.policy);
    const text = store.queued("use") ? "Swap queued: the kernel is busy." : state.pending;
    put(this.pending, text);
    show(this.pending, Boolean(text));
    const key = JSON.stringify([state.chain, state.savings, state.step]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.cards.replaceChildren(...state.chain.map((layer, i) => this.card(layer, state.savings[i], state.step)));
  }

  choose(policy) {
    if (policy === "custom") {
      if (!this.custom.isConnected) this.choice.append(this.custom);
    } else {
      this.custom.remove();
    }
    if (this.choice.value !== policy) this.choice.value = policy;
  }

  card([name, words, off], saving, step) {
    const fired = saving.length > 0 && step - saving[0] < RECENT_STEPS;
    const tag = element("span", { className: `oc-tag oc-number${fired ? " oc-fired" : ""}` });
    const last = saving.length ? `at ${count(saving[0])} · −${count(saving[1])}` : "idle";
    put(tag, off ? "off" : last);
    const total = saving.length > 0 && saving[2] > 1;
    const more = total ? `−${count(saving[3])} in ${count(saving[2])} rounds` : "";
    return element(
      "div",
      { className: `oc-card${fired ? " oc-now" : ""}${off ? " oc-off" : ""}`, role: "listitem" },
      element("b", { textContent: name, dir: "auto" }),
      tag,
      element("small", { textContent: words, dir: "auto" }),
      element("small", { textContent: more, className: "oc-number oc-right" }),
    );
  }
}
