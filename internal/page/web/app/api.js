// Requests to the server. An answer that is no success is a Refused, with the words of the server.
import { signal } from "@preact/signals";

const KEY = "rstate-token";

/** Uses the storage of this tab, which some browsers forbid. @param {(storage: Storage) => string | null | void} use */
function stored(use) {
  try {
    return use(sessionStorage) ?? "";
  } catch {
    return ""; // the token is kept until the page is loaded again
  }
}

/** The token for writing, kept while this tab is open. */
export const token = signal(stored((s) => s.getItem(KEY)));

/** Whether the server asked for a token that it has not got, and whether it refused the one that it got. */
export const tokenWanted = signal(false);
export const tokenRefused = signal(false);

/** @param {string} text */
export function setToken(text) {
  token.value = text.trim();
  tokenWanted.value = tokenRefused.value = false;
  stored((s) => (token.value ? s.setItem(KEY, token.value) : s.removeItem(KEY)));
}

/** An answer of the server that is no success. */
export class Refused extends Error {
  /**
   * @param {number} status 0: there was no answer
   * @param {Partial<import("../../api").Problem>} problem
   */
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.status = status;
    this.problem = problem;
    this.givenUp = false; // whether the page gave the wait up, for a disarm
  }
}

/** Requests that may be given up, so that a disarm finds a free connection. @type {Set<AbortController>} */
const others = new Set();

/**
 * Sends a request and returns what the server answers.
 * @template T
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {{urgent?: boolean, within?: number}} [how] urgent gives up the wait for all other answers first; what they
 *   asked for goes on. within is how many milliseconds to wait for the answer
 * @returns {Promise<T>}
 */
export async function ask(method, path, body, how = {}) {
  const key = method === "GET" ? "" : token.value; // reading needs none, and a wrong one would be refused
  if (how.urgent) for (const other of others) other.abort();
  const control = new AbortController();
  if (!how.urgent) others.add(control);
  const timer = how.within && setTimeout(() => control.abort(LATE), how.within);
  try {
    const answer = await fetch(path, {
      method, signal: control.signal, cache: "no-store", priority: how.urgent ? "high" : "auto",
      headers: headers(body, key), ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return await answer.json();
    if (answer.status === 401) askForToken(key);
    throw new Refused(answer.status, await answer.json().catch(() => ({})));
  } catch (e) {
    if (e instanceof Refused) throw e;
    const refused = new Refused(0, { detail: why(control.signal) });
    refused.givenUp = control.signal.aborted && control.signal.reason !== LATE;
    throw refused;
  } finally {
    clearTimeout(timer);
    others.delete(control);
  }
}

/** Forgets a token that was refused, and asks for one. @param {string} used */
function askForToken(used) {
  if (used && token.value && used !== token.value) return; // a newer one was given, and is not refused yet
  if (used) setToken("");
  tokenRefused.value ||= used !== "";
  tokenWanted.value = true;
}

/** The reason of an abort because of the time. */
const LATE = "late";

/** Why there is no answer. @param {AbortSignal} ended */
function why(ended) {
  if (!ended.aborted) return "No answer: the daemon cannot be reached. It is unknown whether it got the request.";
  if (ended.reason === LATE) return "No answer in time. It is unknown whether the daemon got the request.";
  return "This page waits no longer for the answer, because a disarm was sent. What was asked for goes on.";
}

/** @param {object | undefined} body @param {string} key */
function headers(body, key) {
  return { ...(body && { "Content-Type": "application/json" }), ...(key && { Authorization: `Bearer ${key}` }) };
}

/** The path of a simulation, from where the page is: a proxy may have put it below a path of its own. @param {string} id @param {string} rest */
export const pathOf = (id, rest = "") => `simulation/${encodeURIComponent(id)}${rest}`;
