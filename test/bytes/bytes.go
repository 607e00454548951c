// Package bytes holds a fuzz target for each type that a process of rstate subscribes to: its bytes go through the
// decoder that the subscription uses, down to the middleware. A target finds something if the process ends, if bytes
// that were decoded cannot be written again, or if the result is many times larger than the bytes. The package may
// import the bindings and rclgo. `make fuzz-bytes` runs the targets.
package bytes
