//go:build ros

package page

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rstate/test/bed"
)

const (
	openPages  = 5
	idleWindow = 12 * time.Second
	pagesLimit = 0.002 // of a core
	rounds     = 3
	tick       = 10 * time.Millisecond // the unit of times in /proc/<pid>/stat
)

// BenchmarkPageIdle measures what open pages cost an idle daemon, more than without, in turn.
func BenchmarkPageIdle(b *testing.B) {
	p := newPlant(b)
	p.node(p.host, "lidar", bed.NodeSpec{})
	p.node(p.host, "driver", bed.NodeSpec{Arm: p.space + "/driver/arm"})
	p.runs("nodes:\n  ~/lidar: {}\n  ~/driver: {after: [~/lidar], arm: {}}\n")
	p.daemon.Do("active", "succeeded done active")
	address := strings.TrimPrefix(p.daemon.Address(), "http://")
	share := func() float64 {
		before, since := cpuOf(b, p.daemon.Process.Pid()), time.Now()
		time.Sleep(idleWindow)
		return float64(cpuOf(b, p.daemon.Process.Pid())-before) / float64(time.Since(since))
	}
	pages := []*tab{p.tab}
	for range openPages - 1 {
		pages = append(pages, p.another(address))
	}
	var more float64
	for range rounds {
		for _, one := range pages {
			one.open(address)
			one.shows(".link", "Live")
		}
		with := share()
		for _, one := range pages {
			one.do(chromedp.Navigate("about:blank"))
		}
		more += (with - share()) / rounds
	}
	for b.Loop() { // all of it is measured already
	}
	b.ReportMetric(more/pagesLimit, ofBound)
}

// cpuOf returns the processor time of a process.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name before it may contain any character
	var ticks int
	for _, field := range strings.Fields(after)[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatalf("cannot read %q: %v", text, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}
