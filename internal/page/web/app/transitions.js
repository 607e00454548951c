// The transitions of a network, found in its history: the steps of nodes between the begin and the end of a command.

/** @typedef {import("../../api").Entry} Entry */
/** @typedef {import("./order.js").Bar} Bar */
/** @typedef {{title: string, verdict: string, begin: number, end: number, bars: Bar[]}} Transition in seconds */

/** Seconds without a step after which steps that no command asked for belong to another transition. */
const APART = 2;

/** Seconds by which the stamps of a step and of its command may differ. */
const SLACK = 0.1;

/** @param {Entry[]} entries the oldest first */
export function transitions(entries) {
  /** @type {Transition[]} */
  const found = [];
  for (const e of entries) {
    if (e.kind !== "command" || e.took_s === undefined) continue;
    const end = Date.parse(e.stamp) / 1000;
    found.push({ title: e.command ?? "a command", verdict: e.verdict ?? "", begin: end - e.took_s, end, bars: [] });
  }
  /** @type {Transition[]} */
  const others = [];
  for (const bar of entries.flatMap(barOf)) {
    const mine = found.find((t) => bar.end >= t.begin - SLACK && bar.end <= t.end + SLACK);
    if (mine) mine.bars.push(bar);
    else join(others, bar);
  }
  for (const t of found) widen(t);
  return [...found.filter((t) => t.bars.length > 0), ...others].sort((a, b) => a.end - b.end);
}

/** @param {Entry} e @returns {Bar[]} */
function barOf(e) {
  if (e.kind !== "step" || e.took_s === undefined || !e.node || e.verdict === "skipped") return [];
  const end = Date.parse(e.stamp) / 1000;
  return [{ node: e.node, step: e.step ?? "", verdict: e.verdict ?? "", begin: end - e.took_s, end, text: e.text }];
}

/** Adds a step to the last transition without a command, or begins one. @param {Transition[]} others @param {Bar} bar */
function join(others, bar) {
  const last = others[others.length - 1];
  if (last && bar.begin - last.end < APART) {
    last.bars.push(bar);
    widen(last);
  } else others.push({ title: "rstate by itself", verdict: "", begin: bar.begin, end: bar.end, bars: [bar] });
}

/** Steps that begin together are in the order of their ends. @param {number} seconds */
const hundredths = (seconds) => Math.round(seconds * 100);

/** A step may have begun a moment before the command counts. @param {Transition} t */
function widen(t) {
  t.begin = Math.min(t.begin, ...t.bars.map((b) => b.begin));
  t.end = Math.max(t.end, ...t.bars.map((b) => b.end));
  t.bars.sort((a, b) => hundredths(a.begin) - hundredths(b.begin) || a.end - b.end);
}
