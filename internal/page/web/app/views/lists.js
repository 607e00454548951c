// The lists beside the nodes, one at a time: why, timeline, history, and what else this network has.
import { html } from "../html.js";
import { list, to } from "../route.js";
import { simulations } from "../link.js";
import { Why } from "./why.js";
import { Timeline } from "./timeline.js";
import { History } from "./history.js";
import { Peers } from "./peers.js";
import { Loop } from "./loop.js";
import { Simulations } from "./simulations.js";
import { WhatIf } from "./what-if.js";

/** @typedef {import("../link.js").Shown} Shown */
/** @type {{name: string, title: string, has?: (sim: Shown) => boolean, view: (props: {sim: Shown}) => any}[]} */
const LISTS = [
  { name: "why", title: "Why", view: Why },
  { name: "timeline", title: "Timeline", view: Timeline },
  { name: "history", title: "History", view: History },
  { name: "peers", title: "Peers", has: (sim) => sim.peers.length > 0, view: Peers },
  { name: "loop", title: "Loop", has: (sim) => sim.loop !== undefined, view: Loop },
  { name: "simulations", title: "Simulations", has: () => simulations.value.size > 1, view: Simulations },
  { name: "what-if", title: "What if?", has: () => document.body.hasAttribute("data-rehearses"), view: WhatIf },
];

/** @param {{sim: Shown}} props */
export function Lists({ sim }) {
  const present = LISTS.filter((l) => !l.has || l.has(sim));
  const shown = present.find((l) => l.name === list.value) ?? present[0];
  if (!shown) return null;
  /** @param {KeyboardEvent} e */
  const move = (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const next = present[(present.indexOf(shown) + step + present.length) % present.length];
    if (!next) return;
    e.preventDefault();
    location.hash = to(sim.id, next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return html`
    <section class="panel lists" aria-label="More about this network">
      <div class="tabs" role="tablist" aria-label="Lists" onKeyDown=${move}>
        ${present.map((l) => html`
          <button key=${l.name} id=${`tab-${l.name}`} type="button" role="tab" aria-selected=${l === shown} aria-controls="list"
            tabindex=${l === shown ? 0 : -1} onClick=${() => { location.hash = to(sim.id, l.name); }}>${l.title}</button>`)}
      </div>
      <div id="list" role="tabpanel" tabindex="0" aria-labelledby=${`tab-${shown.name}`}><${shown.view} key=${sim.id} sim=${sim} /></div>
    </section>`;
}
