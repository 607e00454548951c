// Package page opens the page of internal/page in a real browser, a headless Chromium, and does what a person does: look,
// click, hold, type. The simulations that it shows are made up, so that each moment can be had at once.
//
// With the build tag ros there are the tests TestReal… too. They open the page of the built binary over real ROS 2, do a
// day's work on it, and ask the nodes themselves whether the page is right.
//
// The tests are left out by name where there is no Chromium; with CI=true that is an error.
//
// Its tests may import internal/httpapi, internal/machine, internal/page, test/bed and its subpackages.
package page
