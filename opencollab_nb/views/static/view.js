// The parts of which the view of a session is made, in their order.

import { element } from "./dom.js";
import { Rounds } from "./cards.js";
import { Chart } from "./chart.js";
import { Editor } from "./editor.js";
import { Family } from "./family.js";
import { Header } from "./header.js";
import { Log } from "./log.js";
import { ContextMap } from "./map.js";
import { MessageView } from "./message.js";
import { Meter } from "./meter.js";
import { Direction, Quotas } from "./moves.js";
import { WhatIf } from "./whatif.js";

export function sessionView(store) {
  const [header, meter, chart, map] = [new Header(store), new Meter(store), new Chart(store), new ContextMap(store)];
  const [editor, message, whatif] = [new Editor(store), new MessageView(store), new WhatIf(store)];
  const [family, rounds, log] = [new Family(store), new Rounds(store), new Log(store)];
  const [quotas, direction] = [new Quotas(store), new Direction(store)];
  const right = element("div", { className: "oc-right-side" }, ...whatif.nodes, ...message.nodes);
  const two = element("div", { className: "oc-two" }, ...editor.nodes, right);
  const top = [...header.nodes, ...meter.nodes, ...quotas.nodes, ...chart.nodes, ...map.nodes, ...direction.nodes];
  return {
    nodes: [...top, two, ...family.nodes, ...rounds.nodes, ...log.nodes, log.foot],
    parts: [header, meter, chart, family, map, editor, message, whatif, rounds, log, quotas, direction],
    label: (state) => `Session ${state.name}`,
  };
}
