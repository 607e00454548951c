// The gesture that arms: press, hold for two seconds, let go.
//
// It is made so that it cannot happen by accident. A click is too short. A key or button that is stuck is never let go,
// and after LATEST the gesture is void. A key that was down before is no press: its events repeat. Leaving the button or
// the page, a change of the network, and news that stop coming void it too. Nothing of it outlives the page.
//
// `at` is when the person acted, on a clock that nobody sets. `seen` is when the page saw it, on ms() in seconds, which
// also counts time in which the computer slept. A page that stood still for BLIND has not seen that the button was held.

/** Seconds to hold, and until when to let go. */
export const HOLD = 2;
export const LATEST = 5;

/** Seconds between two looks of the page after which the gesture is void. */
export const BLIND = 1;

/**
 * @typedef {{at: number, seen: number}} Moment
 * @typedef {{phase: "idle"} | {phase: "void", why: string} |
 *           {phase: "held", by: string, since: number} & Moment} Gesture by: the one key or pointer that holds
 * @typedef {{type: "press", by: string, repeat?: boolean} & Moment |
 *           {type: "release", by: string} & Moment |
 *           {type: "time"} & Moment | {type: "void", why: string}} Act
 */

/** @type {Gesture} */
export const idle = { phase: "idle" };

/**
 * What a gesture becomes by an act. `armed` is true if the act completes it, and only then.
 * @param {Gesture} g
 * @param {Act} act
 * @returns {{gesture: Gesture, armed: boolean}}
 */
export function next(g, act) {
  /** @param {Gesture} gesture @param {boolean} [armed] */
  const to = (gesture, armed = false) => ({ gesture, armed });
  if (act.type === "void") return to(g.phase === "held" ? { phase: "void", why: act.why } : g);
  if (act.type === "press") {
    if (act.repeat || g.phase === "held") return to(g);
    return to({ phase: "held", by: act.by, since: act.at, at: act.at, seen: act.seen });
  }
  if (g.phase !== "held" || act.type === "release" && g.by !== act.by) return to(g);
  const held = act.at - g.since;
  if (act.seen - g.seen > BLIND) return to({ phase: "void", why: "this page or its clock stood still: hold again" });
  if (held >= LATEST) return to({ phase: "void", why: "held too long: let go when the bar is full" });
  if (act.type === "time") return to({ ...g, at: act.at, seen: act.seen });
  if (held < HOLD) return to({ phase: "void", why: "let go too early: hold until the bar is full" });
  return to(idle, true);
}

/** How full the bar is, from 0 to 1. @param {Gesture} g */
export const fullness = (g) => (g.phase === "held" ? Math.min(1, (g.at - g.since) / HOLD) : 0);
