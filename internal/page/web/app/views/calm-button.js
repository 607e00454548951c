// A button of a command. A click counts only if what it hits has stood there for a second (stand.js).
import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { renew, see, watch } from "../places.js";
import { press } from "../stand.js";

/**
 * @param {{of: string, look?: string, why: string, more?: object, tell: (hint: string) => void, act: () => void, children?: any}} props of says
 *   what the button is for; why says why it cannot be used now; tell shows a hint while a person is at the button
 */
export function CalmButton({ of, look, why, more, tell, act, children }) {
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  // What the newest press was meant for: undefined without a press, null if it does not count.
  const pressed = useRef(/** @type {import("../stand.js").Sight | null | undefined} */ (undefined));
  useEffect(() => (button.current ? watch(button.current) : undefined), []);
  /** @param {Event} e */
  const take = (e) => { pressed.current = button.current ? press(see(button.current), e.timeStamp) : null; };
  const events = {
    /** @param {PointerEvent} e */
    onPointerDown: (e) => {
      pressed.current = null;
      if (e.isPrimary && e.button === 0) take(e);
    },
    /** @param {KeyboardEvent} e */
    onKeyDown: (e) => {
      if (e.key !== " " && e.key !== "Enter") return;
      if (e.repeat) e.preventDefault();
      else take(e);
    },
    /** @param {MouseEvent} e */
    onClick: (e) => {
      if (pressed.current === undefined) take(e); // neither a pointer nor a key: a program that reads the page aloud
      const meant = pressed.current;
      pressed.current = undefined;
      if (why || !button.current) return tell(why);
      if (!e.isTrusted || !meant || meant !== see(button.current)) {
        return tell("Not sent, because this button had not been here for a second. Look, and click again.");
      }
      renew(button.current);
      tell("");
      return act();
    },
    onFocus: () => tell(why),
    onBlur: () => tell(""),
    onPointerEnter: () => tell(why),
    onPointerLeave: () => tell(""),
  };
  return html`
    <button ref=${button} type="button" class=${look ?? ""} data-of=${of} aria-disabled=${why !== ""} title=${why} ...${more} ...${events}>${children}</button>`;
}
