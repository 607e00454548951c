//go:build ros

package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// series holds measurements, one per round.
type series []time.Duration

func (s series) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (s series) median() time.Duration { return s.quantile(0.5) }

// String returns the median and, in brackets, the minimum and the maximum.
func (s series) String() string {
	if len(s) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s–%s)", ms(s.median()), ms(slices.Min(s)), ms(slices.Max(s)))
}

// spread returns the distribution as cells of a table.
func (s series) spread() string {
	return fmt.Sprintf("%s | %s | %s | %s", ms(s.median()), ms(s.quantile(0.9)), ms(s.quantile(0.99)),
		ms(slices.Max(s)))
}

// ms returns a time in milliseconds, with the significant digits.
func ms(d time.Duration) string {
	switch v := float64(d) / float64(time.Millisecond); {
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// over divides round by round: other load in a round affects both alike.
func over(above, below series) ratios {
	var list ratios
	for i := range min(len(above), len(below)) {
		list = append(list, float64(above[i])/float64(below[i]))
	}
	return list
}

type ratios []float64

func (r ratios) median() float64 {
	if len(r) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(r))[len(r)/2]
}

func (r ratios) String() string {
	if len(r) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.median())
}

// table is printed at the end of the run.
type table struct {
	title string
	rows  []string
	notes []string
}

var tables []*table

// tableOf finds a table by its title, or makes it with these columns.
func tableOf(title string, columns ...string) *table {
	for _, t := range tables {
		if t.title == title {
			return t
		}
	}
	t := &table{title: title}
	tables = append(tables, t)
	t.row(columns...)
	return t
}

func (t *table) row(cells ...string) {
	for i := range cells { // cells with several parts get several columns
		cells[i] = strings.ReplaceAll(cells[i], " | ", "\t")
	}
	t.rows = append(t.rows, strings.Join(cells, "\t"))
}

func (t *table) note(text string) {
	if !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// report prints the measurements, if there are any.
func report(w io.Writer) {
	for _, t := range tables {
		fmt.Fprintf(w, "\n%s\n", t.title)
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, row := range t.rows {
			fmt.Fprintln(columns, row+"\t")
		}
		columns.Flush()
		for _, note := range t.notes {
			fmt.Fprintln(w, "  "+note)
		}
	}
	if len(tables) > 0 {
		fmt.Fprintln(w)
	}
}

// count formats a number for a table.
func count(n int) string { return strconv.Itoa(n) }

// verdict reports whether a bound is kept, for the last column.
func verdict(used float64) string {
	if used <= 1 {
		return "met"
	}
	return "missed"
}

func TestFiguresOfASeries(t *testing.T) {
	for _, c := range []struct {
		name        string
		of          series
		median, p99 time.Duration
	}{
		{"nothing was measured", nil, 0, 0},
		{"one", series{7}, 7, 7},
		{"in disorder", series{5, 1, 3}, 3, 5},
		{"the worst of a hundred is the 99th", hundred(), 51, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			if m, p := c.of.median(), c.of.quantile(0.99); m != c.median || p != c.p99 {
				t.Errorf("median %d and p99 %d, want %d and %d", m, p, c.median, c.p99)
			}
		})
	}
}

func hundred() (s series) {
	for i := range 100 {
		s = append(s, time.Duration(100-i))
	}
	return s
}

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	ours, theirs := series{10, 100, 12}, series{10, 100, 10} // a slow round is slow for both
	if got := over(ours, theirs).median(); got != 1 {
		t.Errorf("got %v, want 1", got)
	}
	if got := over(ours, nil).String(); got != "-" {
		t.Errorf("got %q", got)
	}
}

func TestReportShowsTablesInOrder(t *testing.T) {
	was := tables
	defer func() { tables = was }()
	tables = nil
	tableOf("B", "x", "median | most").row("1", "2 | 3")
	tableOf("A", "y").note("as it is")
	tableOf("B").row("4", "5 | 6")
	var text strings.Builder
	report(&text)
	want := "\nB\n  x  median  most\n  1       2     3\n  4       5     6\n\nA\n  y\n  as it is\n\n"
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}
