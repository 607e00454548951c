package rclgo

import (
	"maps"
	"regexp"
	"strings"
)

// take reads the overrides for the node. Loop only, while n is made.
func (p *Parameters) take(n *Node) error {
	p.node, p.declared, p.overrides = n, map[string]*parameter{}, map[string]any{}
	list, err := n.h.ParamOverrides()
	for _, o := range list {
		if matchesNode(o.Node, n.fqn) {
			p.overrides[o.Name] = o.Value
		}
	}
	return err
}

// matchesNode reports whether a name in a parameter file matches a node. The name may be a
// full name without its slash, and may have * for one part of it and ** for any number.
func matchesNode(pattern, fqn string) bool {
	if !strings.HasPrefix(pattern, "/") {
		pattern = "/" + pattern
	}
	var expr strings.Builder
	for _, part := range strings.Split(pattern[1:], "/") {
		switch part {
		case "**":
			expr.WriteString(`(/\w+)*`)
		case "*":
			expr.WriteString(`/\w+`)
		default:
			expr.WriteString("/" + regexp.QuoteMeta(part))
		}
	}
	return regexp.MustCompile("^" + expr.String() + "$").MatchString(fqn)
}

// Overrides returns the values that the arguments give for the node, declared or not.
func (p *Parameters) Overrides() map[string]any {
	c := maps.Clone(p.overrides)
	for name, v := range c {
		c[name] = copyValue(v)
	}
	return c
}
