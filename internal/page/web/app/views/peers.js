// Other instances of this simulation, which follow its state and which it follows.
import { html } from "../html.js";

/** @param {{sim: import("../link.js").Shown}} props */
export function Peers({ sim }) {
  return html`
    <table class="peers">
      <thead><tr><th scope="col">Peer</th><th scope="col">State</th><th scope="col">How it is</th></tr></thead>
      <tbody>${sim.peers.map((p) => html`
        <tr key=${p.name} class=${p.required && !p.alive || p.behind ? "strayed" : ""}>
          <th scope="row"><code>${p.name}</code>${p.required && html`<small class="tag">required</small>`}</th>
          <td>${p.alive ? p.state : `last ${p.state || "unknown"}`}${p.target && p.target !== p.state && html`<small> → ${p.target}</small>`}</td>
          <td>${[p.alive ? "" : "not heard", p.behind ? "behind" : "", p.intact ? "" : "not intact", p.cause].filter(Boolean).join("; ") || "in step"}</td>
        </tr>`)}</tbody>
    </table>`;
}
