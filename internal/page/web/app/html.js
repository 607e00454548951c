// Templates: html`<p>${text}</p>` makes elements of Preact. A text in a hole stays text, whatever is in it.
import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);
