package mirror

import (
	"cmp"
	"slices"
	"strings"
)

// runs is how often a looping command has run, by a list.
func runs(list []Loop, command string) uint64 {
	n := uint64(0)
	for _, l := range list {
		if l.Command == command {
			n = max(n, l.N)
		}
	}
	return n
}

// missed lists the looping commands that ran there more often than here, each once.
func missed(theirs, mine []Loop) []string {
	var list []string
	for _, l := range theirs {
		if l.N > runs(mine, l.Command) && !slices.Contains(list, l.Command) {
			list = append(list, l.Command)
		}
	}
	return list
}

// mergeLoops returns the greater count of each command.
func mergeLoops(a, b []Loop) []Loop {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Loop) int {
		return cmp.Or(strings.Compare(x.Command, y.Command), cmp.Compare(y.N, x.N))
	})
	return slices.CompactFunc(all, func(x, y Loop) bool { return x.Command == y.Command })
}
