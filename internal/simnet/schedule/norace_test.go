//go:build !race

package schedule

const few = 10_000
