// Package draw shows a machine, and the order of a network, as pictures: text for a terminal, Graphviz dot, Mermaid,
// and data for programs. It draws numbers over time as charts, too. A picture is made of a file alone and looks the
// same whenever it is drawn. The package is pure and imports only the data packages lifecycle, machine, network and
// plan.
package draw

// Picture is something that can be drawn in every way. Its fields are its form as data.
type Picture interface {
	Text(width int) string // lines of at most so many columns, unless a name alone is wider
	Dot() string           // for Graphviz
	Mermaid() string       // for Markdown
}

// edge is an arrow of a picture.
type edge struct {
	from, to, label string
	dashed          bool // no client can take it
	own             bool // it is taken without a client
}
