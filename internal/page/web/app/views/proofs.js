// What arming rests on, or will rest on: each node with its state, its checks and the age of its proof.
import { html } from "../html.js";
import { Age } from "../clock.js";

/** @param {{sim: import("../link.js").Shown}} props */
export function Proofs({ sim }) {
  const asked = sim.nodes.filter((n) => !n.optional);
  const bad = asked.filter((n) => n.failing.length > 0 || !n.present || n.lifecycle && n.state !== n.expected);
  const word = bad.length === 0 ? "Nothing speaks against arming" : "Not ready to arm";
  return html`
    <details class="proofs">
      <summary class=${bad.length ? "bad" : "good"}>${word}</summary>
      <ul>
        ${asked.map((n) => html`
          <li key=${n.name} class=${bad.includes(n) ? "bad" : "good"}>
            <code>${n.name}</code> ${n.present ? (n.lifecycle ? n.state : "present") : "lost"}${n.failing.map((f) => `; ${f}`).join("")}
            ${n.proof_age_s !== undefined && html`, proven <${Age} since=${sim.since - n.proof_age_s * 1000} /> ago`}
          </li>`)}
      </ul>
      <p class="hint">rstate asks every node anew when the command comes.</p>
    </details>`;
}
