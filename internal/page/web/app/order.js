// The order of nodes as layers of a graph, and what a transition took its time for.

/**
 * Layers of nodes: each stands right of all that it comes after. A name in `after` that is no node is left out.
 * @template {{name: string, after: string[]}} N
 * @param {N[]} nodes
 * @returns {N[][]}
 */
export function layers(nodes) {
  /** @type {Map<string, N>} */
  const byName = new Map(nodes.map((n) => [n.name, n]));
  /** @type {Map<string, number>} */
  const depth = new Map();
  /** @param {N} n @returns {number} */
  const deep = (n) => {
    const known = depth.get(n.name);
    if (known !== undefined) return known;
    depth.set(n.name, 0); // ends a circle, which a network file cannot have
    const d = Math.max(0, ...n.after.map((name) => { const b = byName.get(name); return b ? deep(b) + 1 : 0; }));
    depth.set(n.name, d);
    return d;
  };
  /** @type {N[][]} */
  const found = [];
  for (const n of nodes) (found[deep(n)] ??= []).push(n);
  return found;
}

/**
 * A step of a node in a transition.
 * @typedef {{node: string, step: string, verdict: string, begin: number, end: number, text: string}} Bar in seconds
 */

/**
 * The steps that decided how long a transition took: from the last end back, each time the step that ended last before
 * the present one began.
 * @param {Bar[]} bars
 * @returns {Set<Bar>}
 */
export function critical(bars) {
  /** @type {Set<Bar>} */
  const path = new Set();
  const slack = 0.05; // seconds between the end of a step and the begin of the one that waited for it
  let at = latest(bars);
  while (at && !path.has(at)) {
    path.add(at);
    const begin = at.begin;
    at = latest(bars.filter((b) => !path.has(b) && b.end <= begin + slack && b.begin < begin));
  }
  return path;
}

/** Seconds that a transition takes at least for a person to ask what took so long. */
const WORTH = 0.5;

/** The part of a transition below which a step of the path did not matter. */
const PART = 0.05;

/**
 * The steps to mark: those of the critical path that mattered. None if the transition was short, or had one step.
 * @param {Bar[]} bars
 * @param {number} whole seconds of the transition
 * @returns {Set<Bar>}
 */
export function deciding(bars, whole) {
  if (whole < WORTH || bars.length < 2) return new Set();
  return new Set([...critical(bars)].filter((b) => b.end - b.begin >= PART * whole));
}

/** @param {Bar[]} bars @returns {Bar | undefined} */
function latest(bars) {
  return bars.reduce((/** @type {Bar | undefined} */ last, b) => (!last || b.end > last.end ? b : last), undefined);
}
