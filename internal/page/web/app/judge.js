// What the data of a simulation mean for a person. Nothing here draws or asks.

/** @typedef {import("../../api").Simulation} Simulation */
/** @typedef {import("../../api").Node} Node */

/** The look of a state: a few kinds, for states of nodes and networks of any machine.
 * @typedef {"armed" | "up" | "mid" | "down" | "final" | "moving" | "unknown"} Look */

/** @type {Record<string, Look>} */
const LOOKS = {
  unknown: "unknown", unconfigured: "down", inactive: "mid", active: "up", finalized: "final",
  configuring: "moving", cleaningup: "moving", activating: "moving", deactivating: "moving", shuttingdown: "moving",
  errorprocessing: "moving",
};

/** @param {string} state of a lifecycle node @returns {Look} */
export const lookOfNode = (state) => LOOKS[state] ?? "unknown";

/**
 * The look of the network: that of its required lifecycle nodes' target, since states of machines have any name.
 * @param {Simulation} sim @returns {Look}
 */
export function lookOf(sim) {
  if (sim.may_be_armed.length > 0) return "armed";
  if (!sim.settled) return sim.state === "unknown" ? "unknown" : "moving";
  const wanted = sim.nodes.filter((n) => n.lifecycle && !n.optional).map((n) => lookOfNode(n.expected));
  /** @type {Look[]} */
  const high = ["up", "mid", "down", "final"];
  return high.find((look) => wanted.includes(look)) ?? LOOKS[sim.state] ?? "mid";
}

/** How the network stands to what was commanded: the first axis. @param {Simulation} sim */
export function asCommanded(sim) {
  if (sim.ended) return { ok: false, word: "ended" };
  if (sim.progress) {
    const back = sim.progress.recovery;
    return { ok: false, word: back ? `recovering: ${back}` : `going to ${sim.target}` };
  }
  if (!sim.settled) return { ok: false, word: sim.state === "unknown" ? "state unknown" : "not settled" };
  if (sim.failure) return { ok: false, word: lowered(sim.failure) ? `lowered by rstate: ${sim.failure.command}` : `${sim.failure.command} failed` };
  return { ok: true, word: "as commanded" };
}

/** Whether all required nodes are as the state says: the second axis. @param {Simulation} sim */
export function health(sim) {
  const strayed = sim.deviations.filter((d) => !d.optional).length;
  if (sim.intact) {
    const spare = sim.deviations.length;
    return { ok: true, word: spare ? `intact, ${count(spare, "optional node")} missing` : "intact" };
  }
  return { ok: false, word: strayed ? `not intact: ${count(strayed, "node")}` : "not intact" };
}

/**
 * One thing that a person should know, with the node to look at, if there is one.
 * @typedef {{grave: boolean, text: string, to?: string}} Diagnosis
 */

/**
 * The one thing that a person should know first. Undefined: all is well.
 * @param {Simulation} sim
 * @returns {Diagnosis | undefined}
 */
export function diagnosis(sim) {
  for (const judge of JUDGES) {
    const found = judge(sim);
    if (found) return found;
  }
  return undefined;
}

/** What can be wrong, the most important first. @type {((sim: Simulation) => Diagnosis | undefined | false)[]} */
const JUDGES = [
  (sim) => sim.ended && { grave: false, text: `The daemon of this network has ended: ${sim.cause || "no cause is known"}.` },
  (sim) => {
    const n = sim.nodes.find((one) => one.may_be_armed && !one.armed && one.running !== "arm");
    return n && { grave: true, to: n.name, text: `${n.name} may be armed: ${n.cause || "it has not confirmed to be disarmed"}.` };
  },
  (sim) => sim.may_be_armed.length > 0 && !sim.nodes.some((n) => n.may_be_armed) &&
    { grave: true, text: `${sim.may_be_armed[0]} may still be armed from an earlier run.` },
  (sim) => {
    const [first, ...more] = sim.stops?.open ?? [];
    const others = more.length ? ` ${count(more.length, "more stop")}.` : "";
    return first && { grave: true, text: `Stopped by ${first.origin}: ${first.why}. Nothing is armed before a person acknowledges.${others}` };
  },
  (sim) => {
    const [first, ...more] = sim.deviations.filter((d) => !d.optional);
    if (!first) return undefined;
    const others = more.length ? ` ${count(more.length, "more node")} not as expected.` : "";
    return { grave: true, to: first.name, text: `${deviates(first)}.${others}` };
  },
  (sim) => sim.failure && { grave: true, to: blamed(sim),
    text: `${failed(sim.failure, ` and ended ${sim.failure.outcome}`)}.` },
  (sim) => !!sim.loop?.fault && { grave: true, text: `The stepped loop has stopped: ${sim.loop.fault}.` },
  (sim) => {
    const p = sim.peers.find((one) => one.required && !one.alive || one.behind);
    return p && { grave: true, text: `Peer ${p.name}: ${p.cause || (p.behind ? "behind" : "not heard")}.` };
  },
  (sim) => !sim.intact && { grave: true, text: `The network is not intact: ${sim.cause || "no cause is known"}.` },
  (sim) => !!sim.warnings[0] && { grave: false, text: sim.warnings[0] },
  (sim) => {
    const d = sim.deviations[0];
    return d && { grave: false, to: d.name, text: `Optional node ${deviates(d)}.` };
  },
];

/**
 * The node that the cause of the last failure names; the longest name, because one can begin another.
 * @param {Simulation} sim
 */
export function blamed(sim) {
  const cause = sim.failure?.cause ?? "";
  return sim.nodes.map((n) => n.name).filter((name) => cause.includes(name)).sort((a, b) => b.length - a.length)[0];
}

/** How a node deviates; its cause is a predicate. @param {Simulation["deviations"][number]} d */
const deviates = (d) => `${d.name} ${d.cause || `is ${d.found}, not ${d.expected}`}`;

/** @typedef {NonNullable<Simulation["failure"]>} Failure */

/** Whether rstate lowered the network by itself, which is no failure of the command. @param {Failure} f */
const lowered = (f) => f.outcome === "lowered";

/**
 * A failure in words. Its cause mostly names the command already.
 * @param {Failure} f
 * @param {string} how it failed
 */
function failed(f, how) {
  if (f.cause.startsWith(f.command)) return f.cause;
  return `${f.command} ${lowered(f) ? "by rstate" : `failed${how}`}: ${f.cause}`;
}

/**
 * The cause of the state, unless the diagnosis says the same already.
 * @param {Simulation} sim
 */
export function causeOf(sim) {
  const bare = sim.failure ? sim.cause.replace(`${sim.failure.command}: `, "").replace("stop input ", "") : sim.cause;
  return bare && diagnosis(sim)?.text.includes(bare) ? "" : sim.cause;
}

/**
 * Whether the network cannot be armed because it is not yet where arming begins, which is no fault.
 * @param {Simulation} sim
 */
export const isBelowArming = (sim) => sim.intact && !sim.failure && !sim.stops?.open.length && !sim.commands.some((c) => c.arms);

/** Commands with a fixed place: all that neither arm nor end the network, but Disarm, whose place is in the bar.
 * @param {Simulation} sim */
export const rowOf = (sim) => sim.all_commands.filter((c) => !c.arms && !c.ends && c.name !== sim.disarm);

/** Commands that can end the network. @param {Simulation} sim */
export const endings = (sim) => sim.all_commands.filter((c) => !c.arms && c.ends && c.name !== sim.disarm);

/** Why a command cannot be sent now; empty: it can. @param {import("../../api").Command | undefined} c @param {boolean} live */
export const whyNot = (c, live) => (live ? c?.why_not ?? "" : "no news of the daemon");

/** The state in which a person decides to end the network. @param {Simulation} sim */
export const situation = (sim) => JSON.stringify([sim.id, sim.run, sim.state, sim.settled, sim.target]);

/** What to do about an obstacle, on this page. @param {string} [text] */
export const toDo = (text) => text?.replace("run rstate acknowledge", "click Acknowledge");

/**
 * What a node waits for while a transition runs, in words; empty: it waits for nothing.
 * @param {Node} node
 * @param {Simulation} sim
 */
export function waitsFor(node, sim) {
  if (!sim.progress || node.running || !node.lifecycle || !node.present || node.state === node.expected) return "";
  const up = rank(node.expected) > rank(node.state);
  const before = sim.nodes.filter((other) => other.lifecycle && other.state !== other.expected &&
    (up ? node.after.includes(other.name) : other.after.includes(node.name)));
  return before.length ? `waits for ${before.map((n) => n.name).join(", ")}` : "waits for its turn";
}

/** A failure beside the name of its node. @param {Failure} f @param {string} name */
const failedHere = (f, name) => failed(f, " here").replace(`${f.command} failed: ${name} `, "");

/** @param {string} state */
const rank = (state) => ({ finalized: 0, unconfigured: 1, inactive: 2, active: 3 })[state] ?? 1;

/** What is to be said of a node beside its state, in words. @param {Node} node @param {Simulation} sim */
export function remark(node, sim) {
  const parts = [];
  if (node.running) parts.push(node.running);
  const waits = waitsFor(node, sim);
  if (waits) parts.push(waits);
  parts.push(...node.failing);
  if (sim.failure && !lowered(sim.failure) && blamed(sim) === node.name) parts.push(failedHere(sim.failure, node.name));
  if (node.cause) parts.push(node.cause);
  if (node.report) parts.push(`reports ${node.report}`);
  return parts.join("; ");
}

/** Whether a node is not as the state of the network says. @param {Node} node @param {Simulation} sim */
export const strays = (node, sim) => sim.deviations.some((d) => d.name === node.name);

/** Whether a disarm has anything to do here: also at an instance whose peers alone have nodes that can be armed.
 * @param {Simulation} sim */
export const armable = (sim) => sim.nodes.some((n) => n.armable) || sim.may_be_armed.length > 0 || sim.peers.length > 0;

/** "1 node", "2 nodes". @param {number} n @param {string} what */
export const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
