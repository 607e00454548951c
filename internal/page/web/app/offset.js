// How old a message of the server is, though its clock and ours differ.
//
// Each "alive" carries the time of the server. The one with the shortest way so far shows how the clocks relate; any other
// took longer by the difference. So a message that waited on a slow link is known to be old when it comes. What is left
// out is the shortest way itself. No clock of ours can see it, but it is shorter than the time from the request for the
// stream to its first message. Where that is long, as behind a link with a long queue, all of it counts as the way.

/** Milliseconds until the first message that are too few to count. */
const SHORT = 1000;

export class Offset {
  /** @type {number | undefined} the least difference of our time and the server's, in ms */
  #least;

  #asked;

  /** @param {number} [asked] when the stream was asked for */
  constructor(asked = Infinity) { this.#asked = asked; }

  /**
   * Takes the time of the server, and when its message came, in ms of the page's clock.
   * @param {string} stamp
   * @param {number} arrived
   */
  observe(stamp, arrived) {
    const first = this.#least === undefined;
    const way = first && arrived - this.#asked > SHORT ? arrived - this.#asked : 0;
    const difference = arrived - way - Date.parse(stamp);
    if (this.#least === undefined || difference < this.#least) this.#least = difference;
  }

  /**
   * Returns a time of the server on our clock. It is never in the future.
   * @param {string} stamp
   * @param {number} arrived when it came, in ms of the page's clock
   */
  local(stamp, arrived) {
    return this.#least === undefined ? arrived : Math.min(arrived, Date.parse(stamp) + this.#least);
  }
}
