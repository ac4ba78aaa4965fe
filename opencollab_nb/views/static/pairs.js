// Two requests as one list: what became of each message in either; a row that differs opens to both texts.

import { count, element } from "./dom.js";
import { diffNode } from "./diff.js";

const SIGN_SAYS = { "−": "only in the own chain's request", "+": "only in the draft's request", "~": "in both, not the same" };
const HEADS = ["", "id", "who", "says", "own chain", "draft", "in own chain", "in draft"];
const PLACES = ["sign", "ids", "who", "says", "own", "other", "here", "there"]; // classes of the cells

export class PairList {
  constructor(store) {
    this.store = store;
    this.node = element("div", { className: "oc-pairs", hidden: true });
  }

  /** Show the list of a result; without one nothing. */
  fill(result) {
    this.node.hidden = !result;
    if (!result) return void this.node.replaceChildren();
    const differ = result.changed === 1 ? "1 message differs" : `${count(result.changed)} messages differ`;
    const name = element("h3", { textContent: "Message by message " }, element("span", { className: "oc-quiet", textContent: differ }));
    const head = element("div", { className: "oc-pair-row oc-quiet", "aria-hidden": "true" });
    head.append(...HEADS.map((text, i) => element("span", { textContent: text, className: `oc-pair-${PLACES[i]}` })));
    const list = element("div", { role: "list", className: "oc-pair-list" }, head, ...result.list.map((row) => this.row(row)));
    list.setAttribute("aria-label", "Messages of both requests");
    this.node.replaceChildren(name, list);
    if (result.list_more) this.node.append(element("p", { className: "oc-quiet", textContent: `… and ${count(result.list_more)} rows more: what_if(…).changes` }));
  }

  row([at, sign, ids, who, says, own, draft, here, there, folded]) {
    const texts = [sign, ids, folded ? says : who, folded ? "" : says, count(own), count(draft), here, there];
    const cells = texts.map((text, i) => element("span", { textContent: text, className: `oc-number oc-pair-${PLACES[i]}`, dir: "auto" }));
    if (folded) return element("div", { className: "oc-pair-row oc-pair-fold", role: "listitem" }, ...cells);
    const summary = element("summary", { className: "oc-pair-row", title: SIGN_SAYS[sign] ?? "" }, ...cells);
    const body = element("div", { className: "oc-pair-body" });
    const fold = element("details", { role: "listitem" }, summary, body);
    fold.classList.add({ "−": "oc-pair-gone", "+": "oc-pair-came" }[sign] ?? "oc-pair-changed");
    fold.addEventListener("toggle", () => {
      if (!fold.open || body.childElementCount) return;
      body.replaceChildren(element("p", { className: "oc-quiet", textContent: this.store.alive ? "…" : "The texts are in the kernel, which is gone." }));
      this.store.ask("pair", [at], (found) => body.replaceChildren(...(found ? comparedNodes(found) : [])));
    });
    return fold;
  }
}

export function comparedNodes(found) {
  const name = found.id === null ? "A message that is made, not stored" : `Message ${found.id} · ${found.about}`;
  const left = { name: `own chain: ${found.state}`, text: found.sent, none: "Not sent." };
  const right = { name: `this draft: ${found.other}`, text: found.would, none: "Not sent." };
  return [element("p", { className: "oc-quiet", textContent: name, dir: "auto" }), diffNode(left, right)];
}
