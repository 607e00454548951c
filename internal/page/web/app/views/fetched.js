// Data that are asked for, and asked for again when the network has changed.
import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { ask, Refused } from "../api.js";
import { Age, ms } from "../clock.js";
import { isLive } from "../link.js";

/** Milliseconds from a change until the data are asked for, so that several changes cost one request. */
const GATHER = 250;

/** Changes with all that is worth an entry in the journal. @param {import("../link.js").Shown} sim */
const version = (sim) => JSON.stringify([sim.run, sim.state, sim.settled, sim.cause, sim.failure?.stamp, sim.refusal?.stamp,
  sim.may_be_armed, sim.deviations.map((d) => [d.name, d.found]), sim.progress?.done, sim.peers.map((p) => [p.name, p.alive, p.state])]);

/**
 * @template T
 * @param {string} path
 * @param {import("../link.js").Shown} sim
 * @returns {{data: T | undefined, note: any}} note says how old the data are, or why there are none
 */
export function useFetched(path, sim) {
  const [got, setGot] = useState(/** @type {{path: string, data?: T, at?: number, fault?: string}} */ ({ path }));
  const [tries, setTries] = useState(0);
  const live = isLive(sim.id);
  useEffect(() => {
    if (!live) return undefined;
    let over = false;
    const timer = setTimeout(async () => {
      try {
        const at = ms();
        const data = await ask("GET", path);
        if (!over) setGot({ path, data, at });
      } catch (e) {
        if (!(e instanceof Refused)) throw e;
        if (over) return;
        if (e.givenUp) setTries((n) => n + 1);
        else setGot((old) => ({ ...old, fault: e.message }));
      }
    }, GATHER);
    return () => { over = true; clearTimeout(timer); };
  }, [path, version(sim), live, tries]);
  const mine = got.path === path ? got : { path };
  const note = mine.fault ? html`<p class="hint bad">${mine.fault}</p>`
    : mine.at === undefined ? html`<p class="hint">Loading…</p>`
      : !live && html`<p class="hint bad">As it was <${Age} since=${mine.at} /> ago.</p>`;
  return { data: mine.data, note };
}
