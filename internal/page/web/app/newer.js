// Whether the server has a newer page than this one: the daemon was updated while the page was open.
import { signal } from "@preact/signals";

export const newer = signal(false);

/** Asks after each new connection. A page that cannot be read says nothing. */
export async function lookForNewer() {
  try {
    const answer = await fetch("./", { cache: "no-cache" });
    const base = document.body.dataset.base ?? "";
    newer.value = answer.ok && !(await answer.text()).includes(`data-base="${base}"`);
  } catch {
    // The next connection asks again.
  }
}
