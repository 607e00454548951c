// The whole page.
import { useEffect } from "preact/hooks";
import { html } from "../html.js";
import { age, now } from "../clock.js";
import { complete, isLive, lastNews, link, simulations } from "../link.js";
import { newer } from "../newer.js";
import { shown, to, wanted } from "../route.js";
import { Bar } from "./bar.js";
import { Commands } from "./command-panel.js";
import { Diagnosis, Hero } from "./hero.js";
import { Lists } from "./lists.js";
import { Nodes } from "./nodes.js";

export function App() {
  const sim = shown.value;
  const live = sim ? isLive(sim.id) : link.value === "live";
  useEffect(() => {
    document.title = sim ? `${live ? "" : "(stale) "}${sim.state}${sim.intact ? "" : ", not intact"} · ${sim.name}` : "rstate";
  }, [sim?.state, sim?.intact, sim?.name, live]);
  return html`
    <a class="skip" href="#nodes-title" onClick=${skip}>Skip to the nodes</a>
    <${Bar} sim=${sim} />
    <main class=${live ? "" : "stale"}>
      ${!live && complete.value && html`<${Stale} id=${sim?.id} />`}
      ${newer.value && html`<p class="newer" role="status">The daemon was updated, and has a newer page.
        <button type="button" onClick=${() => location.reload()}>Reload</button></p>`}
      ${sim ? html`
        <div class="columns">
          <div class="column">
            <${Hero} sim=${sim} />
            <${Diagnosis} sim=${sim} />
            ${sim.warnings.length > 1 && html`<${Warnings} list=${sim.warnings} />`}
            <${Nodes} sim=${sim} />
          </div>
          <div class="column">
            <${Commands} sim=${sim} />
            <${Lists} sim=${sim} />
          </div>
        </div>
        <footer class="hint">rstate ${sim.version}, machine ${sim.machine}, run ${sim.run}</footer>`
        : html`<${Nothing} />`}
    </main>`;
}

/** What stands in place of a simulation that is not there. */
function Nothing() {
  if (!complete.value) return html`<p class="loading">Connecting to rstate…</p>`;
  const others = [...simulations.value.values()];
  if (others.length === 0) return html`<p class="loading">This server has no simulation now.</p>`;
  return html`
    <div class="loading"><p>This server has no simulation ${wanted.value} now. It has:</p>
      <ul class="others">${others.map((s) => html`<li key=${s.id}><a href=${to(s.id)}>${s.name}</a>: ${s.state}</li>`)}</ul></div>`;
}

/** @param {{id: string | undefined}} props */
function Stale({ id }) {
  return html`
    <p class="stale-note" role="alert">The daemon cannot be heard. What you see was so ${
      age((now.value - lastNews(id)) / 1000)} ago, and may be wrong now. This page connects again by itself.</p>`;
}

/** @param {{list: string[]}} props */
function Warnings({ list }) {
  return html`<details class="warnings"><summary>${list.length} warnings</summary><ul>${list.map((w) => html`<li>${w}</li>`)}</ul></details>`;
}

/** The part of the address after # names a simulation, so this link moves the focus alone. @param {Event} e */
function skip(e) {
  e.preventDefault();
  const title = document.getElementById("nodes-title");
  title?.setAttribute("tabindex", "-1");
  title?.focus();
}
