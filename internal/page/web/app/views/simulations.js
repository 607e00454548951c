// All simulations of a factory.
import { html } from "../html.js";
import { lookOf } from "../judge.js";
import { simulations } from "../link.js";
import { to } from "../route.js";

/** @param {{sim: import("../link.js").Shown}} props */
export function Simulations({ sim }) {
  return html`
    <table class="simulations">
      <thead><tr><th scope="col">Simulation</th><th scope="col">State</th><th scope="col">How it is</th></tr></thead>
      <tbody>${[...simulations.value.values()].map((s) => html`
        <tr key=${s.id} class=${s.intact ? "" : "strayed"}>
          <th scope="row"><a href=${to(s.id, "simulations")} aria-current=${s.id === sim.id ? "page" : undefined}>${s.name}</a>
            ${s.owner && html`<small class="tag">${s.owner}</small>`}</th>
          <td><span class=${`state-word look-${lookOf(s)}`}>${s.state}</span></td>
          <td>${[s.ended ? "ended" : "", s.intact ? "" : "not intact", s.outcome ?? "", s.may_be_armed.length ? "may be armed" : ""].filter(Boolean).join("; ") || "intact"}</td>
        </tr>`)}</tbody>
    </table>`;
}
