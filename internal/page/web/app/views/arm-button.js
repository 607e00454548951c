// The button that arms: a gesture of hold.js. It becomes void by all that may have changed what the person decided on.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { ms } from "../clock.js";
import { arm, authority, challenge } from "../commands.js";
import { Refused } from "../api.js";
import { BLIND, fullness, idle, next } from "../hold.js";
import { isLive } from "../link.js";

/** @typedef {import("../hold.js").Act} Act */

/** What the decision to arm rests on; if it changes, the gesture is void. @param {import("../link.js").Shown} sim */
const basis = (sim) => JSON.stringify([sim.run, sim.seen, sim.state, sim.settled, sim.intact, sim.may_be_armed,
  sim.commands.map((c) => c.name), sim.deviations.map((d) => d.name)]);

/** @param {{sim: import("../link.js").Shown, command: import("../../../api").Command}} props */
export function ArmButton({ sim, command }) {
  const [gesture, setGesture] = useState(idle);
  const current = useRef(gesture);
  const asked = useRef(/** @type {Promise<import("../commands.js").Asked> | undefined} */ (undefined));
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const live = isLive(sim.id);
  const ready = live && (!sim.authority || authority.value !== "");

  /** @param {Act} act */
  const take = (act) => {
    const before = current.current;
    const { gesture: after, armed } = next(before, act);
    if (after === before && !armed) return;
    current.current = after;
    setGesture(after);
    if (after.phase === "held" && before.phase !== "held") {
      asked.current = challenge(sim.id, sim.seen);
      asked.current.catch((e) => take({ type: "void", why: e instanceof Refused ? e.message : String(e) }));
    }
    if (armed && asked.current) arm(sim.id, command.name, asked.current);
    if (after.phase !== "held") asked.current = undefined;
  };
  const held = gesture.phase === "held";
  /** When a person acted, and now. A busy page hears of it late. @param {Event} [e] */
  const moment = (e) => ({ at: (e?.timeStamp ?? performance.now()) / 1000, seen: ms() / 1000 });

  /** Whether the page stood still while it was pressed. @param {Event} e */
  const isLate = (e) => performance.now() - e.timeStamp > BLIND * 1000;

  useEffect(() => take({ type: "void", why: "the network has changed" }), [basis(sim)]);
  useEffect(() => { if (!ready) take({ type: "void", why: "the news stopped" }); }, [ready]);
  useEffect(() => {
    if (!held) return undefined;
    /** @param {string} why @returns {() => void} */
    const voids = (why) => () => take({ type: "void", why });
    const away = voids("the page lost the focus");
    const hidden = voids("the page was hidden");
    addEventListener("blur", away);
    document.addEventListener("visibilitychange", hidden);
    const timer = setInterval(() => take({ type: "time", ...moment() }), 100);
    return () => {
      removeEventListener("blur", away);
      document.removeEventListener("visibilitychange", hidden);
      clearInterval(timer);
    };
  }, [held]);

  const isKey = (/** @type {KeyboardEvent} */ e) => e.key === " " || e.key === "Enter";
  /** The key or the pointer of an event. @param {KeyboardEvent | PointerEvent} e */
  const by = (e) => ("pointerId" in e ? `pointer ${e.pointerId}` : `key ${e.key}`);
  /** Whether the gesture is that of this pointer. @param {PointerEvent} e */
  const isMine = (e) => current.current.phase === "held" && current.current.by === by(e);
  /** Whether a pointer is on the button, which gets its events elsewhere too. @param {PointerEvent} e */
  const isOn = (e) => !!button.current?.contains(document.elementFromPoint(e.clientX, e.clientY));
  const lost = (/** @type {PointerEvent} */ e) => { if (isMine(e)) take({ type: "void", why: "the pointer was lost" }); };
  const left = () => take({ type: "void", why: "the pointer has left the button" });
  const events = {
    /** @param {PointerEvent} e */
    onPointerDown: (e) => {
      if (e.button !== 0 || !e.isPrimary || !e.isTrusted || isLate(e)) return;
      button.current?.setPointerCapture(e.pointerId);
      take({ type: "press", by: by(e), ...moment(e) });
    },
    /** @param {PointerEvent} e */
    onPointerMove: (e) => { if (isMine(e) && !(isOn(e) && e.buttons & 1)) left(); },
    /** @param {PointerEvent} e */
    onPointerUp: (e) => {
      if (!isMine(e)) return undefined;
      if (!e.isTrusted || !isOn(e)) return left();
      return take({ type: "release", by: by(e), ...moment(e) });
    },
    onPointerLeave: lost,
    onPointerCancel: lost,
    onLostPointerCapture: lost,
    onContextMenu: (/** @type {Event} */ e) => e.preventDefault(), // a long touch opens it
    /** @param {KeyboardEvent} e */
    onKeyDown: (e) => {
      if (e.key === "Escape") return take({ type: "void", why: "given up" });
      if (!isKey(e)) return undefined;
      e.preventDefault();
      return take({ type: "press", by: by(e), ...moment(e), repeat: e.repeat || !e.isTrusted || isLate(e) });
    },
    /** @param {KeyboardEvent} e */
    onKeyUp: (e) => { if (isKey(e) && e.isTrusted) take({ type: "release", by: by(e), ...moment(e) }); },
    onBlur: () => take({ type: "void", why: "the button lost the focus" }),
  };

  const unready = sim.readiness === "not ready" ? "Not ready: rstate would refuse it now. " : "";
  const full = held ? fullness(gesture) : 0;
  const hint = gesture.phase === "void" ? `Not armed: ${gesture.why}.`
    : !held ? (sim.authority && !authority.value ? "Needs the authority first." : `${unready}Hold for two seconds, then let go.`)
      : full < 1 ? "Keep holding…" : "Let go now to arm.";
  return html`
    <div class="arm">
      <button ref=${button} type="button" class=${`arm-button ${held ? "held" : ""} ${full >= 1 ? "full" : ""} ${unready && "unready"}`}
        aria-describedby="arm-hint" aria-disabled=${!ready} ...${ready ? events : {}}>
        <span class="arm-fill"></span>
        <span class="arm-word">${command.name}<small> → ${command.to}</small></span>
      </button>
      <p id="arm-hint" class="hint" role="status">${hint}</p>
    </div>`;
}
