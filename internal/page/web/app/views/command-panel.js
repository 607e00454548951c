// The commands that are legal now, and what came of the last one.
import { html } from "../html.js";
import { Age, now } from "../clock.js";
import { authority, reason, report, send } from "../commands.js";
import { isLive } from "../link.js";
import { ArmButton } from "./arm-button.js";
import { Readiness } from "./readiness.js";

/** What a command is for: one that raises stands out, and one that ends is marked. @param {import("../../../api").Command} c */
const rank = (c) => (c.role === "shutdown" ? "grave" : c.role === "configure" || c.role === "activate" ? "primary" : "");

/** @param {{sim: import("../link.js").Shown}} props */
export function Commands({ sim }) {
  const live = isLive(sim.id);
  const arming = sim.commands.filter((c) => c.arms);
  const others = sim.commands.filter((c) => !c.arms && c.name !== sim.disarm);
  return html`
    <section class="panel commands" aria-labelledby="commands-title">
      <h2 id="commands-title">Commands</h2>
      ${sim.commands.length === 0 && html`<p class="hint">${sim.ended ? "This network has ended." : "No command is legal now."}</p>`}
      ${others.length > 0 && html`<div class="buttons">
        ${others.map((c) => html`
          <button key=${c.name} type="button" class=${rank(c)} aria-disabled=${!live}
            onClick=${() => live && send(sim.id, c.name)}>${c.name}${c.to && html`<small> → ${c.to}</small>`}</button>`)}
      </div>`}
      <${Readiness} sim=${sim} />
      ${arming.length > 0 && html`
        <div class="arming">
          ${sim.authority && html`<label>Authority <input type="password" autocomplete="off" value=${authority}
            onInput=${(/** @type {any} */ e) => { authority.value = e.target.value; }} /></label>`}
          ${arming.map((c) => html`<${ArmButton} key=${c.name} sim=${sim} command=${c} />`)}
        </div>`}
      ${sim.commands.length > 0 && html`
        <label class="reason">Reason, for the history <input type="text" maxlength="200" autocomplete="off" value=${reason}
          onInput=${(/** @type {any} */ e) => { reason.value = e.target.value; }} /></label>`}
      <${Outcome} sim=${sim} />
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
