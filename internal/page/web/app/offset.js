// How old a message of the server is, though its clock and ours differ.
//
// Each "alive" carries the time of the server. The one with the shortest way so far shows how the clocks relate; any other
// took longer by the difference. So a message that waited on a slow link is known to be old when it comes. What is left
// out is the shortest way itself, which no clock of ours can see.

export class Offset {
  /** @type {number | undefined} the least difference of our time and the server's, in ms */
  #least;

  /**
   * Takes the time of the server, and when its message came, in ms of performance.now().
   * @param {string} stamp
   * @param {number} arrived
   */
  observe(stamp, arrived) {
    const difference = arrived - Date.parse(stamp);
    if (this.#least === undefined || difference < this.#least) this.#least = difference;
  }

  /**
   * Returns a time of the server on our clock. It is never in the future.
   * @param {string} stamp
   * @param {number} arrived when it came, in ms of performance.now()
   */
  local(stamp, arrived) {
    return this.#least === undefined ? arrived : Math.min(arrived, Date.parse(stamp) + this.#least);
  }
}
