// Whether the network can be armed now, every reason why not with what to do, and what arming rests on: checks, stop
// inputs, guards, and the age of each node's proof.
import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { Age } from "../clock.js";
import { acknowledge, acknowledging, isAcknowledging } from "../commands.js";
import { isBelowArming, toDo } from "../judge.js";
import { isLive } from "../link.js";

/** @type {Record<string, {word: string, look: string}>} */
const WORDS = {
  ready: { word: "Ready to arm", look: "good" },
  "not ready": { word: "Not ready to arm", look: "bad" },
  measuring: { word: "Not known yet: checks are being measured", look: "moving" },
  armed: { word: "Armed", look: "armed" },
};

/** @param {{sim: import("../link.js").Shown}} props */
export function Readiness({ sim }) {
  const said = WORDS[sim.readiness ?? ""];
  if (!said) return null;
  return html`
    <div class="readiness">
      <p class=${`ready-word ${said.look === "bad" && isBelowArming(sim) ? "" : said.look}`} role="status">${said.word}</p>
      ${sim.obstacles.length > 0 && html`
        <ul class="obstacles">
          ${sim.obstacles.map((o) => html`
            <li key=${`${o.name ?? ""} ${o.why}`}>
              ${o.name && html`<code>${o.name}</code> `}${o.why}
              ${o.what_to_do && html`<span class="hint">${toDo(o.what_to_do)}</span>`}
            </li>`)}
        </ul>`}
      <${Acknowledge} sim=${sim} />
      <${Grounds} sim=${sim} />
    </div>`;
}

/** Milliseconds that the button says the same before a click counts. */
const CALM = 1000;

/**
 * Two clicks, the second on what it does: the first one asks the daemon, which answers with a challenge. The second half of a
 * double click counts for nothing, nor does a click on what was just something else, nor a key that repeats.
 * @param {{sim: import("../link.js").Shown}} props
 */
function Acknowledge({ sim }) {
  const open = sim.stops?.open ?? [];
  const stops = JSON.stringify(open);
  const asked = acknowledging.value?.id === sim.id && acknowledging.value.stops === stops;
  const says = open.length === 0 ? "" : `${sim.id} ${asked} ${stops}`;
  const [calm, setCalm] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setCalm(says), CALM);
    return () => clearTimeout(timer);
  }, [says]);
  if (open.length === 0) return null;
  const ready = isLive(sim.id) && calm === says && !isAcknowledging.value;
  /** @param {MouseEvent} e */
  const click = (e) => { if (ready && e.detail < 2) acknowledge(sim.id, stops); };
  return html`
    <button type="button" class=${`acknowledge ${asked ? "grave" : ""}`} aria-disabled=${!ready} onClick=${click}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => { if (e.repeat) e.preventDefault(); }}>
      ${asked ? `I have looked: acknowledge ${open.length === 1 ? "the stop" : `${open.length} stops`}` : "Acknowledge…"}
    </button>`;
}

/** @param {{sim: import("../link.js").Shown}} props */
function Grounds({ sim }) {
  const inputs = sim.stops?.inputs ?? [];
  const proven = sim.nodes.filter((n) => n.proof_age_s !== undefined);
  if (sim.checks.length + inputs.length + sim.guards.length + proven.length === 0) return null;
  return html`
    <details class="grounds">
      <summary>What arming rests on</summary>
      <ul>
        ${sim.checks.map((c) => html`
          <li key=${`check ${c.name} ${c.kind} ${c.subject}`} class=${!c.known ? "" : c.passes ? "good" : c.warn ? "warn" : "bad"}>
            <${Mark} of=${!c.known ? "…" : c.passes ? "✓" : c.warn ? "!" : "✕"} /><code>${c.name}</code> ${c.subject} ${found(c)}${when(c)}
          </li>`)}
        ${inputs.map((i) => html`
          <li key=${`stop ${i.topic}`} class=${i.kind === "clear" ? "good" : "bad"}>
            <${Mark} of=${i.kind === "clear" ? "✓" : "✕"} />stop input <code>${i.topic}</code> ${i.kind}${i.why ? `: ${i.why}` : ""}${
              i.age_s !== undefined && html`, heard <${Age} since=${sim.since - i.age_s * 1000} /> ago`}
          </li>`)}
        ${sim.guards.map((g) => html`
          <li key=${`guard ${g.id}`} class=${g.alive ? "good" : "bad"}>
            <${Mark} of=${g.alive ? "✓" : "✕"} />guard ${g.id} ${g.alive ? `covers ${g.nodes.join(", ") || "nothing"}` : "covers nothing"}${g.cause ? `: ${g.cause}` : ""}
          </li>`)}
        ${proven.map((n) => html`
          <li key=${`proof ${n.name}`}>
            <${Mark} of="✓" /><code>${n.name}</code> proven <${Age} since=${sim.since - (n.proof_age_s ?? 0) * 1000} /> ago
          </li>`)}
      </ul>
      <p class="hint">rstate measures all of it anew when the command comes.</p>
    </details>`;
}

/** The sign beside a colour. @param {{of: string}} props */
const Mark = ({ of }) => html`<span class="mark" aria-hidden="true">${of}</span>`;

/** What a check found. Its fault may have the value already. @param {import("../../../api").Check} c */
const found = ({ value = "", fault = "" }) => (fault.includes(value) ? fault : value.includes(fault) ? value : `${value} ${fault}`);

/** @param {import("../../../api").Check} c */
const when = (c) => (c.warn ? " (forbids nothing)" : c.when ? ` (to ${c.when})` : "");
