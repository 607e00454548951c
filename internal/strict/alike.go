package strict

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Alike returns those of some full names that may be meant by one which is none of them, the likeliest first: those
// that differ by their namespace only, and in the same namespace those that go on where it ends (or the other way
// round) and those that differ by little. There are no more of them than most.
func Alike(name string, names []string, most int) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	base := path.Base(name)
	for _, n := range names {
		other := path.Base(n)
		far := -1
		switch same := path.Dir(n) == path.Dir(name); {
		case n == name:
		case other == base:
			far = 0
		case same && (strings.HasPrefix(other, base) || strings.HasPrefix(base, other) && len(other) > 2):
			far = 1
		case same && Suggest(base, []string{other}, "") != "":
			far = 1 + distance(strings.ToLower(base), strings.ToLower(other))
		}
		if far >= 0 && !slices.Contains(found, candidate{n, far}) {
			found = append(found, candidate{n, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var list []string
	for _, c := range found[:min(most, len(found))] {
		list = append(list, c.name)
	}
	return list
}
