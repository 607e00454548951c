package draw

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Chart is a number over time, in seconds. Values that are no finite numbers are gaps.
type Chart struct {
	Name   string
	Times  []float64
	Values []float64
}

const (
	chartRows             = 12 // of text
	leastChart, mostChart = 20, 160
	braille               = 0x2800 // no dot is set
)

// dots are the bits of a braille character, by column and row from the top.
var dots = [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// span is the least and the greatest of some numbers.
type span struct{ low, high float64 }

func (s *span) add(v float64) { s.low, s.high = min(s.low, v), max(s.high, v) }

// part returns where v is in the span, from 0 to 1.
func (s span) part(v float64) float64 {
	if s.high == s.low {
		return 0.5
	}
	return (v - s.low) / (s.high - s.low)
}

// spans returns those of times and values; ok is false if there is nothing to draw.
func (c Chart) spans() (times, values span, ok bool) {
	none := span{math.Inf(1), math.Inf(-1)}
	times, values = none, none
	for i, v := range c.Values {
		if finite(v) {
			times.add(c.Times[i])
			values.add(v)
		}
	}
	return times, values, values != none
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Text draws the chart with braille dots.
func (c Chart) Text(width int) string {
	times, values, ok := c.spans()
	if !ok {
		return c.Name + ": no numbers\n"
	}
	labels := []string{number(values.high), number(values.low)}
	margin := max(len(labels[0]), len(labels[1]))
	columns := min(max(width-margin-2, leastChart), mostChart)
	cells := make([][]rune, chartRows)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(string(rune(braille)), columns))
	}
	before := -1
	var lastX int
	for i, v := range c.Values {
		if !finite(v) {
			before = -1
			continue
		}
		x := int(math.Round(times.part(c.Times[i]) * float64(2*columns-1)))
		y := int(math.Round((1 - values.part(v)) * (4*chartRows - 1)))
		from, fromX := y, x
		if before >= 0 {
			from, fromX = before, lastX
		}
		stroke(fromX, from, x, y, func(x, y int) { cells[y/4][x/2] |= dots[x%2][y%4] })
		before, lastX = y, x
	}
	var b strings.Builder
	b.WriteString(c.Name + "\n")
	for i, row := range cells {
		label := ""
		switch i {
		case 0:
			label = labels[0]
		case chartRows - 1:
			label = labels[1]
		}
		fmt.Fprintf(&b, "%*s ┤%s\n", margin, label, strings.TrimRight(string(row), string(rune(braille))))
	}
	begin, end := number(times.low)+" s", number(times.high)+" s"
	fmt.Fprintf(&b, "%*s  %s%*s\n", margin, "", begin, columns-len(begin), end)
	return b.String()
}

// stroke sets the dots from one point to another.
func stroke(x0, y0, x1, y1 int, set func(x, y int)) {
	steps := max(abs(x1-x0), abs(y1-y0), 1)
	for i := range steps + 1 {
		set(x0+(x1-x0)*i/steps, y0+(y1-y0)*i/steps)
	}
}

func abs(n int) int { return max(n, -n) }

// number writes a number with four digits.
func number(v float64) string { return fmt.Sprintf("%.4g", v) }

// The size of a chart as SVG.
const chartWidth, chartHeight, chartLeft, chartTop = 800, 240, 80, 30

// SVG draws charts below each other.
func SVG(charts []Chart) string {
	var b strings.Builder
	all := (chartHeight + 2*chartTop) * len(charts)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", chartWidth+2*chartLeft, all)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, c := range charts {
		c.svg(&b, i*(chartHeight+2*chartTop)+chartTop)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c Chart) svg(b *strings.Builder, top int) {
	text := func(x, y int, anchor, s string) {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
	}
	text(chartLeft, top-8, "start", c.Name)
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="gray"/>`+"\n", chartLeft, top,
		chartWidth, chartHeight)
	times, values, ok := c.spans()
	if !ok {
		return
	}
	text(chartLeft-6, top+12, "end", number(values.high))
	text(chartLeft-6, top+chartHeight, "end", number(values.low))
	text(chartLeft, top+chartHeight+16, "start", number(times.low)+" s")
	text(chartLeft+chartWidth, top+chartHeight+16, "end", number(times.high)+" s")
	b.WriteString(`<path fill="none" stroke="steelblue" d="`)
	next := "M"
	for i, v := range c.Values {
		if !finite(v) {
			next = "M"
			continue
		}
		fmt.Fprintf(b, "%s%.1f %.1f", next, chartLeft+times.part(c.Times[i])*chartWidth,
			float64(top)+(1-values.part(v))*chartHeight)
		next = "L"
	}
	b.WriteString(`"/>` + "\n")
}
