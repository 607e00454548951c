// Package testmsgs holds the bindings of test_msgs, which has every kind of field of ROS 2,
// for the tests of this module. They are generated from Kilted, whose test_msgs includes all
// interfaces of older releases.
package testmsgs

//go:generate go run ../../cmd/rclgo-gen generate -d . --no-importer --cgo-flags-path= --include-package ^test_msgs$
