// Starts the page.
import { render } from "preact";
import { html } from "./html.js";
import { startClock } from "./clock.js";
import { startLink } from "./link.js";
import { startPlaces } from "./places.js";
import { startRoute } from "./route.js";
import { App } from "./views/app.js";

startClock();
startRoute();
startPlaces();
startLink();
const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(html`<${App} />`, root);
}
