package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// wave is a sine of two periods.
func wave() Chart {
	c := Chart{Name: "/pendulum/angle.data"}
	for i := range 400 {
		c.Times = append(c.Times, float64(i)/100)
		c.Values = append(c.Values, math.Sin(float64(i)*math.Pi/100))
	}
	return c
}

// TestAChartAsText: it has its name, its bounds and its size; the first and the last dot are where the numbers are.
func TestAChartAsText(t *testing.T) {
	lines := strings.Split(wave().Text(60), "\n")
	if len(lines) != chartRows+3 || lines[0] != "/pendulum/angle.data" || !strings.HasPrefix(lines[1], " 1 ┤") ||
		!strings.HasPrefix(lines[chartRows], "-1 ┤") {
		t.Fatalf("it is\n%s", strings.Join(lines, "\n"))
	}
	if last := lines[chartRows+1]; strings.TrimSpace(last)[:3] != "0 s" || !strings.HasSuffix(last, "3.99 s") ||
		len(last) != 60 {
		t.Errorf("the axis is %q", last)
	}
	for _, l := range lines[1 : chartRows+1] {
		if n := utf8.RuneCountInString(l); n > 60 {
			t.Errorf("%q has %d columns", l, n)
		}
	}
	top, bottom := []rune(lines[1]), []rune(lines[chartRows])
	if top[4+7] == braille || bottom[4+21] == braille {
		t.Errorf("the first crest or trough is not there:\n%s", strings.Join(lines, "\n"))
	}
}

// TestAChartOfLittle: no numbers, one number, equal numbers, and gaps.
func TestAChartOfLittle(t *testing.T) {
	for _, c := range []Chart{
		{Name: "none"}, {Name: "gaps", Times: []float64{0, 1}, Values: []float64{math.NaN(), math.Inf(1)}},
		{Name: "one", Times: []float64{3}, Values: []float64{7}},
		{Name: "equal", Times: []float64{0, 1, 2}, Values: []float64{5, math.NaN(), 5}},
	} {
		text := c.Text(0)
		if numbers := c.Name == "one" || c.Name == "equal"; numbers == strings.Contains(text, "no numbers") {
			t.Errorf("it is\n%s", text)
		}
		SVG([]Chart{c})
	}
}

// TestAChartAsSVG: it is XML, whatever the names are.
func TestAChartAsSVG(t *testing.T) {
	odd := wave()
	odd.Name = `<&">`
	text := SVG([]Chart{wave(), odd})
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(text, "<path"); n != 2 || strings.Count(text, "L") < 700 {
		t.Errorf("it has %d paths", n)
	}
}
