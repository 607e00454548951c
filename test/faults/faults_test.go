//go:build ros

// Package faults tests failures of rstate's environment: its file, its disk, ROS itself, and nodes
// that never appear. Each must lead to one clear message, and nothing may be lost. The tests see
// the built binary as a process and import nothing of the product.
package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

func TestMain(m *testing.M) {
	code := bed.Main(m)
	if built.folder != "" {
		os.RemoveAll(built.folder)
	}
	os.Exit(code)
}

var built struct {
	sync.Once
	folder, binary string
	err            error
}

// binary returns the rstate binary as shipped, built by the first test that needs it.
func binary(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "rstate-faults-"); built.err == nil {
			built.binary, built.err = daemon.Build(built.folder)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.binary
}

// network is a network of two nodes in a namespace of its own, and its file without `simulation`.
type network struct {
	front, rear string
	text        string
}

func newNetwork(t *testing.T, keys string) network {
	space := "/" + bed.Unique(t, "space")
	n := network{front: space + "/front", rear: space + "/rear"}
	n.text = fmt.Sprintf("%sproof: 10s\nnodes:\n  %s: {probe: 10s}\n  %s: {after: [%s], arm: {}}\n", keys, n.front,
		n.rear, n.front)
	return n
}

// start makes the nodes and the daemon over them.
func (n network) start(t *testing.T, c daemon.Config) *daemon.Daemon {
	t.Helper()
	host := bed.StartHost(t)
	host.Node(bed.NodeSpec{Name: n.front, Threads: 2})
	host.Node(bed.NodeSpec{Name: n.rear, Threads: 2, Arm: n.rear + "/arm"})
	c.Binary, c.Network = binary(t), n.text
	d := daemon.Start(t, host, c)
	d.Intact("unconfigured")
	return d
}

// said returns the lines that a process has logged.
func said(p *bed.Process) []string {
	return strings.FieldsFunc(p.Log(), func(r rune) bool { return r == '\n' })
}

// nothingLeft checks that a failed start has left no journal.
func nothingLeft(t *testing.T, journal string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(journal, "*")); len(left) > 0 {
		t.Errorf("the start left %v", left)
	}
}
