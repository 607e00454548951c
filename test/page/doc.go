// Package page opens the page of internal/page in a real browser, a headless Chromium, and does what a person does: look,
// click, hold, type. The simulations that it shows are made up, so that each moment can be had at once.
//
// The tests are left out by name where there is no Chromium; with CI=true that is an error.
//
// Its tests may import internal/httpapi, internal/machine and internal/page.
package page
