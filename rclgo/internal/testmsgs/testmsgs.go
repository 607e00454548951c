// Package testmsgs holds the bindings of test_msgs, which has every kind of field that
// ROS 2 knows, for the tests of this module. They are made from Kilted, whose
// test_msgs has all that older ones have.
package testmsgs

//go:generate go run ../../cmd/rclgo-gen generate -d . --no-importer --cgo-flags-path= --include-package ^test_msgs$
