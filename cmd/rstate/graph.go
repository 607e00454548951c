package main

import (
	"fmt"

	"rstate/internal/draw"
	"rstate/internal/strict"
	"rstate/internal/term"
)

// What graph can draw; nodes is the default.
const (
	drawNodes   = "nodes"
	drawMachine = "machine"
)

// The output formats that only graph has.
const (
	asDot     = "dot"
	asMermaid = "mermaid"
)

func graphVerb(e *env, f *options) action {
	output := f.output("how to draw it; dot is for Graphviz, mermaid for Markdown", asDot, asMermaid)
	return func(words []string) int {
		what := append(words, drawNodes)[1]
		if what != drawNodes && what != drawMachine {
			return e.fail(exitBadInput, "cannot draw %q: %s", what,
				strict.Suggest(what, []string{drawNodes, drawMachine},
					"write nodes, for the order of the network, or machine, for its states"))
		}
		net, ok := load(e, words[0])
		if !ok {
			return exitBadInput
		}
		var picture draw.Picture = draw.OfNodes(net)
		if what == drawMachine {
			picture = draw.OfMachine(net)
		}
		switch *output {
		case asTable:
			width, _ := term.Size(e.out)
			fmt.Fprint(e.out, picture.Text(width))
		case asDot:
			fmt.Fprint(e.out, picture.Dot())
		case asMermaid:
			fmt.Fprint(e.out, picture.Mermaid())
		default:
			return e.print(*output, picture)
		}
		return exitDone
	}
}
