// All nodes in the order of the file: state, what each does or waits for, and its proof.
import { signal } from "@preact/signals";
import { html } from "../html.js";
import { Age, now, span } from "../clock.js";
import { lookOfNode, remark, strays } from "../judge.js";
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
  const rows = sim.nodes.filter((n) => word === "" || `${n.name} ${n.state} ${remark(n, sim)}`.toLowerCase().includes(word));
  return html`
    <section class="panel nodes" aria-labelledby="nodes-title">
      <div class="row">
        <h2 id="nodes-title">Nodes</h2>
        ${sim.nodes.length > SEARCHED && html`<label class="search">Find <input type="search" value=${wanted}
          onInput=${(/** @type {any} */ e) => { wanted.value = e.target.value; }} /></label>`}
        ${word && html`<span class="hint" role="status">${rows.length} of ${sim.nodes.length}</span>`}
      </div>
      ${sim.nodes.length <= DRAWN && sim.nodes.length > 1 && html`<${Graph} sim=${sim} />`}
      <table>
        <thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">What it does or waits for</th></tr></thead>
        <tbody>${rows.map((n) => html`<${Row} key=${n.name} node=${n} sim=${sim} />`)}</tbody>
      </table>
    </section>`;
}

/** @param {{node: import("../../../api").Node, sim: import("../link.js").Shown}} props */
function Row({ node, sim }) {
  const strayed = strays(node, sim);
  const differs = node.lifecycle && node.expected !== node.state && node.expected !== "unknown";
  return html`
    <tr id=${rowID(node.name)} tabindex="-1" class=${strayed ? (node.optional ? "spare" : "strayed") : ""}>
      <th scope="row"><code>${node.name}</code>
        ${node.optional && html`<small class="tag">optional</small>`}
        ${!node.lifecycle && html`<small class="tag">plain</small>`}</th>
      <td><${State} node=${node} />${differs && html`<small class="expected"> → ${node.expected}</small>`}
        <${Armed} node=${node} /></td>
      <td class="remark">${remark(node, sim)}
        ${node.running && node.time_left_s !== undefined && html`<small> at most <${Left} node=${node} sim=${sim} /> more</small>`}
        ${node.proof_age_s !== undefined && html`<small class="proof"> proven <${Age} since=${sim.since - node.proof_age_s * 1000} /> ago</small>`}</td>
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

/** @param {{node: import("../../../api").Node, sim: import("../link.js").Shown}} props */
const Left = ({ node, sim }) => html`${span(Math.max(0, (node.time_left_s ?? 0) - (now.value - sim.since) / 1000))}`;
