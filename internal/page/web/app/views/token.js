// The token of the server, which it asks for if it was started with --token-file.
import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { setToken, token, tokenWanted } from "../api.js";

export function TokenButton() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => { if (tokenWanted.value) dialog.current?.showModal(); }, [tokenWanted.value]);
  if (!tokenWanted.value && !token.value) return null;
  /** @param {Event} e */
  const save = (e) => {
    e.preventDefault();
    setToken(field.current?.value ?? "");
    dialog.current?.close();
  };
  return html`
    <button type="button" class="plain" onClick=${() => dialog.current?.showModal()}>Token</button>
    <dialog ref=${dialog} aria-labelledby="token-title">
      <form onSubmit=${save}>
        <h2 id="token-title">Token of the server</h2>
        <p>This server takes commands only with the token in the file that it was started with. It is kept until this
          tab is closed. Then send the command again.</p>
        <label>Token <input ref=${field} type="password" autocomplete="off" required minlength="16" /></label>
        <div class="row">
          <button type="submit">Use it</button>
          <button type="button" class="plain" onClick=${() => { tokenWanted.value = false; dialog.current?.close(); }}>Cancel</button>
        </div>
      </form>
    </dialog>`;
}
