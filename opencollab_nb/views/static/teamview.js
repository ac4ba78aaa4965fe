// The parts of which the view of a team is made, in their order; below them the panel of the member that was chosen.

import { Header } from "./header.js";
import { Log } from "./log.js";
import { Books } from "./teambooks.js";
import { Lanes } from "./teamlanes.js";
import { MemberPanel } from "./teammember.js";
import { Pool } from "./teampool.js";

export function teamView(store, model) {
  const [header, pool, lanes] = [new Header(store, ["steps each", "Steps of each member", "all"]), new Pool(store), new Lanes(store)];
  const [books, log, member] = [new Books(store), new Log(store), new MemberPanel(store, model)];
  const parts = [header, pool, lanes, books, log];
  return {
    nodes: [...parts.flatMap((part) => part.nodes), log.foot],
    parts: [...parts, member],
    label: (state) => `Team ${state.name}`,
    below: [member.node],
    kind: "oc-team",
  };
}
