// A slider over the steps: chart, map and request as they were; "Live" returns to the newest.

import { count, element, put, show } from "./dom.js";

export class Slider {
  constructor(store) {
    this.store = store;
    this.range = element("input", { type: "range", min: "1", step: "1", className: "oc-range" });
    this.range.setAttribute("aria-label", "Step to look at");
    this.range.addEventListener("input", () => this.store.lens.go(Number(this.range.value)));
    this.where = element("span", { className: "oc-number oc-where", role: "status" });
    this.back = element("button", { type: "button", textContent: "Live" });
    this.back.addEventListener("click", () => {
      this.store.lens.go(null);
      this.range.focus();
    });
    this.fork = element("button", { type: "button", textContent: "Fork here" });
    this.fork.addEventListener("click", () => {
      if (this.fork.getAttribute("aria-disabled") !== "true") this.store.order("fork", this.store.lens.step);
    });
    const label = element("span", { className: "oc-quiet", textContent: "Look at step" });
    const row = element("div", { className: "oc-slider" }, label, this.range, this.where, this.fork, this.back);
    this.node = element("div", {}, row);
  }

  draw() {
    const { rows, lens, alive } = this.store;
    const last = rows.length ? rows[rows.length - 1][0] : 0;
    show(this.node, last > 1);
    this.range.min = rows.length ? rows[0][0] : 1;
    this.range.max = Math.max(last, 1);
    const shown = String(lens.step ?? last);
    if (this.range.value !== shown) this.range.value = shown;
    this.range.disabled = !alive;
    put(this.where, lens.step === null ? `${count(last)}, live` : `${count(lens.step)} of ${count(last)}`);
    this.range.setAttribute("aria-valuetext", lens.step === null ? `step ${last}, live` : `step ${lens.step} of ${last}`);
    this.back.setAttribute("aria-disabled", String(lens.step === null));
    this.back.classList.toggle("oc-primary", lens.step !== null);
    const whole = lens.step !== null && lens.step <= this.store.state.step;
    this.fork.setAttribute("aria-disabled", String(!whole || !alive));
    this.fork.hidden = lens.step === null;
  }
}
