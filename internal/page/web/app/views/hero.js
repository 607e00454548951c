// The state in large, on two axes: is it as commanded, and is it intact. Then the one thing to know first.
import { html } from "../html.js";
import { Age, now, span } from "../clock.js";
import { asCommanded, causeOf, diagnosis, health, lookOf } from "../judge.js";
import { LINK, short, showNode } from "../route.js";

/** @param {{sim: import("../link.js").Shown}} props */
export function Hero({ sim }) {
  const look = lookOf(sim);
  const commanded = asCommanded(sim);
  const whole = health(sim);
  return html`
    <section class=${`hero look-${look} ${diagnosis(sim)?.grave ? "broken" : ""}`} aria-labelledby="state-title">
      <h1 id="state-title" class="sr">State of ${sim.name}</h1>
      <p class="state" aria-live="polite">${sim.state}</p>
      <p class="axes">
        <${Chip} ok=${commanded.ok} moving=${!!sim.progress} word=${commanded.word} />
        <${Chip} ok=${whole.ok} word=${whole.word} />
        ${sim.may_be_armed.length > 0 && html`<span class="chip armed">▲ ${armedWord(sim)}</span>`}
      </p>
      ${sim.progress ? html`<${Progress} sim=${sim} progress=${sim.progress} />` : html`<p class="cause">${causeOf(sim)}</p>`}
      ${sim.lease && html`<${Lease} lease=${sim.lease} since=${sim.since} />`}
    </section>`;
}

/** @param {import("../link.js").Shown} sim */
function armedWord(sim) {
  const sure = sim.nodes.filter((n) => n.armed).length;
  return sure === sim.may_be_armed.length ? `armed: ${sim.may_be_armed.join(", ")}` : `may be armed: ${sim.may_be_armed.join(", ")}`;
}

/** @param {{ok: boolean, moving?: boolean, word: string}} props */
function Chip({ ok, moving, word }) {
  const mark = ok ? "✓" : moving ? "…" : "!";
  return html`<span class=${`chip ${ok ? "good" : moving ? "moving" : "bad"}`}><span aria-hidden="true">${mark} </span>${word}</span>`;
}

/** @param {{sim: import("../link.js").Shown, progress: import("../../../api").Progress}} props */
function Progress({ sim, progress }) {
  const running = progress.elapsed_s + (now.value - sim.since) / 1000;
  const left = progress.time_left_s === undefined ? undefined : Math.max(0, progress.time_left_s - (now.value - sim.since) / 1000);
  const what = progress.command || (progress.recovery ? `recovery (${progress.recovery})` : "rstate acts by itself");
  return html`
    <div class="progress">
      <progress max=${Math.max(1, progress.total)} value=${progress.done} aria-label="Steps of nodes"></progress>
      <p>${what}${progress.client ? ` for ${progress.client}` : ""}: ${progress.done} of ${progress.total} steps, for ${span(running)}${
        left === undefined ? "" : `, at most ${span(left)} more`}</p>
      ${progress.waiting_for.length > 0 && html`<p class="hint">Waits for ${progress.waiting_for.join("; ")}</p>`}
    </div>`;
}

/** @param {{lease: import("../../../api").Lease, since: number}} props */
function Lease({ lease, since }) {
  return html`<p class="hint">Arm lease ${lease.term}, renewed <${Age} since=${since - lease.age_s * 1000} /> ago</p>`;
}

/** @param {{sim: import("../link.js").Shown}} props */
export function Diagnosis({ sim }) {
  const found = diagnosis(sim);
  if (!found) return null;
  const name = found.to;
  return html`
    <section class=${`diagnosis ${found.grave ? "grave" : ""}`} aria-label="Diagnosis">
      <p>${found.text}</p>
      ${name && html`<button type="button" class="plain" onClick=${() => showNode(name)}>Show ${short(name, LINK)}</button>`}
    </section>`;
}
