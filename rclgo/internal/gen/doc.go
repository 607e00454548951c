// Package gen reads ROS interface files and writes Go bindings for them. Reading and
// writing are separate: Find lists the interfaces of prefixes and source folders, the
// parsers convert them to Messages, and Bindings renders these to files in memory, which
// Write stores and Diff compares. It imports the standard library only, so the
// generator runs without any ROS library.
package gen
