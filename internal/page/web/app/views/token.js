// The token of the server, which it asks for if it was started with --token-file. The dialog is not modal: Disarm works
// beside it.
import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { setToken, token, tokenRefused, tokenWanted } from "../api.js";

export function TokenButton() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const open = () => {
    dialog.current?.show();
    field.current?.focus();
  };
  const close = () => {
    tokenWanted.value = false;
    dialog.current?.close();
  };
  useEffect(() => { if (tokenWanted.value) open(); }, [tokenWanted.value]);
  if (!tokenWanted.value && !token.value) return null;
  /** @param {Event} e */
  const save = (e) => {
    e.preventDefault();
    setToken(field.current?.value ?? "");
    if (field.current) field.current.value = "";
    close();
  };
  return html`
    <button type="button" class="plain" onClick=${open}>Token</button>
    <dialog ref=${dialog} aria-labelledby="token-title" onKeyDown=${(/** @type {KeyboardEvent} */ e) => { if (e.key === "Escape") close(); }}>
      <form onSubmit=${save}>
        <h2 id="token-title">Token of the server</h2>
        ${tokenRefused.value && html`<p class="bad" role="alert">The server refused this token. It is forgotten.</p>`}
        <p>This server takes commands only with the token in the file that it was started with. It is kept until this
          tab is closed. Then send the command again.</p>
        <label>Token <input ref=${field} type="password" autocomplete="off" required minlength="16" /></label>
        <div class="row">
          <button type="submit">Use it</button>
          <button type="button" class="plain" onClick=${close}>Cancel</button>
        </div>
      </form>
    </dialog>`;
}
