//go:build ros

package rosnet

import (
	"testing"
	"time"
)

// TestLoggerNames: a line belongs to the node whose logger, or a child of it, has written it.
func TestLoggerNames(t *testing.T) {
	l := logs{loggers: map[string]int{}}
	for i, name := range []string{"/lidar", "/robot/lidar", "/robot"} {
		l.loggers[loggerOf(name)] = i
	}
	for logger, want := range map[string]int{"lidar": 0, "lidar.driver.usb": 0, "robot.lidar": 1,
		"robot.lidar.driver": 1, "robot": 2, "robot.other": 2, "radar": -1, "lidar2": -1, "": -1} {
		got, ok := l.nodeOfLogger(logger)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is of node %d, want %d", logger, got, want)
		}
	}
}

// TestAgeOfALine: the clock of a publisher counts only while lines may come that it had kept.
func TestAgeOfALine(t *testing.T) {
	var l logs
	made := time.Unix(1000, 0)
	l.since.Store(made.UnixNano())
	soon, later := made.Add(time.Second), made.Add(time.Minute)
	if got := l.age(made.Add(-3*time.Second), soon); got != 4*time.Second {
		t.Errorf("a line that was kept is %v old", got)
	}
	if got := l.age(later.Add(time.Hour), soon); got != 0 {
		t.Errorf("a line of a clock that is ahead is %v old", got)
	}
	if got := l.age(made, later); got != 0 {
		t.Errorf("a line of a clock that is behind is %v old", got)
	}
}
