// The transcripts of a compare panel: a list with ticks, and where more are loaded from.

import { count, element, put, show } from "./dom.js";

export class Files {
  constructor(store) {
    this.store = store;
    this.path = element("input", { type: "text", className: "oc-long", placeholder: "file, folder, or pattern such as logs/**/*.jsonl" });
    this.path.setAttribute("aria-label", "Path to load");
    this.load = element("button", { type: "button", textContent: "Load" });
    const go = () => this.path.value.trim() && store.order("load", this.path.value.trim());
    this.load.addEventListener("click", go);
    this.path.addEventListener("keydown", (event) => event.key === "Enter" && go());
    this.all = this.button("all", true);
    this.none = this.button("none", false);
    this.count = element("span", { className: "oc-quiet oc-number" });
    const head = element("div", { className: "oc-row oc-head" }, element("h3", {}, "Transcripts ", this.count), element("span", { className: "oc-grow" }), this.all, this.none);
    this.list = element("div", { className: "oc-files", role: "list", tabIndex: 0 });
    this.list.setAttribute("aria-label", "Transcripts");
    this.empty = element("p", { className: "oc-quiet", textContent: "None yet: give the path of a file or a folder, and press Load." });
    this.notices = element("details", { className: "oc-notices", hidden: true }, element("summary", {}), element("div", {}));
    const from = element("div", { className: "oc-row oc-from" }, this.path, this.load);
    this.nodes = [element("section", {}, head, from, this.empty, this.list, this.notices)];
    this.drawn = "";
  }

  button(text, on) {
    const button = element("button", { type: "button", textContent: text });
    button.setAttribute("aria-label", `${on ? "Tick" : "Untick"} all transcripts`);
    button.addEventListener("click", () => this.store.alive && this.store.order("file", [null, on]));
    return button;
  }

  draw() {
    const { state, alive } = this.store;
    const ticked = state.files.filter((row) => row[1]).length;
    put(this.count, state.files.length ? `${count(ticked)} of ${count(state.files.length)} ticked` : "");
    show(this.empty, !state.files.length);
    show(this.list, state.files.length > 0);
    for (const control of [this.path]) control.disabled = !alive;
    for (const button of [this.load, this.all, this.none]) button.setAttribute("aria-disabled", String(!alive || Boolean(state.loading)));
    const key = JSON.stringify(state.files);
    if (key !== this.drawn) this.fill(state.files, key);
    for (const box of this.list.querySelectorAll("input")) box.disabled = !alive;
    show(this.notices, state.notices.length > 0);
    put(this.notices.firstChild, `${count(state.notices.length)} not read`);
    if (this.notices.childElementCount) {
      this.notices.lastChild.replaceChildren(...state.notices.map((text) => element("p", { textContent: text, dir: "auto" })));
    }
  }

  fill(files, key) {
    this.drawn = key;
    const focused = document.activeElement?.dataset?.file;
    this.list.replaceChildren(...files.map((file) => this.row(file)));
    if (focused) this.list.querySelector(`[data-file="${focused}"]`)?.focus();
  }

  row([number, on, name, format, messages, calls, window, title]) {
    const box = element("input", { type: "checkbox", checked: Boolean(on) });
    box.dataset.file = number;
    box.setAttribute("aria-label", name);
    box.addEventListener("change", () => this.store.order("file", [number, box.checked]));
    const facts = `${format} · ${count(messages)} messages · ${count(calls)} calls${window ? ` · ${count(window)} window` : ""}`;
    const words = element("span", { className: "oc-file" }, element("b", { textContent: name, dir: "auto" }), element("small", { className: "oc-quiet", textContent: facts }), element("small", { className: "oc-quiet oc-about", textContent: title, dir: "auto" }));
    return element("label", { role: "listitem", title }, box, words);
  }
}
