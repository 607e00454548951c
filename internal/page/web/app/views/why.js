// Why the network is in its state: the tree that `rstate why` prints.
import { html } from "../html.js";
import { timeOfDay } from "../clock.js";
import { pathOf } from "../api.js";
import { LINK, short, showNode } from "../route.js";
import { useFetched } from "./fetched.js";

/** @typedef {import("../../../api").Why} Tree */

/** @param {{sim: import("../link.js").Shown}} props */
export function Why({ sim }) {
  /** @type {{data: Tree | undefined, note: any}} */
  const { data, note } = useFetched(pathOf(sim.id, "/why"), sim);
  return html`${note}${data && html`<ul class="tree"><${Branch} tree=${data} /></ul>`}`;
}

/** @param {{tree: Tree}} props */
function Branch({ tree }) {
  const node = tree.node;
  return html`
    <li>
      ${tree.at && html`<time>${timeOfDay(tree.at)}</time> `}${tree.text}
      ${node && html` <button type="button" class="plain small" onClick=${() => showNode(node)}>Show ${short(node, LINK)}</button>`}
      ${tree.try.map((t) => html`<p class="try">Try <code>${t}</code></p>`)}
      ${tree.because.length > 0 && html`<ul>${tree.because.map((child) => html`<${Branch} tree=${child} />`)}</ul>`}
    </li>`;
}
