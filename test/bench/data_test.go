//go:build ros

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// dataCost is how much of a cycle with data in lockstep may be SteppedNode's.
const dataCost = 1.10

// BenchmarkData compares cycles with data, of a simulator and a controller in rclpy with one topic each way: with
// SteppedNode, and as programs that wait themselves for the message of the step that they need. The same daemon steps
// both in turn.
func BenchmarkData(b *testing.B) {
	once(b, func() outcome {
		c := newCaller(b)
		counting, waiting := c.startData(b, ""), c.startData(b, "", "--waiting")
		ours, bare := inTurn(b, counting, waiting)
		ratio := over(ours, bare).median()
		o := outcome{"ns/op": float64(ours.median()), "x-bare": ratio, ofBound: ratio / dataCost}
		tableOf("A cycle with data, a simulator and a controller in rclpy, in ms: median (least–most)", "SteppedNode",
			"waiting by hand", "ratio", "limit", "").
			row(ours.String(), bare.String(), fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%.2f", dataCost),
				verdict(o[ofBound]))
		return o
	})
}

// inTurn lets two daemons step in turn, and returns what a cycle of each took.
func inTurn(b *testing.B, one, other *daemon) (ours, theirs series) {
	const steps = 200
	one.steps(steps) // finds files and topics
	other.steps(steps)
	for range times(b, "RSTATE_BENCH_RUNS", 15, 3) {
		ours = append(ours, one.steps(steps)/time.Duration(steps))
		theirs = append(theirs, other.steps(steps)/time.Duration(steps))
	}
	return ours, theirs
}

// recordCost is how much of a cycle with data in lockstep may be the recorder's.
const recordCost = 1.10

// BenchmarkRecord compares cycles with data in lockstep that are recorded with cycles that are not. Two daemons step in
// turn.
func BenchmarkRecord(b *testing.B) {
	once(b, func() outcome {
		c := newCaller(b)
		recorded, plain := c.startData(b, filepath.Join(b.TempDir(), "run.mcap")), c.startData(b, "")
		ours, bare := inTurn(b, recorded, plain)
		ratio := over(ours, bare).median()
		o := outcome{"ns/op": float64(ours.median()), "x-unrecorded": ratio, ofBound: ratio / recordCost}
		tableOf("A cycle with data that are recorded, a simulator and a controller in rclpy, in ms: median (least–most)", "recorded", "not recorded", "ratio", "limit", "").
			row(ours.String(), bare.String(), fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%.2f", recordCost),
				verdict(o[ofBound]))
		return o
	})
}

// startData starts two participants whose data depend on each other, and a daemon that has initialized them. It records
// to a file, if one is given.
func (c *caller) startData(b *testing.B, record string, kind ...string) *daemon {
	b.Helper()
	g := group{prefix: bed.Unique(b, "n"), count: 2, record: record}
	folder, err := filepath.Abs("../../ros/rstate")
	if err != nil {
		b.Fatal(err)
	}
	names := g.names()
	for i, role := range [][]string{{"--simulator"}, nil} {
		args := append([]string{"python3", "-B", "../ros/testdata/lockstep.py", "--out",
			filepath.Join(b.TempDir(), "messages")}, kind...)
		args = append(args, "--in-topic", names[1-i]+"/data", "--out-topic", names[i]+"/data")
		bed.StartCommand(b, names[i], bed.Command{
			Args: append(append(args, role...), "--ros-args", "-r", "__node:="+strings.TrimPrefix(names[i], "/")),
			Env:  []string{"PYTHONPATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PYTHONPATH")},
		})
	}
	d := c.startLoop(b, g)
	d.command("initialize")
	return d
}
