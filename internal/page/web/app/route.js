// Which simulation and which list the page shows: the part of the address after #, so that a link can lead to it.
//
//	#ID            a simulation
//	#ID/history    a list of it
import { computed, effect, signal } from "@preact/signals";
import { simulations } from "./link.js";

const hash = signal(location.hash);

/** The first simulation that was known. It stays the one that is shown, so that no other one slips under a finger. */
const first = signal("");

export function startRoute() {
  addEventListener("hashchange", () => { hash.value = location.hash; });
  effect(() => { first.value ||= simulations.value.keys().next().value ?? ""; });
}

const parts = computed(() => hash.value.replace(/^#/, "").split("/").map(decoded));

/** A part of the address; one that is not encoded well stays as it is. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The id of the simulation to show: the one in the address, or else the first. */
export const wanted = computed(() => parts.value[0] || first.value);

/** The simulation that is shown; undefined: the server does not have it. */
export const shown = computed(() => simulations.value.get(wanted.value));

/** The list that is shown; empty: the first one. */
export const list = computed(() => parts.value[1] ?? "");

/** The address of a list. @param {string} id @param {string} [name] */
export const to = (id, name) => `#${encodeURIComponent(id)}${name ? `/${name}` : ""}`;

/** Shows a node: brings it into view, and puts the focus on it. @param {string} name */
export function showNode(name) {
  const row = document.getElementById(rowID(name));
  row?.scrollIntoView({ block: "center" });
  row?.focus();
}

/** Letters of a name in a link that leads to its node. */
export const LINK = 32;

/** A name that fits into a few letters; its end tells more than its begin. No line breaks after the dots.
 * @param {string} name @param {number} letters */
export const short = (name, letters) => (name.length <= letters ? name : `…\u2060${name.slice(1 - letters)}`);

/** @param {string} name of a node */
export const rowID = (name) => `node:${name}`;
