// What a person can command, and what came of the last command.
import { html } from "../html.js";
import { Age, now } from "../clock.js";
import { authority, reason, report } from "../commands.js";
import { ArmButton } from "./arm-button.js";
import { CommandRow, Ending } from "./command-row.js";
import { Readiness } from "./readiness.js";

/** @param {{sim: import("../link.js").Shown}} props */
export function Commands({ sim }) {
  const arming = sim.commands.filter((c) => c.arms);
  return html`
    <section class="panel commands" aria-labelledby="commands-title">
      <h2 id="commands-title">Commands</h2>
      <${CommandRow} key=${sim.id} sim=${sim} />
      <${Readiness} sim=${sim} />
      ${arming.length > 0 && html`
        <div class="arming">
          ${sim.authority && html`<label>Authority <input type="password" autocomplete="off" value=${authority}
            onInput=${(/** @type {any} */ e) => { authority.value = e.target.value; }} /></label>`}
          ${arming.map((c) => html`<${ArmButton} key=${c.name} sim=${sim} command=${c} />`)}
        </div>`}
      ${!sim.ended && html`
        <label class="reason">Reason, for the history <input type="text" maxlength="200" autocomplete="off" value=${reason}
          onInput=${(/** @type {any} */ e) => { reason.value = e.target.value; }} /></label>`}
      <${Outcome} sim=${sim} />
      <${Ending} key=${sim.id} sim=${sim} />
    </section>`;
}

/** @param {{sim: import("../link.js").Shown}} props */
function Outcome({ sim }) {
  const mine = report.value?.id === sim.id ? report.value : undefined;
  const fresh = mine && (mine.state !== "done" || now.value - mine.at < 20000);
  const refusal = !fresh && sim.refusal;
  return html`
    <div class=${`outcome ${fresh ? mine.state : ""}`} role="status">
      ${fresh && html`<p>${mine.text} <small>(<${Age} since=${mine.at} /> ago)</small></p>`}
      ${refusal && html`<p class="hint">Refused: ${refusal.command}${refusal.client ? ` of ${refusal.client}` : ""}. ${refusal.why}</p>`}
    </div>`;
}
