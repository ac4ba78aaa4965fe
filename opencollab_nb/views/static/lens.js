// What a reader looks at: the newest request or that of an earlier step, and one message of it.

import { MapRows, placeOf } from "./maprows.js";

export class Lens {
  constructor(store) {
    this.store = store;
    this.live = new MapRows();
    this.step = null; // null: the newest request
    this.moment = null;
    this.wanted = null;
    this.at = -1; // place of the chosen message in the shown map
    this.message = null;
    this.fetched = ""; // what `message` was asked for
    this.cards = [];
    this.cardsAt = 0;
    this.result = null; // of a what-if
    this.points = [];
    this.compared = null;
    this.picked = -1;
  }

  /** The map on screen. */
  get map() {
    return this.moment ? this.moment.map : this.live;
  }

  filled() {
    this.kept ??= this.moment ? undefined : this.live.rows[this.at];
    this.live = new MapRows();
    this.cards = [];
    this.cardsAt = 0;
  }

  /** What is new of the newest request's map. The chosen message is followed to its new place. */
  take(facts, bytes) {
    const chosen = this.moment ? undefined : (this.kept ?? this.live.rows[this.at]);
    this.kept = undefined;
    this.live.take(facts, bytes);
    if (!chosen) return;
    this.at = placeOf(this.live.rows, chosen, this.at);
    this.look();
  }

  /** Go to a step, or with null back to the newest request. One question at a time, then the newest wish. */
  go(step) {
    if (step === null) {
      this.step = this.moment = this.wanted = null;
      this.unpick();
      this.store.changed();
      return;
    }
    if (!this.store.alive || (step === this.step && this.moment?.step === step)) return;
    this.step = step;
    const busy = this.wanted !== null;
    this.wanted = step;
    if (!busy) this.travel();
    this.store.changed();
  }

  travel() {
    const step = this.wanted;
    this.store.ask("moment", [step], (body, buffers) => {
      const wish = this.wanted;
      if (wish !== null && wish !== step) return void this.travel();
      this.wanted = null;
      if (wish === null || !body) {
        if (wish !== null) this.step = null;
        return;
      }
      this.moment = { ...body, map: new MapRows().take(body.map, buffers[0]) };
      this.unpick();
    });
  }

  /** Without a kernel what is on its way does not come. */
  lost() {
    this.wanted = null;
    this.step = this.moment?.step ?? null;
    this.busy = false;
  }

  unpick() {
    this.kept = undefined;
    this.at = -1;
    this.message = null;
    this.fetched = "";
  }

  pick(at) {
    if (!this.store.alive) return;
    this.at = at;
    this.look();
    this.store.changed();
  }

  /** Fetch the bodies of the chosen message, unless they are here already. */
  look() {
    const row = this.map.rows[this.at];
    if (!row) return this.unpick();
    const step = this.moment?.step ?? 0;
    const key = [step, this.at, row.id, row.state, row.pin, row.sent, row.why].join();
    if (key === this.fetched) return;
    this.fetched = key;
    // The kernel may know a newer map already: the number says which message is meant.
    this.store.ask("message", [step, this.at, row.id], (body) => {
      if (this.fetched !== key) return;
      this.message = body;
      if (!body) this.fetched = "";
    });
  }

  /** Have the cards of rounds that are new. */
  fetchCards(version) {
    if (this.cardsAt === version) return;
    this.cardsAt = version;
    const last = this.cards[this.cards.length - 1];
    // The newest card may have grown: a round is told layer by layer.
    this.store.ask("rounds", [last ? last.number : 0], (body) => {
      if (!body) return;
      this.cards = [...this.cards.filter((card) => card.number < body.first), ...body.cards].slice(-40);
    });
  }

  /** What the draft's chain would send. */
  project() {
    const step = this.step ?? 0;
    this.busy = true;
    this.store.ask("what_if", [step], (body, buffers) => {
      this.busy = false;
      if (!body) return;
      const maps = body.maps.map((facts, i) => new MapRows().take(facts, buffers[i]));
      this.result = { ...body, maps };
      [this.compared, this.picked] = [null, -1];
      this.store.ask("curve", [], (curve) => {
        this.points = curve?.points ?? [];
      });
    });
  }

  compare(at) {
    if (!this.store.alive) return;
    this.picked = at;
    this.store.ask("compared", [at], (body) => {
      if (this.picked === at) this.compared = body;
    });
  }

  forgetResult() {
    [this.result, this.points, this.compared, this.picked] = [null, [], null, -1];
  }
}
