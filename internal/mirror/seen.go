package mirror

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Order is how the changes that a peer has seen compare to those that this instance has seen.
type Order uint8

// The orders. Entries of no changes do not count.
const (
	Same  Order = iota
	After       // it covers ours: what was made with it came after all that we know
	Stale       // ours covers it
	Apart       // neither covers the other: made at once
)

func (o Order) String() string { return [...]string{"same", "after", "stale", "apart"}[o] }

// Compare says how theirs stands to mine.
func Compare(theirs, mine []Seen) Order {
	ahead, behind := Covers(theirs, mine), Covers(mine, theirs)
	switch {
	case ahead && behind:
		return Same
	case ahead:
		return After
	case behind:
		return Stale
	}
	return Apart
}

// Covers says whether a knows every change that b does.
func Covers(a, b []Seen) bool {
	for _, s := range b {
		if Count(a, s.Instance) < s.N {
			return false
		}
	}
	return true
}

// Count is how many changes of an instance are in the list.
func Count(list []Seen, instance string) uint64 {
	n := uint64(0)
	for _, s := range list { // what comes from outside may name one twice
		if s.Instance == instance {
			n = max(n, s.N)
		}
	}
	return n
}

// Empty says whether nothing has happened yet, as far as the list knows.
func Empty(list []Seen) bool {
	return !slices.ContainsFunc(list, func(s Seen) bool { return s.N > 0 })
}

// Merge returns what both know together, in the order of the instances.
func Merge(a, b []Seen) []Seen {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Seen) int {
		return cmp.Or(strings.Compare(x.Instance, y.Instance), cmp.Compare(y.N, x.N))
	})
	return slices.CompactFunc(all, func(x, y Seen) bool { return x.Instance == y.Instance })
}

// plainPrefix begins the entries of peers that have no instance. No instance begins so: ids begin with the time.
const plainPrefix = "plain:"

// keepDead is how many instances that are not alive are remembered.
const keepDead = 64

// Bounds of counts: no instance makes so many changes.
const (
	// Most is the greatest count of changes.
	Most = 1 << 48
	// Jump is how far a count may be above the one that is known.
	Jump = 1 << 32
)

// prune forgets those that are not alive, where there are too many: first those of peers that have no instance, then
// the oldest. Ids begin with the time of the start, so the first in order are the oldest. One that is forgotten can
// only make two changes look as if they were made at once, and that only lowers.
func prune(list []Seen, alive func(instance string) bool) []Seen {
	dead := 0
	for _, s := range list {
		if !alive(s.Instance) {
			dead++
		}
	}
	for _, plain := range []bool{true, false} {
		list = slices.DeleteFunc(list, func(s Seen) bool {
			if dead <= keepDead || alive(s.Instance) || strings.HasPrefix(s.Instance, plainPrefix) != plain {
				return false
			}
			dead--
			return true
		})
	}
	return list
}

// forged returns what no instance says of the changes that it has seen; empty: nothing is wrong. Only this instance
// makes its own changes.
func (b *Book) forged(seen, orders []Seen, loops []Loop) string {
	for _, s := range orders {
		known := Count(b.orders, s.Instance)
		if s.N > Most || s.N > known && (s.N-known > Jump || s.Instance == b.conf.Instance) {
			return fmt.Sprintf("it has heard %d orders of %s", s.N, s.Instance)
		}
	}
	for _, s := range seen {
		switch known := Count(b.seen, s.Instance); {
		case s.Instance == b.conf.Instance && s.N > known:
			return fmt.Sprintf("it has seen %d changes of this instance, which has made %d", s.N, known)
		case s.N > Most, s.N > known && s.N-known > Jump:
			return fmt.Sprintf("it has seen %d changes of %s", s.N, s.Instance)
		}
	}
	for _, l := range loops {
		if known := runs(b.loops, l.Command); l.N > Most || l.N > known && l.N-known > Jump {
			return fmt.Sprintf("%s ran %d times", l.Command, l.N)
		}
	}
	return ""
}

// refuse notes what was refused, once for each peer, and for no more peers than are remembered.
func (b *Book) refuse(name, why string) []Note {
	if slices.Contains(b.refused, name) {
		return nil
	}
	if b.refused = append(b.refused, name); len(b.refused) > keepLost {
		b.refused = b.refused[1:]
		return nil
	}
	return []Note{{What: Ignored, Peer: name, Words: name + " says what no instance says and is not followed: " + why}}
}

// Refuse notes that a peer has said what no instance says.
func (b *Book) Refuse(name, why string) []Note { return b.refuse(name, why) }
