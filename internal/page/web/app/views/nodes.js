// All nodes in the order of the file: state, what each does or waits for, and its proof.
import { signal } from "@preact/signals";
import { html, memo } from "../html.js";
import { Age, now, span } from "../clock.js";
import { blamed, lookOfNode, remark } from "../judge.js";
import { rowID } from "../route.js";
import { Graph } from "./graph.js";

/** A graph of more nodes than this is no picture any more. */
const DRAWN = 40;

/** A table of more nodes than this has a field to search. */
const SEARCHED = 12;

const wanted = signal("");

/** @param {{sim: import("../link.js").Shown}} props */
export function Nodes({ sim }) {
  const word = wanted.value.trim().toLowerCase();
  const strayed = new Set(sim.deviations.map((d) => d.name));
  const guilty = blamed(sim);
  const all = sim.nodes.map((node) => ({ node, note: remark(node, sim), strayed: strayed.has(node.name), guilty: node.name === guilty }));
  const rows = all.filter(({ node, note }) => word === "" || `${node.name} ${wordOf(node)} ${note}`.toLowerCase().includes(word));
  return html`
    <section class=${`panel nodes ${sim.nodes.length > SEARCHED ? "long" : ""}`} aria-labelledby="nodes-title">
      <div class="row">
        <h2 id="nodes-title">Nodes</h2>
        ${sim.nodes.length > SEARCHED && html`<label class="search">Find <input type="search" value=${wanted}
          onInput=${(/** @type {any} */ e) => { wanted.value = e.target.value; }} /></label>`}
        ${sim.nodes.length > SEARCHED && html`<span class="hint" role="status">${word ? `${rows.length} of ${sim.nodes.length}` : counts(sim.nodes)}</span>`}
      </div>
      ${sim.nodes.length <= DRAWN && sim.nodes.length > 1 && html`<${Graph} sim=${sim} />`}
      <table>
        <thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Detail</th></tr></thead>
        <tbody>${rows.map((r) => html`<${Row} key=${r.node.name} ...${r} since=${sim.since} />`)}</tbody>
      </table>
    </section>`;
}

/** How a node is, in the words of its row. @param {import("../../../api").Node} node */
const wordOf = (node) => `${!node.present ? "lost" : node.lifecycle ? node.state : "present"}${
  node.may_be_armed ? ` ${node.armed ? "armed" : "may be armed"}` : ""}`;

/** How many nodes are in each state: "198 active, 2 lost". @param {import("../../../api").Node[]} nodes */
function counts(nodes) {
  /** @type {Map<string, number>} */
  const of = new Map();
  for (const n of nodes) of.set(wordOf(n), (of.get(wordOf(n)) ?? 0) + 1);
  return [...of].sort((a, b) => b[1] - a[1]).map(([word, n]) => `${n} ${word}`).join(", ");
}

/** @typedef {{node: import("../../../api").Node, note: string, strayed: boolean, guilty: boolean, since: number}} RowProps */

/** A row whose text has no age is the same until its node changes. */
const Row = memo(row, (/** @type {RowProps} */ a, /** @type {RowProps} */ b) => a.node === b.node && a.note === b.note &&
  a.strayed === b.strayed && a.guilty === b.guilty && (a.since === b.since || !hasAge(b.node)));

/** @param {import("../../../api").Node} node */
const hasAge = (node) => node.proof_age_s !== undefined || node.time_left_s !== undefined;

/** @param {RowProps} props */
function row({ node, note, strayed, guilty, since }) {
  const differs = node.lifecycle && node.expected !== node.state && node.expected !== "unknown";
  return html`
    <tr id=${rowID(node.name)} tabindex="-1" class=${strayed ? (node.optional ? "spare" : "strayed") : guilty ? "blamed" : ""}>
      <th scope="row"><code>${node.name}</code>
        ${node.optional && html`<small class="tag">optional</small>`}
        ${!node.lifecycle && html`<small class="tag">plain</small>`}</th>
      <td><${State} node=${node} />${differs && html`<small class="expected"> → ${node.expected}</small>`}
        <${Armed} node=${node} /></td>
      <td class="remark">${note}
        ${node.running && node.time_left_s !== undefined && html`<small> at most <${Left} node=${node} since=${since} /> more</small>`}
        ${node.proof_age_s !== undefined && html`<small class="proof"> proven <${Age} since=${since - node.proof_age_s * 1000} /> ago</small>`}</td>
    </tr>`;
}

/** @param {{node: import("../../../api").Node}} props */
function State({ node }) {
  if (!node.present) return html`<span class="state-word look-lost"><span aria-hidden="true">✕ </span>lost</span>`;
  if (!node.lifecycle) return html`<span class="state-word look-up">present</span>`;
  const look = node.running ? "moving" : lookOfNode(node.state);
  return html`<span class=${`state-word look-${look}`}>${node.state}</span>`;
}

/** @param {{node: import("../../../api").Node}} props */
function Armed({ node }) {
  if (!node.may_be_armed) return null;
  return html`<span class="state-word look-armed"><span aria-hidden="true">▲ </span>${node.armed ? "armed" : "may be armed"}</span>`;
}

/** @param {{node: import("../../../api").Node, since: number}} props */
const Left = ({ node, since }) => html`${span(Math.max(0, (node.time_left_s ?? 0) - (now.value - since) / 1000))}`;
