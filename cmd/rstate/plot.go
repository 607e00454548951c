package main

import (
	"fmt"

	"rstate/internal/draw"
	"rstate/internal/recording"
	"rstate/internal/term"
)

// asSVG is an output format that only plot has.
const asSVG = "svg"

// plotVerb draws numbers of a recording over simulated time.
func plotVerb(e *env, f *options) action {
	output := f.output("how to draw it, or print its numbers", asSVG)
	return func(words []string) int {
		list, err := recording.Read(words[0], words[1:])
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		charts := make([]draw.Chart, len(list))
		for i, s := range list {
			charts[i] = draw.Chart{Name: s.Name, Values: s.Values}
			for _, t := range s.Times {
				charts[i].Times = append(charts[i].Times, t.Seconds())
			}
		}
		switch *output {
		case asTable:
			width, _ := term.Size(e.out)
			for _, c := range charts {
				fmt.Fprint(e.out, c.Text(width))
			}
		case asSVG:
			fmt.Fprint(e.out, draw.SVG(charts))
		default:
			return e.print(*output, list)
		}
		return exitDone
	}
}
