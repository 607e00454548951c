//go:build ros

package selftest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

// newNode makes a node that is served from serve on.
func newNode(t *testing.T) (node *rclgo.Node, serve func()) {
	t.Helper()
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ctx.Close() })
	if node, err = ctx.NewNode(bed.Unique(t, "tested"), ""); err != nil {
		t.Fatal(err)
	}
	return node, func() {
		spin, stop := context.WithCancel(context.Background())
		spun := make(chan struct{})
		go func() { defer close(spun); _ = ctx.Spin(spin) }()
		t.Cleanup(func() { stop(); <-spun })
	}
}

func TestAbilities(t *testing.T) {
	node, serve := newNode(t)
	began := time.Now()
	test, err := Begin(node)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("begun after %v: %+v", time.Since(began), test.Abilities())
	serve()
	<-test.Over()
	t.Logf("over after %v: %s", time.Since(began), test.Abilities())
}
