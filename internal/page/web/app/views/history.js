// What happened, the newest first, as the journal has it.
import { signal } from "@preact/signals";
import { html } from "../html.js";
import { timeOfDay } from "../clock.js";
import { pathOf } from "../api.js";
import { useFetched } from "./fetched.js";

const KINDS = ["command", "refusal", "step", "state", "drift", "peer", "instance"];
const kind = signal("");
const word = signal("");

/** @param {{sim: import("../link.js").Shown}} props */
export function History({ sim }) {
  /** @type {{data: import("../../../api").Entry[] | undefined, note: any}} */
  const { data, note } = useFetched(pathOf(sim.id, `/history?last=200${kind.value ? `&kind=${kind.value}` : ""}`), sim);
  const find = word.value.trim().toLowerCase();
  const rows = (data ?? []).filter((e) => find === "" || `${e.text} ${e.node ?? ""} ${e.client ?? ""}`.toLowerCase().includes(find)).reverse();
  return html`
    <div class="row">
      <label>Kind <select value=${kind} onChange=${(/** @type {any} */ e) => { kind.value = e.target.value; }}>
        <option value="">all</option>${KINDS.map((k) => html`<option value=${k}>${k}</option>`)}
      </select></label>
      <label class="search">Find <input type="search" value=${word} onInput=${(/** @type {any} */ e) => { word.value = e.target.value; }} /></label>
    </div>
    ${note}
    ${data && rows.length === 0 && html`<p class="hint">No entries.</p>`}
    <ol class="history">
      ${rows.map((e) => html`
        <li key=${`${e.run} ${e.n}`} class=${`kind-${e.kind}`}>
          <time>${timeOfDay(e.stamp)}</time> <span class="tag">${e.kind}</span>
          <span>${e.text}${e.client && !e.text.includes(e.client) ? ` (${e.client})` : ""}</span>
        </li>`)}
    </ol>`;
}
