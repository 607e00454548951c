//go:build ros

package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"rstate/test/bed"
	beddaemon "rstate/test/bed/daemon"
)

const (
	createLimit       = 250 * time.Millisecond
	simulationLimitMB = 3.0
	// An experiment whose node is not there.
	nobody = "simulation: $(sim)\nnodes: {/nobody_$(sim): {deadline: {discover: 1ms}}}\n"
)

// BenchmarkFactory creates simulations over HTTP, one after another, in one factory. No nodes run.
func BenchmarkFactory(b *testing.B) {
	simulations := times(b, "RSTATE_BENCH_SIMULATIONS", 99, 10)
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nobody.yaml"), []byte(nobody), 0o600); err != nil {
		b.Fatal(err)
	}
	space := "/" + bed.Unique(b, "lab")
	p := bed.StartCommand(b, "factory", shipped([]string{
		binary(b), "factory", "--experiments", dir, "--journal", b.TempDir(), "--http", "0", "--ros-args", "-r",
		"__ns:=" + space,
	}))
	address := beddaemon.AddressOf(b, p)
	create := func() {
		resp, err := http.Post(address+"/simulation", "application/json",
			bytes.NewReader([]byte(`{"experiment": "nobody"}`)))
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusCreated {
			b.Fatalf("%s: %s", resp.Status, text)
		}
	}
	create() // what the first one loads stays
	before, _ := memoryOf(b, p.Pid())
	var took series
	for range simulations {
		start := time.Now()
		create()
		took = append(took, time.Since(start))
	}
	after, _ := memoryOf(b, p.Pid())
	each := (after - before) / float64(simulations)
	t := tableOf(fmt.Sprintf("%d simulations in one factory, without nodes", simulations), "what", "used", "limit", "")
	b.Run("create", func(b *testing.B) {
		once(b, func() outcome {
			used := float64(took.mean()) / float64(createLimit)
			t.row("create one over HTTP, mean", ms(took.mean())+" ms", ms(createLimit)+" ms", verdict(used))
			t.row("median (least–most)", took.String()+" ms", "", "")
			return outcome{"ns/op": float64(took.mean()), ofBound: used}
		})
	})
	b.Run("memory", func(b *testing.B) {
		once(b, func() outcome {
			used := each / simulationLimitMB
			t.row("memory of one", fmt.Sprintf("%.2f MB", each), fmt.Sprintf("%.0f MB", simulationLimitMB),
				verdict(used))
			t.row("memory of the process", fmt.Sprintf("%.0f MB", after), "", "")
			return outcome{"MB/op": each, ofBound: used}
		})
	})
}

// mean is the time that one measurement takes of the whole.
func (s series) mean() (sum time.Duration) {
	for _, d := range s {
		sum += d
	}
	return sum / time.Duration(max(1, len(s)))
}

const (
	readRate  = 1000 // requests in a second
	readLimit = 1.10
)

// BenchmarkReads measures transitions of ten nodes, in turn without and with a client that asks for the state over HTTP
// a thousand times a second. The client runs on the same machine, and takes about as much time as the daemon.
func BenchmarkReads(b *testing.B) {
	for _, work := range []time.Duration{0, 20 * time.Millisecond} {
		b.Run("work="+work.String(), func(b *testing.B) { once(b, func() outcome { return besideReads(b, work) }) })
	}
}

func besideReads(b *testing.B, work time.Duration) outcome {
	b.Helper()
	const nodes = 10
	g := startGroup(b, ownNodes, nodes, work)
	c := newCaller(b)
	d := c.startServing(b, g)
	url := beddaemon.AddressOf(b, d.process) + "/simulation/" + d.simulation + "/state"
	d.command("active")
	round := func() time.Duration { return d.command("inactive") + d.command("active") }
	round()
	var quiet, beside series
	asked := 0
	// a round takes 12 ms, and with 60 chance alone makes 1.06 to 1.13
	for range times(b, "RSTATE_BENCH_READS", 400, 10) {
		quiet = append(quiet, round())
		stop := asks(b, url)
		beside = append(beside, round())
		asked += stop()
	}
	ratio := over(beside, quiet)
	used := ratio.median() / readLimit
	t := tableOf(fmt.Sprintf("%d nodes deactivated and activated, beside %d requests of GET state a second, in ms: median (least–most)", nodes, readRate),
		"work", "without", "beside", "ratio", "limit", "asked for", "")
	t.row(work.String(), quiet.String(), beside.String(), ratio.String(), fmt.Sprintf("%.2f", readLimit),
		strconv.Itoa(asked), verdict(used))
	return outcome{"ns/op": float64(beside.median()), ofBound: used}
}

// startServing is startDaemon for a daemon that serves HTTP.
func (c *caller) startServing(b *testing.B, g group) *daemon {
	b.Helper()
	return c.startDaemonWith(b, []string{"--", "--http", "0"}, bed.Unique(b, "rstate"), g.prefix, networkFile(b, g))
}

// asks requests the state, readRate times a second over one connection, until stop is called; that returns how often.
func asks(b *testing.B, url string) (stop func() int) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	var running sync.WaitGroup
	client := &http.Client{}
	get := func() error {
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %w", resp.Status, err)
		}
		return nil
	}
	if err := get(); err != nil { // the connection is made
		b.Fatal(err)
	}
	running.Go(func() {
		tick := time.NewTicker(time.Second / readRate)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := get(); err != nil {
				b.Error(err)
				return
			}
			asked++
		}
	})
	return func() int {
		cancel()
		running.Wait()
		client.CloseIdleConnections()
		return asked
	}
}
