// Where buttons stand in the window, and since when (stand.js). All are looked at in each frame in which something may have
// moved them, so what counts is what a person has seen.
import { look } from "./stand.js";

/** The clock of events, which tests set. */
export const clock = { now: () => performance.now() };

/** @type {Map<Element, import("./stand.js").Sight>} */
const sights = new Map();

/** Where to look whether something covers an element, as parts of its size. */
const PARTS = [0.02, 0.5, 0.98];

/** Where an element is, and what of it is covered. @param {Element} e */
function placeOf(e) {
  const { x, y, width, height } = e.getBoundingClientRect();
  const zoom = window.visualViewport;
  const free = PARTS.flatMap((right) => PARTS.map((down) => e.contains(document.elementFromPoint(x + right * width, y + down * height))));
  return [x, y, width, height, zoom?.offsetLeft, zoom?.offsetTop, zoom?.scale].map((n) => Math.round(100 * (n ?? 0))).concat(free.map(Number)).join();
}

/** What an element is for a person. @param {Element} e */
const whatOf = (e) => `${e.getAttribute("data-of")} ${e.textContent} ${e.getAttribute("aria-disabled")}`;

/** Looks at an element now. @param {Element} e */
export function see(e) {
  const seen = look(sights.get(e), whatOf(e), placeOf(e), clock.now());
  sights.set(e, seen);
  return seen;
}

/** Begins to count anew: the same element has to stand again. @param {Element} e */
export function renew(e) {
  sights.delete(e);
  see(e);
}

/** Watches an element until the function that it returns is called. @param {Element} e */
export function watch(e) {
  renew(e);
  return () => { sights.delete(e); };
}

let isAsked = false;

/** Looks at all before the next picture. */
function soon() {
  if (isAsked || sights.size === 0) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    for (const e of sights.keys()) see(e);
  });
}

/** Starts to watch what can move or change a button. */
export function startPlaces() {
  new MutationObserver(soon).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  addEventListener("resize", soon);
  addEventListener("scroll", soon, { capture: true, passive: true });
  for (const type of ["resize", "scroll"]) window.visualViewport?.addEventListener(type, soon);
  document.addEventListener("visibilitychange", () => { for (const e of [...sights.keys()]) renew(e); });
}
