// The last transitions, each step of a node as a bar. The bars that decided how long it took are marked.
import { html } from "../html.js";
import { span, timeOfDay } from "../clock.js";
import { pathOf } from "../api.js";
import { deciding } from "../order.js";
import { transitions } from "../transitions.js";
import { useFetched } from "./fetched.js";

/** The verdicts of steps that failed. */
const BAD = new Set(["refused", "errored", "late", "gone", "unknown"]);

/** How many transitions are shown. */
const SHOWN = 5;

/** @param {{sim: import("../link.js").Shown}} props */
export function Timeline({ sim }) {
  /** @type {{data: import("../../../api").Entry[] | undefined, note: any}} */
  const { data, note } = useFetched(pathOf(sim.id, "/history?last=500"), sim);
  const all = transitions(data ?? []).slice(-SHOWN).reverse();
  return html`
    ${note}
    ${data && all.length === 0 && html`<p class="hint">No transition has ended yet.</p>`}
    ${all.map((t) => html`<${Transition} key=${t.end} transition=${t} />`)}
    <p class="legend hint">
      ${all.some((t) => marked(t).size > 0) && html`<${Sample} kind="critical" of="decided how long it took" /><${Sample} of="ran beside it" />`}
      ${all.some((t) => t.bars.some((b) => BAD.has(b.verdict))) && html`<${Sample} kind="bad" of="failed" />`}
    </p>`;
}

/** @param {{kind?: string, of: string}} props */
const Sample = ({ kind = "", of }) => html`<span><span class=${`bar-sample ${kind}`}></span>${of}</span>`;

/** The bars of a transition that are marked. @param {import("../transitions.js").Transition} t */
const marked = (t) => deciding(t.bars, t.end - t.begin);

/** @param {{transition: import("../transitions.js").Transition}} props */
function Transition({ transition: t }) {
  const whole = Math.max(t.end - t.begin, 0.001);
  const path = marked(t);
  /** @param {number} at */
  const place = (at) => Math.min(100, Math.max(0, ((at - t.begin) / whole) * 100));
  return html`
    <figure class="transition">
      <figcaption><time>${timeOfDay(new Date(t.end * 1000).toISOString())}</time> <strong>${t.title}</strong> in ${span(whole)}${
        t.verdict ? `: ${t.verdict}` : ""}</figcaption>
      <table><tbody>
        ${t.bars.map((b) => html`
          <tr key=${`${b.node} ${b.step} ${b.end}`}><th scope="row"><code>${b.node}</code> ${b.step}</th>
            <td><div class="track"><div class=${`span ${path.has(b) ? "critical" : ""} ${BAD.has(b.verdict) ? "bad" : ""}`}
              style=${{ left: `${place(b.begin)}%`, width: `${Math.max(0.8, place(b.end) - place(b.begin))}%` }}></div></div></td>
            <td class="took">${span(b.end - b.begin)}${path.has(b) ? html`<span class="sr"> decided how long it took</span>` : ""}${b.verdict === "done" ? "" : ` ${b.verdict}`}</td>
          </tr>`)}
      </tbody></table>
    </figure>`;
}
