package engine

import (
	"fmt"
	"slices"
	"time"
)

// Refused commands cannot push the history out of the journal: a client that goes on asking gets some
// lines, and then a count from time to time.

const (
	refusalLines = 20               // of one client in a window
	refusalSpan  = 10 * time.Second // a window
	// refusalAskers is how many clients are counted apart, since a client can change its name.
	refusalAskers = 4
	otherAskers   = "other clients"
)

// refusals are the windows of the clients whose commands were rejected lately. A step replaces the list
// and never writes into it.
type refusals []refusing

// refusing is the window of one client.
type refusing struct {
	asker  string
	ends   time.Duration
	lines  int
	more   int // refusals without a line
	newest Entry
}

// recordRefusal records that a command was rejected, or counts it.
func (cl *clients) recordRefusal(asker string, e Entry) {
	list := slices.Clone(cl.refused)
	k := slices.IndexFunc(list, func(r refusing) bool { return r.asker == asker })
	if k < 0 && len(list) >= refusalAskers {
		asker = otherAskers
		k = slices.IndexFunc(list, func(r refusing) bool { return r.asker == asker })
	}
	if k < 0 {
		k = len(list)
		list = append(list, refusing{asker: asker, ends: cl.now.Steady + refusalSpan})
	}
	r := &list[k]
	switch {
	case cl.now.Steady >= r.ends && r.more == 0:
		*r = refusing{asker: asker, ends: cl.now.Steady + refusalSpan, lines: 1}
		cl.record(e)
	case r.lines < refusalLines:
		r.lines++
		cl.record(e)
	default:
		if r.more++; r.more == 1 {
			cl.wakeWhole(r.ends)
		}
		r.newest = e
	}
	cl.refused = list
}

// countRefusals writes the counts of the windows that have ended. A client that goes on gets one line for each window.
func (cl *clients) countRefusals() {
	over := func(r refusing) bool { return cl.now.Steady >= r.ends }
	if !slices.ContainsFunc(cl.refused, over) {
		return
	}
	var list refusals
	for _, r := range cl.refused {
		switch {
		case !over(r):
			list = append(list, r)
		case r.more > 0:
			cl.record(r.counted())
			list = append(list, refusing{asker: r.asker, ends: cl.now.Steady + refusalSpan, lines: refusalLines})
		}
	}
	cl.refused = list
}

// counted is the line for the refusals that have none.
func (r refusing) counted() Entry {
	e := r.newest
	e.Sentence = fmt.Sprintf("%d more commands of %s were rejected; the newest: %s", r.more, r.asker, r.newest.Sentence)
	if r.more == 1 {
		e.Sentence = fmt.Sprintf("1 more command of %s was rejected: %s", r.asker, r.newest.Sentence)
	}
	return e
}
