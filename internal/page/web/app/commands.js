// What a person can do: send a command, disarm, arm. What came of it is in `report`.
import { signal } from "@preact/signals";
import { ask, pathOf, Refused, tokenWanted } from "./api.js";

/**
 * @typedef {{id: string, command: string, state: "sent" | "done" | "failed", text: string, at: number}} Report
 */

/** What came of the last command that this page sent. */
export const report = signal(/** @type {Report | undefined} */ (undefined));

/** What came of the last disarm, which nothing else replaces while it is open. */
export const disarmReport = signal(/** @type {Report | undefined} */ (undefined));

/** Why the next command is sent, for the history. */
export const reason = signal("");

/** The authority to arm, where the network asks for one. It is not kept. */
export const authority = signal("");

/**
 * Sends a command that cannot arm.
 * @param {string} id of the simulation
 * @param {string} command
 */
export const send = (id, command) => carry(report, id, command, () => order(id, command));

/**
 * Disarms. It waits for no other request: the page gives up its other waits first.
 * @param {string} id
 * @param {string} command
 */
export const disarm = (id, command) => carry(disarmReport, id, command, () => order(id, command, {}, true));

/**
 * Asks for the challenge that an arming command needs.
 * @param {string} id
 * @returns {Promise<string>}
 */
export async function challenge(id) {
  const { challenge: text } = await ask("POST", pathOf(id, "/challenge"));
  return text;
}

/**
 * Arms. The challenge was asked for when the gesture began.
 * @param {string} id
 * @param {string} command
 * @param {Promise<string>} asked
 */
export function arm(id, command, asked) {
  return carry(report, id, command, async () => {
    const text = await asked;
    const key = authority.value;
    authority.value = "";
    return order(id, command, { challenge: text, ...(key && { authority: key }) });
  });
}

/**
 * @param {string} id
 * @param {string} command
 * @param {object} [more]
 * @param {boolean} [urgent]
 * @returns {Promise<import("../../api").Result>}
 */
function order(id, command, more = {}, urgent = false) {
  const why = reason.value.trim();
  reason.value = "";
  return ask("PUT", pathOf(id, "/state"), { state: command, ...(why && { reason: why }), ...more }, { urgent });
}

/**
 * @param {typeof report} into
 * @param {string} id
 * @param {string} command
 * @param {() => Promise<import("../../api").Result>} work
 */
async function carry(into, id, command, work) {
  /** @param {Report["state"]} state @param {string} text */
  const tell = (state, text) => { into.value = { id, command, state, text, at: performance.now() }; };
  tell("sent", `${command}: sent, no answer yet`);
  try {
    const result = await work();
    tell("done", result.message || `${command}: ${result.outcome}`);
  } catch (e) {
    tell("failed", `${command}: ${e instanceof Refused ? e.message : String(e)}`);
    if (!(e instanceof Refused)) throw e;
    if (e.status === 401) tokenWanted.value = true;
  }
}
