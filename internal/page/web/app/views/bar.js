// The bar at the top: which network this is, whether what is shown is so now, and Disarm, which is always there.
import { html } from "../html.js";
import { age, now } from "../clock.js";
import { disarm, disarmReports, reportDisarm } from "../commands.js";
import { armable } from "../judge.js";
import { isLive, lastNews, link, simulations } from "../link.js";
import { to } from "../route.js";
import { TokenButton } from "./token.js";

/** @param {{sim: import("../link.js").Shown | undefined}} props */
export function Bar({ sim }) {
  return html`
    <header class="bar">
      ${sim && html`<${Disarm} sim=${sim} />`}
      <div class="bar-facts">
        <div class="bar-name">
          <span class="brand">rstate</span>
          ${sim && (simulations.value.size > 1 ? html`<${Switch} sim=${sim} />` : html`<strong>${sim.id}</strong> <code>${sim.name}</code>`)}
        </div>
        <${Link} id=${sim?.id} />
        <${TokenButton} />
      </div>
    </header>`;
}

/** @param {{sim: import("../link.js").Shown}} props */
function Switch({ sim }) {
  const all = [...simulations.value.values()];
  return html`
    <select aria-label="Simulation" value=${sim.id}
      onChange=${(/** @type {any} */ e) => { location.hash = to(e.target.value); }}>
      ${all.map((s) => html`<option key=${s.id} value=${s.id}>${s.name}: ${s.state}${s.intact ? "" : ", not intact"}</option>`)}
    </select>`;
}

/** @param {{id: string | undefined}} props */
function Link({ id }) {
  const ago = age((now.value - lastNews(id)) / 1000);
  const stalled = link.value === "live" && id !== undefined && !isLive(id);
  const word = stalled ? `The daemon is unresponsive, last heard ${ago} ago`
    : link.value === "live" ? "Live" : link.value === "stale" ? `No news for ${ago}` : "Connecting…";
  return html`
    <p class=${`link ${stalled ? "stale" : link.value}`} role="status">
      <span class="dot" aria-hidden="true"></span>${word}
    </p>`;
}

/** @param {{sim: import("../link.js").Shown}} props */
function Disarm({ sim }) {
  const command = sim.disarm;
  if (!command || !armable(sim)) return null;
  const mine = disarmReports.value.get(sim.id);
  const fresh = mine && (mine.state !== "done" || now.value - mine.at < 15000);
  const loud = sim.may_be_armed.length > 0;
  return html`
    <div class="disarm">
      <button type="button" class=${`disarm-button ${loud ? "loud" : ""}`} onClick=${() => disarm(sim.id, command)}>
        Disarm
      </button>
      <p class=${`disarm-report ${mine?.state ?? ""}`} role="alert">${fresh ? mine.text : ""}</p>
      ${mine?.state === "failed" && html`<button type="button" class="plain small" onClick=${() => reportDisarm(sim.id)}>Close</button>`}
    </div>`;
}
