// One place where a team is shown; below it, that of the member that was chosen.

import { element, put, show } from "./dom.js";
import { Frame } from "./frame.js";
import { Header } from "./header.js";
import { Log } from "./log.js";
import { Books } from "./teambooks.js";
import { Lanes } from "./teamlanes.js";
import { Pool } from "./teampool.js";

export class TeamView {
  /** `member(id)` gives the view of another widget, to be put into the page. */
  constructor(store, place, member) {
    this.store = store;
    this.member = member;
    this.state = null;
    this.shown = null; // id of the widget of the member that is shown
    const team = element("div", {});
    this.below = element("div", { className: "oc-team-member", hidden: true });
    place.replaceChildren(team, this.below);
    this.place = place;
    this.frame = new Frame(store, team, (width) => this.draw(width));
    const [header, pool, lanes] = [new Header(store, ["steps each", "Steps of each member", "all"]), new Pool(store), new Lanes(store)];
    const [books, log] = [new Books(store), new Log(store)];
    this.log = log;
    this.parts = [header, pool, lanes, books, log];
    this.frame.root.classList.add("oc-team");
    this.frame.root.append(...this.parts.flatMap((part) => part.nodes), log.foot);
    this.frame.suppressShortcuts();
    this.frame.changed();
  }

  draw(width) {
    const { store, frame } = this;
    frame.root.setAttribute("aria-label", `Team ${store.state.name}`);
    if (store.state !== this.state) this.log.reset();
    this.state = store.state;
    for (const part of this.parts) part.draw(width);
    this.showMember(store.alive ? (store.state.open?.[1] ?? null) : this.shown);
  }

  async showMember(id) {
    if (id === this.shown) return;
    this.shown = id;
    this.leave();
    if (id === null) return;
    show(this.below, true);
    this.below.textContent = "…";
    try {
      const view = await this.member(id);
      if (this.shown !== id) {
        view.remove();
        return;
      }
      this.view = view;
      this.below.replaceChildren(view.el);
    } catch (problem) {
      if (this.shown === id) put(this.below, `The member's panel cannot be shown here: ${problem.message}. Evaluate team.members[…].session in a cell.`);
    }
  }

  leave() {
    this.view?.remove();
    this.view = null;
    this.below.replaceChildren();
    show(this.below, false);
  }

  close() {
    this.shown = null;
    this.leave();
    this.frame.close();
    this.place.replaceChildren();
  }
}
