// The nodes as a graph: each stands right of those that it comes after. A screen reader has the table instead.
import { html } from "../html.js";
import { lookOfNode, strays } from "../judge.js";
import { layers } from "../order.js";
import { short, showNode } from "../route.js";

const WIDE = 196, HIGH = 42, GAP_X = 44, GAP_Y = 14, LETTERS = 21;

/** The part of its size that the graph is shown at, at least: below it nobody can read the names. Then it scrolls. */
const LEAST = 0.75;

/** @param {{sim: import("../link.js").Shown}} props */
export function Graph({ sim }) {
  const columns = layers(sim.nodes);
  const most = Math.max(...columns.map((c) => c.length));
  const width = columns.length * (WIDE + GAP_X) - GAP_X + 4;
  const height = most * (HIGH + GAP_Y) - GAP_Y + 4;
  /** @type {Map<string, {x: number, y: number}>} */
  const places = new Map();
  columns.forEach((column, k) => column.forEach((n, i) => places.set(n.name, {
    x: 2 + k * (WIDE + GAP_X), y: 2 + (height - 4 - column.length * (HIGH + GAP_Y) + GAP_Y) / 2 + i * (HIGH + GAP_Y),
  })));
  return html`
    <div class="graph" aria-hidden="true">
      <svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} style=${{ minWidth: `${LEAST * width}px` }}>
        ${sim.nodes.flatMap((n) => n.after.map((name) => html`<${Edge} key=${`${name} ${n.name}`} from=${places.get(name)} to=${places.get(n.name)} />`))}
        ${sim.nodes.map((n) => html`<${Box} key=${n.name} node=${n} place=${places.get(n.name)} sim=${sim} />`)}
      </svg>
    </div>`;
}

/** @typedef {{x: number, y: number}} Place */

/** @param {{from: Place | undefined, to: Place | undefined}} props */
function Edge({ from, to }) {
  if (!from || !to) return null;
  const x1 = from.x + WIDE, y1 = from.y + HIGH / 2, y2 = to.y + HIGH / 2, bend = (to.x - x1) / 2;
  return html`<path class="edge" d=${`M${x1} ${y1}C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}`} />`;
}

/** @param {{node: import("../../../api").Node, place: Place | undefined, sim: import("../link.js").Shown}} props */
function Box({ node, place, sim }) {
  if (!place) return null;
  const look = node.may_be_armed ? "armed" : !node.present ? "lost" : node.running ? "moving"
    : node.lifecycle ? lookOfNode(node.state) : "up";
  const word = node.may_be_armed ? (node.armed ? "armed" : "may be armed") : node.present ? (node.running || (node.lifecycle ? node.state : "present")) : "lost";
  const strayed = strays(node, sim) && !node.optional;
  return html`
    <g class=${`box look-${look} ${strayed ? "strayed" : ""} ${node.optional ? "spare" : ""}`} transform=${`translate(${place.x} ${place.y})`}
      onClick=${() => showNode(node.name)}>
      <title>${node.name}: ${word}</title>
      <rect width=${WIDE} height=${HIGH} rx="7" />
      <text x="11" y="18" class="box-name">${short(node.name, LETTERS)}</text>
      <text x="11" y="33" class="box-word">${word}</text>
    </g>`;
}
