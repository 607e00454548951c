// Asks the rehearsal, which runs in a worker so that the page stays live. It is loaded with the first question.
import { ask, pathOf } from "./api.js";

/**
 * @typedef {{node: string, mishap: string, state: string, intact: boolean, armed: string[], took_s: number,
 *   story: {after_s: number, text: string}[], fault?: string}} Outlook
 * @typedef {{state: string, absent: string[], node?: string, mishap?: string}} Question without a node: all of them
 */

/** What can befall a node, in words. @type {Record<string, string>} */
export const MISHAPS = {
  die: "its process ends", respawn: "its process ends and starts again", hang: "its process is suspended",
  cut: "its connection is lost", fail: "its checks fail",
};

/** @type {Worker | undefined} */
let worker;
let asked = 0;
/** @type {Map<number, (answer: string) => void>} */
const open = new Map();

/** Networks that were read, by run. @type {Map<string, Promise<import("../../api").Network>>} */
const networks = new Map();

/** The policy that the browser asks for, which has this name once. */
const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("rstate", { createScriptURL: own });

function start() {
  const address = new URL("rehearse-worker.js", import.meta.url).href;
  const started = new Worker(trusted?.createScriptURL(address) ?? address);
  started.onmessage = (e) => {
    open.get(e.data.number)?.(e.data.answer);
    open.delete(e.data.number);
  };
  started.onerror = (e) => {
    for (const tell of open.values()) tell(JSON.stringify({ fault: `the rehearsal cannot be loaded: ${e.message}` }));
    open.clear();
    started.terminate();
    worker = undefined; // the next question starts another one
  };
  return started;
}

/** The only script that this page starts is its own. @param {string} address */
function own(address) {
  if (new URL(address).origin !== location.origin) throw new TypeError("not a script of this server");
  return address;
}

/**
 * Plays what would happen.
 * @param {{id: string, run: string}} sim
 * @param {Question} question
 * @returns {Promise<Outlook[]>}
 */
export async function rehearse(sim, question) {
  const key = `${sim.id} ${sim.run}`;
  const read = networks.get(key) ?? ask("GET", pathOf(sim.id, "/network"));
  networks.set(key, read);
  read.catch(() => networks.delete(key));
  const { yaml } = await read;
  worker ??= start();
  const number = ++asked;
  /** @type {Promise<string>} */
  const answered = new Promise((resolve) => { open.set(number, resolve); });
  worker.postMessage({ number, question: { ...question, yaml } });
  const answer = JSON.parse(await answered);
  if (answer.fault) throw new Error(answer.fault);
  return answer;
}
