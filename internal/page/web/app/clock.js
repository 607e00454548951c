// The clock of the page, and how times are written.
//
// All times are in seconds or milliseconds of ms(), which no small change of the wall clock moves. While a machine sleeps,
// performance.now() of most browsers stands still and the wall clock goes on. So a jump of the wall clock ahead counts as
// time that has passed: a page that wakes must not show what it knew before as new.
import { signal } from "@preact/signals";
import { html } from "./html.js";

/** Milliseconds by which the wall clock jumps ahead at least when a machine has slept. */
const JUMP = 1000;

let slept = 0;
let ahead = Date.now() - performance.now();

/** Milliseconds since the page was opened, with those in which the machine slept. */
export function ms() {
  const is = Date.now() - performance.now();
  if (is - ahead > JUMP) slept += is - ahead;
  ahead = is;
  return performance.now() + slept;
}

/** The same as a signal. It moves four times a second while the page is seen. */
export const now = signal(ms());

/** The same, once a second: enough for ages that a person reads. */
export const second = signal(now.value);

const TICK = 250;

/** Starts the clock. */
export function startClock() {
  const tick = () => {
    now.value = ms();
    if (now.value - second.value >= 990) second.value = now.value;
  };
  setInterval(tick, TICK);
  // A page that was hidden or frozen is drawn anew before the next tick.
  document.addEventListener("visibilitychange", tick);
  addEventListener("pageshow", tick);
}

/**
 * Writes a duration for a person: "0.4 s", "12 s", "3 min", "2 h".
 * @param {number} seconds
 */
export function span(seconds) {
  if (!Number.isFinite(seconds)) return "unknown";
  const s = Math.max(0, seconds);
  if (s < 0.0005) return "0 s";
  if (s < 1) return `${s < 0.01 ? s.toFixed(3) : s.toFixed(2)} s`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 120) return `${Math.round(s)} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} days`;
}

/**
 * Writes an age, which is never more exact than a second.
 * @param {number} seconds
 */
export function age(seconds) {
  if (seconds < 1) return "under 1 s";
  return seconds < 120 ? `${Math.floor(seconds)} s` : span(seconds);
}

/**
 * An age that grows by itself.
 * @param {{since: number}} props since is in milliseconds of ms()
 */
export function Age({ since }) {
  return html`<span class="age">${age((Math.max(second.value, now.peek()) - since) / 1000)}</span>`;
}

/**
 * Writes the time of day, with the date if it is another day.
 * @param {string} stamp
 */
export function timeOfDay(stamp) {
  const at = new Date(stamp);
  if (Number.isNaN(at.getTime())) return stamp;
  const time = at.toLocaleTimeString("en-GB");
  return at.toDateString() === new Date().toDateString() ? time : `${at.toLocaleDateString("en-CA")} ${time}`;
}
