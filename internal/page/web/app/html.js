// Templates: html`<p>${text}</p>` makes elements of Preact. A text in a hole stays text, whatever is in it.
import htm from "htm";
import { Component, h } from "preact";

export const html = htm.bind(h);

/**
 * A view that is drawn again only if its properties have changed.
 * @template P
 * @param {(props: P) => any} view
 * @param {(before: P, now: P) => boolean} same
 */
export function memo(view, same) {
  return class extends Component {
    /** @param {any} props */
    shouldComponentUpdate(props) { return !same(/** @type {any} */ (this.props), props); }

    render() { return view(/** @type {any} */ (this.props)); }
  };
}
