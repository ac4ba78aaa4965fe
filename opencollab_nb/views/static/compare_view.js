// The parts of which a compare panel is made, in their order.

import { CompareBar } from "./compare_bar.js";
import { ChainList } from "./compare_chains.js";
import { CurveChart } from "./compare_chart.js";
import { Files } from "./compare_files.js";
import { Results } from "./compare_table.js";
import { element } from "./dom.js";
import { Editor } from "./editor.js";

export function compareView(store) {
  const [bar, files, chains] = [new CompareBar(store), new Files(store), new ChainList(store)];
  const [editor, chart, results] = [new Editor(store), new CurveChart(store), new Results(store)];
  // Modes are chosen for all chains together, and nothing runs that a what-if could be of.
  editor.mode.closest("label").remove();
  editor.whatif.remove();
  const left = element("div", { className: "oc-choose" }, ...files.nodes, bar.requests);
  const right = element("div", { className: "oc-right-side" }, ...chains.nodes, ...editor.nodes);
  return {
    nodes: [...bar.nodes, element("div", { className: "oc-pick" }, left, right), ...chart.nodes, ...results.nodes],
    parts: [bar, files, chains, editor, chart, results],
    label: () => "Compare chains on transcripts",
  };
}
