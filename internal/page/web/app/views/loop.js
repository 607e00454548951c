// The stepped loop: how far it is, its rate, and which participant takes longest.
import { html } from "../html.js";
import { span } from "../clock.js";

/** @param {{sim: import("../link.js").Shown}} props */
export function Loop({ sim }) {
  const loop = sim.loop;
  if (!loop) return null;
  const slow = [...loop.participants].sort((a, b) => b.mean_s - a.mean_s);
  const longest = Math.max(0.000001, ...slow.map((p) => p.mean_s));
  return html`
    <dl class="facts">
      <dt>Phase</dt><dd>${loop.phase ?? "stands"}</dd>
      <dt>Step</dt><dd>${loop.step}</dd>
      <dt>Simulated time</dt><dd>${loop.time_s.toFixed(3)} s</dd>
      <dt>Rate</dt><dd>${loop.rate_hz.toFixed(1)} steps per second</dd>
      <dt>Overruns</dt><dd>${loop.overruns}</dd>
      ${sim.outcome && html`<dt>Outcome</dt><dd>${sim.outcome}</dd>`}
    </dl>
    ${loop.fault && html`<p class="bad">${loop.fault}</p>`}
    ${slow.length > 0 && html`
      <h3>Slowest first</h3>
      <table class="slowest">
        <thead><tr><th scope="col">Participant</th><th scope="col">Mean</th><th scope="col">Longest</th></tr></thead>
        <tbody>${slow.map((p, k) => html`
          <tr key=${`${p.node} ${p.phase}`}>
            <th scope="row"><code>${p.node}</code> <small>${p.phase}</small>
              <div class="track"><div class=${`span ${k === 0 ? "critical" : ""}`} style=${{ width: `${(p.mean_s / longest) * 100}%` }}></div></div></th>
            <td>${span(p.mean_s)}</td><td>${span(p.max_s)}</td>
          </tr>`)}</tbody>
      </table>`}`;
}
