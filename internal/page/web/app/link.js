// The connection to the server: what it says of each simulation, and how old that is.
//
// The server sends a whole simulation after each change, and "alive" every second. If no "alive" was sent for STALE ms,
// what is shown may be wrong, and the page says so. It then connects again by itself. What a new connection says first is
// that the server lives: what is shown is old until each simulation has come. A page that is not seen holds no connection,
// because a browser has few for all its pages.
import { batch, computed, effect, signal } from "@preact/signals";
import { now } from "./clock.js";
import { lookForNewer } from "./newer.js";
import { Offset } from "./offset.js";

/** @typedef {import("../../api").Simulation} Simulation */
/** @typedef {Simulation & {since: number}} Shown since: its stamp, in ms of performance.now() */

/** Milliseconds without news after which the page says that it is stale. Two seconds are promised. */
const STALE = 1750;

/** Milliseconds that a new connection has until another one is tried; longer each time. */
const PATIENCE = [3000, 6000, 12000];

/** @type {import("@preact/signals").Signal<Map<string, Shown>>} */
export const simulations = signal(new Map());

/** When the newest "alive" was sent, in ms of performance.now(). */
const newest = signal(/** @type {number | undefined} */ (undefined));

/** The ids of simulations whose loop does not turn. */
const stalled = signal(/** @type {string[]} */ ([]));

/** Whether all simulations of the server are known. */
export const complete = signal(false);

/** Whether all of them have come on the connection that is open. */
const told = signal(false);

/** Whether this page is seen, and so connected. */
const seen = signal(!document.hidden);

/** The word for the connection: "connecting" before all is known, "live", or "stale". */
export const link = computed(() => {
  if (newest.value === undefined || !complete.value) return "connecting";
  return told.value && now.value - newest.value <= STALE ? "live" : "stale";
});

/** Since when nothing is known, in ms of performance.now(). */
export const lastNews = computed(() => newest.value ?? 0);

/** Whether what is shown of a simulation is what its daemon knows now. @param {string} id */
export const isLive = (id) => link.value === "live" && !stalled.value.includes(id);

/** Connects, and stays connected while the page is seen. */
export function startLink() {
  document.addEventListener("visibilitychange", () => { seen.value = !document.hidden; });
  effect(() => {
    if (!seen.value) return undefined;
    const connection = new Connection();
    return () => connection.close();
  });
}

/** One stream of events after the other, until it is closed. */
class Connection {
  /** @type {EventSource | undefined} */
  #source;
  #attempt = 0;
  #heard = performance.now();
  #watch = setInterval(() => this.#look(), 250);

  constructor() { this.#open(); }

  close() {
    clearInterval(this.#watch);
    this.#source?.close();
  }

  #open() {
    this.#source?.close();
    this.#heard = performance.now();
    this.#source = new EventSource("/events");
    this.#listen(this.#source);
  }

  /** @param {EventSource} source */
  #listen(source) {
    let offset = new Offset();
    let named = new Set(); // the simulations of this stream
    /** @param {string} type @param {(data: any, arrived: number) => void} take */
    const on = (type, take) => source.addEventListener(type, (e) => {
      this.#heard = performance.now();
      this.#attempt = 0;
      batch(() => take(JSON.parse(/** @type {MessageEvent} */ (e).data), this.#heard));
    });
    source.addEventListener("open", () => {
      if (complete.peek()) lookForNewer();
      offset = new Offset();
      named = new Set();
      told.value = false;
    });
    on("alive", (data, arrived) => {
      offset.observe(data.stamp, arrived);
      newest.value = offset.local(data.stamp, arrived);
      stalled.value = data.stalled;
      now.value = arrived;
    });
    on("simulation", (data, arrived) => {
      named.add(data.id);
      change((all) => all.set(data.id, { ...withKept(data, all.get(data.id)), since: offset.local(data.stamp, arrived) }));
    });
    on("removed", (data) => change((all) => all.delete(data.id)));
    on("ready", () => {
      change((all) => { for (const id of [...all.keys()]) if (!named.has(id)) all.delete(id); });
      complete.value = told.value = true;
    });
  }

  /** Connects again if nothing was heard for long, or if the server has closed the stream for good. */
  #look() {
    const patience = PATIENCE[Math.min(this.#attempt, PATIENCE.length - 1)] ?? 0;
    const quiet = performance.now() - this.#heard;
    const closed = this.#source?.readyState === EventSource.CLOSED;
    if (quiet > patience || closed && quiet > 500) {
      this.#attempt++;
      this.#open();
    }
  }
}

/**
 * A simulation with the nodes of before where nothing of them has changed, so that they are not drawn again.
 * @param {Simulation} sim
 * @param {Simulation | undefined} before
 */
function withKept(sim, before) {
  if (!before) return sim;
  const texts = new Map(before.nodes.map((n) => [JSON.stringify(n), n]));
  return { ...sim, nodes: sim.nodes.map((n) => texts.get(JSON.stringify(n)) ?? n) };
}

/** @param {(all: Map<string, Shown>) => void} how */
function change(how) {
  const all = new Map(simulations.peek());
  how(all);
  simulations.value = all;
}
