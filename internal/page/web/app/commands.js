// What a person can do: send a command, disarm, arm. What came of it is in `report`.
import { signal } from "@preact/signals";
import { ask, pathOf, Refused, token } from "./api.js";
import { ms } from "./clock.js";
import { makeRoom } from "./link.js";

/**
 * @typedef {{id: string, command: string, state: "sent" | "done" | "failed", text: string, at: number}} Report
 */

/** What came of the last command that this page sent. */
export const report = signal(/** @type {Report | undefined} */ (undefined));

/** What came of the last disarm of each simulation. One that failed stays until another one succeeds, or a person closes it.
 * @type {import("@preact/signals").Signal<Map<string, Report>>} */
export const disarmReports = signal(new Map());

/** @param {string} id @param {Report | undefined} [is] none: it is closed */
export function reportDisarm(id, is) {
  const all = new Map(disarmReports.peek());
  if (is) all.set(id, is);
  else all.delete(id);
  disarmReports.value = all;
}

/** Why the next command is sent, for the history. */
export const reason = signal("");

/** The authority to arm, where the network asks for one. It is not kept. */
export const authority = signal("");

/**
 * Sends a command that cannot arm.
 * @param {string} id of the simulation
 * @param {string} command
 */
export const send = (id, command) => carry(tell, id, command, () => withReason((why) => order(id, command, why)));

/**
 * Sends with the reason that a person has given. If that is refused, the reason is there for the next try.
 * @template T
 * @param {(why: {reason?: string}) => Promise<T>} work
 */
async function withReason(work) {
  const why = reason.value.trim();
  reason.value = "";
  try {
    return await work(why ? { reason: why } : {});
  } catch (e) {
    reason.value ||= why;
    throw e;
  }
}

/** Milliseconds until a disarm without an answer is sent again, on another connection, and for how long it is tried. */
const AGAIN = 3000;
const PERSISTS = 60000;

/** Milliseconds between two tries. */
const PAUSE = 250;

/** What says that the daemon was not reached: no answer, or one of a proxy, or of a server that is busy. */
const UNREACHED = [0, 502, 503, 504];

/** Milliseconds until a disarm without an answer gets the connection of this page's stream too. */
const ROOM = 1000;

/** @param {number} milliseconds @returns {Promise<void>} */
const after = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/**
 * Disarms. It waits for no other request: the page gives up its other waits first. A connection that was cut may hang for
 * minutes, so the order is sent again until there is an answer. It keeps its id: the daemon carries it out once. A token that the server refuses is
 * left out, because a disarm on the daemon's own host needs none.
 * A newer disarm of the simulation takes the place of this one.
 * @param {string} id
 * @param {string} command
 */
export function disarm(id, command) {
  const named = { id: `page-${[...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("")}` };
  const until = ms() + PERSISTS;
  const isNewest = () => newest.get(id) === named;
  /** @param {Report} is */
  const say = (is) => { if (isNewest()) reportDisarm(id, is); };
  newest.set(id, named);
  return carry(say, id, command, () => withReason(async (why) => {
    let wrong; // the refusal of a token
    for (let k = 1; ; k++) {
      const room = setTimeout(makeRoom, ROOM);
      const key = token.value;
      try {
        return await order(id, command, { ...named, ...why }, { urgent: true, within: AGAIN });
      } catch (e) {
        if (e instanceof Refused && e.status === 401) {
          if (!key) throw wrong ?? e;
          wrong = e;
          continue;
        }
        if (!(e instanceof Refused && UNREACHED.includes(e.status)) || ms() > until || !isNewest()) throw e;
        say({ id, command, state: "sent", text: `${command}: no answer yet, sent ${k + 1} times`, at: ms() });
        await after(PAUSE);
      } finally {
        clearTimeout(room);
      }
    }
  }));
}

/** The newest disarm of each simulation. @type {Map<string, object>} */
const newest = new Map();

/** What an arming command brings: its challenge, and what the page showed when the person began. @typedef {{challenge: string, seen: string}} Asked */

/**
 * Asks for the challenge that an arming command needs. The server gives none if a disarm has come since `seen`: the request may
 * have waited on its way.
 * @param {string} id
 * @param {string} seen of the simulation, as the page shows it now
 * @returns {Promise<Asked>}
 */
export async function challenge(id, seen) {
  const { challenge: text } = await ask("POST", pathOf(id, "/challenge"), { seen });
  return { challenge: text, seen };
}

/** Milliseconds from the end of the gesture in which an arming command is sent, or not at all. */
const PROMPT = 2000;

/**
 * Arms. The challenge was asked for when the gesture began. If it comes late, nothing is sent: the person who held the button
 * does not expect it any more.
 * @param {string} id
 * @param {string} command
 * @param {Promise<Asked>} asked
 */
export function arm(id, command, asked) {
  const until = ms() + PROMPT;
  return carry(tell, id, command, async () => {
    const brings = await Promise.race([asked, after(PROMPT)]);
    if (!brings || ms() > until) throw new Refused(0, { detail: "not sent, because the server gave no challenge within 2 s. Hold again." });
    const key = authority.value;
    authority.value = "";
    return withReason((why) => order(id, command, { ...why, ...brings, ...(key && { authority: key }) }));
  });
}

/** The simulation whose stops a person is about to acknowledge, as they were shown, with the challenge for it. */
export const acknowledging = signal(/** @type {{id: string, stops: string, challenge: string} | undefined} */ (undefined));

/** Whether the server has not answered yet. */
export const isAcknowledging = signal(false);

/**
 * Acknowledges stops: the first call gets the challenge, and the next one brings it, if the stops are still the same.
 * @param {string} id
 * @param {string} stops as they are shown
 */
export async function acknowledge(id, stops) {
  const before = acknowledging.value;
  acknowledging.value = undefined;
  const second = before?.id === id && before.stops === stops;
  isAcknowledging.value = true;
  await carry(tell, id, "acknowledge", async () => {
    try {
      const key = authority.value;
      return await ask("POST", pathOf(id, "/acknowledge"), { ...(key && { authority: key }), ...(second && { challenge: before.challenge }) },
        { within: 15000 });
    } catch (e) {
      if (second || !(e instanceof Refused) || !e.problem.challenge) throw e;
      acknowledging.value = { id, stops, challenge: e.problem.challenge };
      return { message: "Look at the robot and at the stop button first." };
    }
  }).finally(() => { isAcknowledging.value = false; });
}

/**
 * @param {string} id
 * @param {string} command
 * @param {object} more
 * @param {{urgent?: boolean, within?: number}} [how]
 * @returns {Promise<import("../../api").Result>}
 */
const order = (id, command, more, how = {}) => ask("PUT", pathOf(id, "/state"), { state: command, ...more }, how);

/** @param {Report} is */
const tell = (is) => { report.value = is; };

/**
 * @param {(is: Report) => void} say
 * @param {string} id
 * @param {string} command
 * @param {() => Promise<{message: string, outcome?: string}>} work
 */
async function carry(say, id, command, work) {
  /** @param {Report["state"]} state @param {string} text */
  const is = (state, text) => say({ id, command, state, text, at: ms() });
  is("sent", `${command}: sent, no answer yet`);
  try {
    const result = await work();
    is("done", result.message || `${command}: ${result.outcome}`);
  } catch (e) {
    is("failed", `${command}: ${e instanceof Refused ? e.message : String(e)}`);
    if (!(e instanceof Refused)) throw e;
  }
}
