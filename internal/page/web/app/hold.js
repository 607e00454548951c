// The gesture that arms: press, hold for two seconds, let go.
//
// It is made so that it cannot happen by accident. A click is too short. A key or button that is stuck is never let go,
// and after LATEST the gesture is void. A key that was down before is no press: its events repeat. Leaving the button or
// the page, a change of the network, and news that stop coming void it too. Nothing of it outlives the page.

/** Seconds to hold, and until when to let go. */
export const HOLD = 2;
export const LATEST = 5;

/**
 * @typedef {{phase: "idle"} | {phase: "held", by: "key" | "pointer", since: number} | {phase: "void", why: string}} Gesture
 * @typedef {{type: "press", by: "key" | "pointer", at: number, repeat?: boolean} |
 *           {type: "release", by: "key" | "pointer", at: number} |
 *           {type: "void", why: string} | {type: "time", at: number}} Act
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
  switch (act.type) {
    case "press":
      if (act.repeat || g.phase === "held") return to(g);
      return to({ phase: "held", by: act.by, since: act.at });
    case "void":
      return to(g.phase === "held" ? { phase: "void", why: act.why } : g);
    case "time":
      if (g.phase !== "held" || act.at - g.since < LATEST) return to(g);
      return to({ phase: "void", why: "held too long: let go when the bar is full" });
    case "release": {
      if (g.phase !== "held" || g.by !== act.by) return to(g);
      const held = act.at - g.since;
      if (held < HOLD) return to({ phase: "void", why: "let go too early: hold until the bar is full" });
      if (held >= LATEST) return to({ phase: "void", why: "held too long: let go when the bar is full" });
      return to(idle, true);
    }
  }
}

/** How full the bar is, from 0 to 1. @param {Gesture} g @param {number} at */
export const fullness = (g, at) => (g.phase === "held" ? Math.min(1, (at - g.since) / HOLD) : 0);
