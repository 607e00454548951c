//go:build race

package schedule

// few is how many schedules are run under the race detector, which takes ten times as long and has nothing to find in
// what is one goroutine.
const few = 500
