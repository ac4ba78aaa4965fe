// The panel of the member that was chosen: a widget of its own, put into the page below the team.

import { element, put, show } from "./dom.js";

export class MemberPanel {
  constructor(store, model) {
    this.store = store;
    this.model = model;
    this.node = element("div", { className: "oc-team-member", hidden: true });
    this.shown = null; // id of the widget
    this.view = null;
  }

  draw() {
    const { store } = this;
    this.change(store.alive ? (store.state.open?.[1] ?? null) : this.shown);
  }

  async change(id) {
    if (id === this.shown) return;
    this.shown = id;
    this.leave();
    if (id === null) return;
    show(this.node, true);
    this.node.textContent = "…";
    try {
      const { widget_manager: widgets } = this.model;
      const view = await widgets.create_view(await widgets.get_model(id));
      if (this.shown !== id) {
        view.remove();
        return;
      }
      this.view = view;
      this.node.replaceChildren(view.el);
    } catch (problem) {
      if (this.shown === id) put(this.node, `The member's panel cannot be shown here: ${problem.message}. Evaluate team.members[…].session in a cell.`);
    }
  }

  leave() {
    this.view?.remove();
    this.view = null;
    this.node.replaceChildren();
    show(this.node, false);
  }

  close() {
    this.shown = null;
    this.leave();
  }
}
