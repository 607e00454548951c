package guard

import "slices"

// What a guard has heard of coordinators, as it tells them.

// heardRun is a run of the coordinator, and the newest message of its lease that was heard.
type heardRun struct {
	instance  string
	term, seq uint64 // 0: no lease of that run was heard
}

// meets notes a run of which a state was heard, the newest last.
func (w *guarding) meets(instance string) {
	if n := len(w.runs); n > 0 && w.runs[n-1] == instance {
		return
	}
	w.news = true
	w.runs = append(slices.DeleteFunc(w.runs, func(r string) bool { return r == instance }), instance)
	w.runs = w.runs[max(0, len(w.runs)-pledges):]
}

// hears lists what was heard, the newest last. A run of which only a state was heard is one whose lease would be
// heard, if leases says that it has a publisher.
func (w *guarding) hears(leases bool) []heardRun {
	var list []heardRun
	for _, instance := range w.runs {
		is := func(p pledge) bool { return p.Newest.Instance == instance }
		if leases && !slices.ContainsFunc(w.pledges, is) {
			list = append(list, heardRun{instance: instance})
		}
	}
	for _, p := range w.pledges {
		list = append(list, heardRun{p.Newest.Instance, p.Newest.Term, p.Newest.Seq})
	}
	return list
}

// awaits reports whether service i has to confirm a disarm before its node may be armed again.
func (w *guarding) awaits(i int) bool { return w.watch == watchDisarming && !w.services[i].confirmed }

// takeNews reports whether a run or a term was heard for the first time, or a disarming has begun, since it was asked
// last.
func (w *guarding) takeNews() bool {
	news := w.news
	w.news = false
	return news
}
