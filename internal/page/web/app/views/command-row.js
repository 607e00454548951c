// The commands in their fixed places, and apart from them those that end the network, which need a second step.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { send } from "../commands.js";
import { endings, rowOf, situation, whyNot } from "../judge.js";
import { isLive } from "../link.js";
import { CalmButton } from "./calm-button.js";

/** @typedef {import("../../../api").Command} Command */

/** A command that raises stands out. @param {Command} c */
const look = (c) => (!c.why_not && (c.role === "configure" || c.role === "activate") ? "primary" : "");

/** What a button says. Its name is a text of its own. @param {Command} c */
const label = (c) => html`${c.name}${c.to && html`<small> → ${c.to}</small>`}`;

/** @param {{sim: import("../link.js").Shown}} props */
export function CommandRow({ sim }) {
  const [hint, tell] = useState("");
  const live = isLive(sim.id);
  const row = rowOf(sim);
  if (row.length === 0) return null;
  return html`
    <div class="buttons">
      ${row.map((c) => html`
        <${CalmButton} key=${c.name} of=${sim.id} look=${look(c)} why=${whyNot(c, live)}
          tell=${(/** @type {string} */ text) => tell(text && `${c.name}: ${text}`)} act=${() => send(sim.id, c.name)}>
          ${label(c)}<//>`)}
    </div>
    <p class="hint why-not" role="status">${hint}</p>`;
}

/** @param {{sim: import("../link.js").Shown}} props */
export function Ending({ sim }) {
  const [hint, tell] = useState("");
  const [asked, ask] = useState(""); // the situation in which the first step was taken
  const part = useRef(/** @type {HTMLElement | null} */ (null));
  const live = isLive(sim.id);
  const all = endings(sim);
  const open = asked === situation(sim);
  useEffect(() => {
    if (!open) return undefined;
    /** @param {Event} e */
    const away = (e) => { if (!part.current?.contains(/** @type {Node} */ (e.target))) ask(""); };
    addEventListener("pointerdown", away, true);
    return () => removeEventListener("pointerdown", away, true);
  }, [open]);
  if (all.length === 0) return null;
  const usable = all.find((c) => !c.why_not);
  return html`
    <div class="ending" ref=${part} onKeyDown=${(/** @type {KeyboardEvent} */ e) => { if (e.key === "Escape") ask(""); }}>
      <${CalmButton} of=${sim.id} look="grave" why=${whyNot(usable ?? all[0], live)} tell=${tell} more=${{ "aria-expanded": open }}
        act=${() => ask(open ? "" : situation(sim))}>End the network…<//>
      ${open && html`
        <div class="ending-step">
          <p role="alert">This ends the network for good: no command leads back.</p>
          ${all.map((c) => html`
            <${CalmButton} key=${c.name} of=${sim.id} look="grave" why=${whyNot(c, live)} tell=${tell}
              act=${() => { ask(""); send(sim.id, c.name); }}>${label(c)}<//>`)}
          <button type="button" class="plain" onClick=${() => ask("")}>Cancel</button>
        </div>`}
      <p class="hint why-not" role="status">${hint}</p>
    </div>`;
}
