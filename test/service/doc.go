// Package service holds the tests of what runs rstate without a person: the units of systemd in
// packaging/systemd, and the examples for build servers in docs/ci. It imports nothing of the
// product.
//
// Tests that ask systemd-analyze are left out by name where it is not installed (Debian's package
// systemd); with CI=true that is an error.
package service
