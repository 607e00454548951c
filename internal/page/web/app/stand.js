// Whether what a person presses has stood there long enough for the press to be meant for it.
//
// A change of the network enables commands, and a banner moves what is below it, while a finger is on its way. So a press
// counts only if the same thing was at the same place for CALM before it, and is still there when the click comes.
//
// `at` is in milliseconds on the clock of the events of a browser, which nobody sets.

/** Milliseconds for which a thing has to stand before a press of it counts. */
export const CALM = 1000;

/** A thing at its place, and since when. Two sights are the same object as long as nothing of it has changed.
 * @typedef {{what: string, place: string, since: number}} Sight */

/**
 * What is seen now.
 * @param {Sight | undefined} before
 * @param {string} what
 * @param {string} place
 * @param {number} at
 * @returns {Sight}
 */
export const look = (before, what, place, at) =>
  (before && before.what === what && before.place === place ? before : { what, place, since: at });

/** The sight that a press is meant for; null: none has stood for long enough. @param {Sight} seen @param {number} at */
export const press = (seen, at) => (at - seen.since >= CALM ? seen : null);
