// What would happen if a node failed now: the engine of the daemon plays it on simulated nodes, in the page.
import { useState } from "preact/hooks";
import { html } from "../html.js";
import { span } from "../clock.js";
import { MISHAPS, rehearse } from "../rehearsal.js";

/** @typedef {import("../rehearsal.js").Outlook} Outlook */

/** @param {{sim: import("../link.js").Shown}} props */
export function WhatIf({ sim }) {
  const [node, setNode] = useState("");
  const [mishap, setMishap] = useState("die");
  const [played, setPlayed] = useState(/** @type {{from?: string, busy?: boolean, fault?: string, list?: Outlook[]}} */ ({}));
  /** @param {import("../rehearsal.js").Question} question */
  const play = async (question) => {
    setPlayed({ busy: true });
    try {
      setPlayed({ from: question.state, list: await rehearse(sim, question) });
    } catch (e) {
      setPlayed({ fault: e instanceof Error ? e.message : String(e) });
    }
  };
  const present = { state: sim.settled ? sim.state : sim.target, absent: sim.nodes.filter((n) => !n.present).map((n) => n.name) };
  const chosen = node || sim.nodes[0]?.name || "";
  return html`
    <div class="what-if">
      <div class="row">
        <label>If <select value=${chosen} onChange=${(/** @type {any} */ e) => setNode(e.target.value)}>
          ${sim.nodes.map((n) => html`<option key=${n.name} value=${n.name}>${n.name}</option>`)}</select></label>
        <label>fails: <select value=${mishap} onChange=${(/** @type {any} */ e) => setMishap(e.target.value)}>
          ${Object.entries(MISHAPS).map(([name, words]) => html`<option key=${name} value=${name}>${words}</option>`)}</select></label>
        <button type="button" onClick=${() => play({ ...present, node: chosen, mishap })}>Play it from ${present.state}</button>
        <button type="button" class="plain" onClick=${() => play(present)}>Every single fault</button>
      </div>
      <p class="hint">Nothing is sent to the robot: simulated nodes, the daemon's own rules, in this page.</p>
      <div role="status">
        ${played.busy && html`<p class="hint">Playing…</p>`}
        ${played.fault && html`<p class="bad">Cannot play it: ${played.fault}</p>`}
        ${played.list && (played.list.length === 1 ? html`<${Story} one=${played.list[0]} from=${played.from} />`
          : html`<${Table} list=${played.list} from=${played.from} />`)}
      </div>
    </div>`;
}

/** @param {Outlook} o */
const end = (o) => `${o.state}${o.intact ? "" : ", not intact"}${o.armed.length ? `, may be armed: ${o.armed.join(", ")}` : ""}`;

/** @param {{one: Outlook, from: string}} props */
function Story({ one, from }) {
  return html`
    <h3>If ${one.node} fails in ${from}: ${MISHAPS[one.mishap]}</h3>
    <p class="outlook">The network ends up <strong>${end(one)}</strong>, after ${span(one.took_s)}.</p>
    ${one.fault && html`<p class="bad">${one.fault}</p>`}
    <ol class="history">${one.story.map((m, k) => html`<li key=${k}><time>+${span(m.after_s)}</time> ${m.text}</li>`)}</ol>`;
}

/** @param {{list: Outlook[], from: string}} props */
function Table({ list, from }) {
  const nodes = [...new Set(list.map((o) => o.node))];
  const mishaps = Object.keys(MISHAPS).filter((m) => list.some((o) => o.mishap === m));
  return html`
    <h3>Where the network ends up from ${from}</h3>
    <table class="outlooks">
      <thead><tr><th scope="col">Node</th>${mishaps.map((m) => html`<th scope="col" key=${m}>${MISHAPS[m]}</th>`)}</tr></thead>
      <tbody>${nodes.map((name) => html`
        <tr key=${name}><th scope="row"><code>${name}</code></th>
          ${mishaps.map((m) => {
            const o = list.find((one) => one.node === name && one.mishap === m);
            return html`<td key=${m} data-of=${MISHAPS[m]}><span class=${o && !o.intact ? "bad" : ""}>${
              o ? html`${end(o)} <small>after ${span(o.took_s)}</small>` : "–"}</span></td>`;
          })}
        </tr>`)}</tbody>
    </table>`;
}
