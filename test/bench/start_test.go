//go:build ros

package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/test/bed"

	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

const (
	// beBare makes a process of this test binary a bare client of the nodes in its value.
	beBare = "RSTATE_BENCH_BARE"
	// aboveBare is how much longer than a bare client the daemon may take.
	aboveBare = 300 * time.Millisecond
)

// BenchmarkStart measures how long a daemon takes from the start of its process until a goal is
// accepted, with nodes that are present already; and for comparison a program of the same library
// that only reads the state of all nodes. With autostart it measures the time until the last of
// them is active.
func BenchmarkStart(b *testing.B) {
	for _, r := range []struct {
		nodes, processes int
		limit, active    time.Duration
	}{
		{10, 1, 600 * time.Millisecond, time.Second},
		{100, 1, time.Second, 1200 * time.Millisecond},
		{100, 10, 1600 * time.Millisecond, 1900 * time.Millisecond},
	} {
		b.Run(fmt.Sprintf("nodes=%d/processes=%d", r.nodes, r.processes), func(b *testing.B) {
			once(b, func() outcome { return starts(b, r.nodes, r.processes, r.limit, r.active) })
		})
	}
}

func starts(b *testing.B, nodes, processes int, limit, activeIn time.Duration) outcome {
	b.Helper()
	// as on one robot; in SUBNET a start first listens for other daemons of its name
	b.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	var groups []group
	var names []string
	for range processes {
		g := startGroup(b, ownNodes, nodes/processes, 0)
		groups, names = append(groups, g), append(names, g.names()...)
	}
	d := newCaller(b).startDaemon(b, groups...) // until the nodes are present
	d.stop()
	var ready, accepted, active, bare, allowed series
	for range times(b, "RSTATE_BENCH_RUNS", 5, 3) {
		time.Sleep(time.Second) // the remains of the earlier processes disappear
		bare = append(bare, startBare(b, names))
		began := time.Now()
		ready = append(ready, d.start())
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if _, err := d.send(ctx, "unconfigured"); err != nil {
			b.Fatal(err)
		}
		cancel()
		accepted = append(accepted, time.Since(began))
		allowed = append(allowed, min(limit, bare[len(bare)-1]+aboveBare))
		d.command("unconfigured") // the daemon would otherwise return to its last state
		d.stop()
		d.rosArgs = []string{"-p", "autostart:=active"}
		began = time.Now()
		d.start()
		bed.Eventually(b, "autostart has brought all nodes up", func() (string, bool) {
			result, err := d.try("active") // rejected while autostart runs
			return fmt.Sprint(err), err == nil && result.Success
		})
		active = append(active, time.Since(began))
		d.command("unconfigured")
		d.stop()
		d.rosArgs = nil
	}
	used := max(over(accepted, allowed).median(), active.median().Seconds()/activeIn.Seconds())
	t := tableOf("Start of the process until a goal is accepted, in ms: median (least–most)",
		"nodes", "processes", "daemon knows its network", "goal accepted", "bare client has read all", "limit",
		"autostart: all active", "limit", "of what is allowed", "")
	t.row(count(nodes), count(processes), ready.String(), accepted.String(), bare.String(), ms(limit), active.String(),
		ms(activeIn), fmt.Sprintf("%.2f", used), verdict(used))
	return outcome{"ns/op": float64(accepted.median()), ofBound: used}
}

// startBare starts a bare client and returns how long it took to read the state of all nodes.
func startBare(b *testing.B, names []string) time.Duration {
	b.Helper()
	start := time.Now()
	command := shipped([]string{os.Args[0]})
	command.Env = append(command.Env, beBare+"="+strings.Join(names, ","))
	process, _, out := bed.StartPiped(b, "bare client", command)
	said := bufio.NewScanner(out) // Jazzy's middleware writes warnings there, too
	for said.Scan() && said.Text() != "all read" {
	}
	if said.Text() != "all read" {
		b.Fatalf("the bare client has ended (%v); its log:\n%s", said.Err(), process.Log())
	}
	took := time.Since(start)
	process.Kill()
	return took
}

// bareClient reads the state of each node, as soon as it is reachable, and prints a line after the
// last.
func bareClient(names []string) error {
	c, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		return err
	}
	node, err := c.NewNode(fmt.Sprintf("bare_%d", os.Getpid()), "")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go c.Spin(ctx) //nolint:errcheck // without a spin the client reads nothing, and reports that
	var all sync.WaitGroup
	failed := make(chan error, len(names))
	for _, name := range names {
		client, err := lifecycle_msgs_srv.NewGetStateClient(node, name+"/get_state", nil)
		if err != nil {
			return err
		}
		all.Go(func() {
			for {
				if ok, err := client.Available(); err != nil || ctx.Err() != nil {
					failed <- fmt.Errorf("%s: %w", name, context.Cause(ctx))
					return
				} else if ok {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			if _, _, err := client.Send(ctx, lifecycle_msgs_srv.NewGetState_Request()); err != nil {
				failed <- fmt.Errorf("%s: %w", name, err)
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
		fmt.Println("all read")
		<-ctx.Done()
		return nil
	}
}

// stop sends the daemon SIGTERM, so that the graph no longer shows it.
func (d *daemon) stop() {
	d.b.Helper()
	d.process.Signal(syscall.SIGTERM)
	d.process.Wait(d.b)
}
