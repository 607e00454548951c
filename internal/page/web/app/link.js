// The connection to the server: what it says of each simulation, and how old that is.
//
// The server sends a whole simulation after each change, and "alive" every second. If no "alive" was sent for STALE ms,
// what is shown may be wrong, and the page says so. It then connects again by itself. What a new connection says first is
// that the server lives: what is shown is old until each simulation has come. A page that is not seen holds no connection,
// because a browser has few for all its pages.
import { batch, computed, effect, signal } from "@preact/signals";
import { ms, now } from "./clock.js";
import { lookForNewer } from "./newer.js";
import { Offset } from "./offset.js";

/** @typedef {import("../../api").Simulation} Simulation */
/** @typedef {Simulation & {since: number}} Shown since: its stamp, in ms of ms() */

/** Milliseconds without news after which the page says that it is stale. Two seconds are promised. */
const STALE = 1750;

/** Milliseconds that a new connection has until another one is tried; longer each time. */
const PATIENCE = [3000, 6000, 12000];

/** Milliseconds until a stream is opened anew that the server or the link has ended. */
const AGAIN = 500;

/** Milliseconds that a stream may bring nothing but old news. Then another one shows whether that is so, or whether a clock
 * was set. */
const OLD = 6000;

/** @type {import("@preact/signals").Signal<Map<string, Shown>>} */
export const simulations = signal(new Map());

/** When the newest "alive" was sent, in ms of ms(). */
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

/** When each simulation was last known to be as it is shown, in ms of ms(). @type {Map<string, number>} */
const known = new Map();

/** Since when nothing is known of a simulation, in ms of ms(); without an id: of any. @param {string} [id] */
export const lastNews = (id = "") => known.get(id) ?? simulations.value.get(id)?.since ?? newest.value ?? 0;

/** Whether what is shown of a simulation is what its daemon knows now. @param {string} id */
export const isLive = (id) => link.value === "live" && !stalled.value.includes(id);

/** Notes that all is as it is shown, except where a loop does not turn. @param {number} at */
function note(at) {
  for (const id of simulations.peek().keys()) if (!stalled.peek().includes(id)) known.set(id, at);
}

/** Connects, and stays connected while the page is seen. */
export function startLink() {
  document.addEventListener("visibilitychange", () => { seen.value = !document.hidden; });
  effect(() => {
    if (!seen.value) return undefined;
    const connection = new Connection();
    const again = () => connection.reopen();
    addEventListener("online", again);
    current = connection;
    return () => {
      removeEventListener("online", again);
      connection.close();
    };
  });
}

/** @type {Connection | undefined} */
let current;

/** All pages of this server in this browser. */
const pages = new BroadcastChannel("rstate");
pages.onmessage = () => current?.pause();

/** Gives the streams of all pages up for a moment. A browser has few connections for them all, and a disarm needs one. */
export function makeRoom() {
  current?.pause();
  pages.postMessage("room");
}

/** One stream of events after the other, until it is closed. */
class Connection {
  /** @type {EventSource | undefined} */
  #source;
  #attempt = 0;
  #heard = ms();
  /** Since when nothing but old news came; undefined: the newest are new. @type {number | undefined} */
  #old;
  #watch = setInterval(() => this.#look(), 250);

  constructor() { this.#open(); }

  close() {
    clearInterval(this.#watch);
    this.#source?.close();
  }

  /** Ends the stream; a new one is opened soon. */
  pause() {
    this.#source?.close();
    this.#heard = ms();
  }

  reopen() {
    this.#attempt++;
    this.#open();
  }

  #open() {
    this.#source?.close();
    this.#heard = ms();
    this.#old = undefined;
    this.#source = new EventSource("events");
    this.#listen(this.#source, ms());
  }

  /** @param {EventSource} source @param {number} asked */
  #listen(source, asked) {
    const offset = new Offset(asked);
    const named = new Set(); // the simulations of this stream
    /** @param {string} type @param {(data: any, arrived: number) => void} take */
    const on = (type, take) => source.addEventListener(type, (e) => {
      this.#heard = ms();
      this.#attempt = 0;
      batch(() => take(JSON.parse(/** @type {MessageEvent} */ (e).data), this.#heard));
    });
    source.addEventListener("open", () => {
      if (complete.peek()) lookForNewer();
      told.value = false;
    });
    // The browser would connect again by itself, and the page would not know when it asked.
    source.addEventListener("error", () => source.close());
    on("alive", (data, arrived) => {
      offset.observe(data.stamp, arrived);
      const sent = offset.local(data.stamp, arrived);
      newest.value = sent;
      this.#old = arrived - sent > STALE ? this.#old ?? arrived : undefined;
      stalled.value = data.stalled;
      if (told.value) note(sent);
      now.value = arrived;
    });
    on("simulation", (data, arrived) => {
      named.add(data.id);
      change((all) => all.set(data.id, { ...withKept(data, all.get(data.id)), since: offset.local(data.stamp, arrived) }));
    });
    on("removed", (data) => { known.delete(data.id); change((all) => all.delete(data.id)); });
    on("ready", (_, arrived) => {
      change((all) => { for (const id of [...all.keys()]) if (!named.has(id)) all.delete(id); });
      complete.value = told.value = true;
      note(newest.peek() ?? arrived);
    });
  }

  /** Connects again if nothing was heard for long, or if the server has closed the stream for good. */
  #look() {
    const patience = PATIENCE[Math.min(this.#attempt, PATIENCE.length - 1)] ?? 0;
    const quiet = ms() - this.#heard;
    const closed = this.#source?.readyState === EventSource.CLOSED;
    const old = this.#old !== undefined && ms() - this.#old > OLD;
    if (quiet > patience || closed && quiet > AGAIN || old) this.reopen();
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
