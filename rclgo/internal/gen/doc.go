// Package gen reads ROS interface files and writes Go bindings for them. Reading and
// writing are apart: Find lists the interfaces of prefixes and source folders, the
// parsers make Messages of them, and Bindings renders these to files in memory, which
// Write stores and Diff compares. It imports the standard library only, so the
// generator runs where no ROS library is.
package gen
