// Which simulation and which list the page shows: the part of the address after #, so that a link can lead to it.
//
//	#ID            a simulation
//	#ID/history    a list of it
import { computed, signal } from "@preact/signals";
import { simulations } from "./link.js";

const hash = signal(location.hash);

export function startRoute() {
  addEventListener("hashchange", () => { hash.value = location.hash; });
}

const parts = computed(() => hash.value.replace(/^#/, "").split("/").map(decodeURIComponent));

/** The simulation that is shown: the one in the address, or else the first. */
export const shown = computed(() => simulations.value.get(parts.value[0] ?? "") ?? simulations.value.values().next().value);

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

/** @param {string} name of a node */
export const rowID = (name) => `node:${name}`;
