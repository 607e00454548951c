//go:build ros

package trials

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// The bounds of the 99th percentile.
const (
	hostLimit = 600 * time.Millisecond
	wireLimit = 800 * time.Millisecond
)

// series is a distribution.
type series []time.Duration

func (s series) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// bound returns the bound of a row. A fault of a guard alone has to disarm nothing, so it has none.
func (w row) bound() (time.Duration, bool) {
	if w.kind == guardKilled || w.kind == guardSuspended {
		return 0, false
	}
	return [sides]time.Duration{hostLimit, wireLimit}[w.side], true
}

// rows lists all rows: those with a bound, then the others.
func rows() (list []row) {
	for k := range kind(kinds) {
		for side := range sides {
			if k != guardSuspended {
				list = append(list, row{k, side, false})
			}
			if k == guardSuspended || k == nodeSuspended {
				list = append(list, row{k, side, true})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b row) int {
		_, one := a.bound()
		_, other := b.bound()
		return cmp.Compare(map[bool]int{true: 0, false: 1}[one], map[bool]int{true: 0, false: 1}[other])
	})
	return list
}

// least returns the kind of the row with the fewest measurements, and how many they are.
func (c *campaign) least() (k kind, count int) {
	few := slices.MinFunc(rows(), func(a, b row) int { return cmp.Compare(len(c.took[a]), len(c.took[b])) })
	return few.kind, len(c.took[few])
}

// table returns the distributions as text.
func (c *campaign) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, "From the fault to disarmed, by the node's own word, proof: %v, in ms\n", proof)
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "fault\tn\tmin\tmedian\tp99\tmax\tbound of p99\t")
	apart := false
	for _, w := range rows() {
		limit, bounded := w.bound()
		if !bounded && !apart {
			apart = true
			fmt.Fprintln(columns, "of guards alone, which have to disarm nothing:\t\t\t\t\t\t\t")
		}
		s := c.took[w]
		fmt.Fprintf(columns, "%v\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t", w, len(s), ms(s.quantile(0)), ms(s.quantile(0.5)),
			ms(s.quantile(0.99)), ms(s.quantile(1)))
		if bounded {
			fmt.Fprintf(columns, "%.0f", ms(limit))
		}
		fmt.Fprintln(columns, "\t")
	}
	columns.Flush()
	fmt.Fprintf(&text, "A guard that is killed has to disarm nothing: its rows are from the disarm that the client sends then.\n"+
		"%d trials, RSTATE_TRIALS_SEED=%d\n", c.ended, c.seed)
	return text.String()
}

// summary counts the trials by kind and place.
func (c *campaign) summary() string {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(columns, "trials\t")
	for p := range place(places) {
		fmt.Fprintf(columns, "%v\t", p)
	}
	fmt.Fprintln(columns)
	for k := range kind(kinds) {
		fmt.Fprintf(columns, "%v\t", k)
		for p := range places {
			fmt.Fprintf(columns, "%d\t", c.tried[k][p])
		}
		fmt.Fprintln(columns)
	}
	columns.Flush()
	return text.String()
}

// measured is the campaign of the benchmark, for the tables at the end.
var measured *campaign

func report(w io.Writer) {
	if measured != nil {
		fmt.Fprintf(w, "\n%s\n%s\n", measured.table(), measured.summary())
	}
}

// BenchmarkTrials measures how long nodes stay armed after each kind of fault, and judges each trial too.
// Most of its faults happen while the robot is armed or being armed: the others are not measured.
func BenchmarkTrials(b *testing.B) {
	usual := 100
	if testing.Short() {
		usual = 5
	}
	wanted := number(b, "RSTATE_BENCH_TRIALS", usual)
	c := newCampaign(b, [places]int{1, 4, 12, 1, 1, 1})
	measured = c
	c.run(func() (kind, bool) {
		k, count := c.least()
		return k, count < wanted
	})
	for _, w := range rows() {
		b.Run(w.String(), func(b *testing.B) {
			s := c.took[w]
			b.ReportMetric(float64(s.quantile(0.5)), "ns/op")
			b.ReportMetric(float64(s.quantile(0.99)), "p99-ns")
			if limit, bounded := w.bound(); bounded {
				b.ReportMetric(float64(s.quantile(0.99))/float64(limit), "of-bound")
			}
		})
	}
}
