package guard

import (
	"slices"
	"time"

	"rstate/internal/engine/guards"
)

// How a guard ends: what it waits for, and what it says meanwhile.

// ends begins the end of the guard of that id, which can call so many services. It reports whether the guard is to wait
// for the coordinator.
func (w *guarding) ends(id string, calls int) (waits bool) {
	w.leaving, waits = guards.Leave(id, w.listed(), calls)
	return waits
}

// relieved reports whether the guard may leave its nodes armed: the coordinator that holds the lease shows that it
// knows of the end, and that others cover these nodes.
func (w *guarding) relieved() bool { return w.watch == watchHolding && w.leaving.Relieved(w.listed()) }

// listed returns the guards that the coordinator shows whose lease holds. There are none if leases of several hold, or
// one has broken off: then no single coordinator can relieve the guard.
func (w *guarding) listed() (list []guards.Listed) {
	if w.watch != watchHolding {
		return nil
	}
	count := 0
	for _, c := range w.pledges {
		if !c.holds {
			continue
		}
		count++
		if k := slices.IndexFunc(w.shown, func(s standing) bool {
			return s.instance == c.Newest.Instance && s.process == c.process && s.term == c.Newest.Term
		}); k >= 0 {
			list = w.shown[k].list
		}
	}
	if count != 1 {
		return nil
	}
	return list
}

// unheard reports whether the guard of that id has to say again that it has ended: the newest word of a coordinator
// lists it as one that has not (A13). Its messages are sent once, and what a process said last may be lost with it.
func (w *guarding) unheard(id string) bool {
	return slices.ContainsFunc(w.latest, func(g guards.Listed) bool { return g.ID == id && g.Fault != guards.Ended })
}

// tells reports whether a disarming began a moment ago. The coordinator may still show the nodes as armed, and has to
// hear of it.
func (w *guarding) tells(at time.Duration) bool { return at < w.toldTill }

// disarms reports whether the guard has to say that it disarms by service i.
func (w *guarding) disarms(i int, at time.Duration) bool { return w.awaits(i) || w.tells(at) }

// sees notes that service i has had a server.
func (w *guarding) sees(i int) { w.services[i].seen = true }

// left names the services that have not confirmed: those that may have left a node armed, and those that have never had
// a server.
func (w *guarding) left() (armed, absent []string) {
	for i, d := range w.services {
		switch {
		case !w.awaits(i):
		case d.seen:
			armed = append(armed, d.name)
		default:
			absent = append(absent, d.name)
		}
	}
	return armed, absent
}

// coverage says what is missing for the guard to disarm by its services, and by which of them it can.
func coverage(topic string, leases bool, services []string, served func(string) bool) (missing, guarded []string) {
	if !leases {
		missing = append(missing, "no publisher on "+topic)
	}
	for _, name := range services {
		switch {
		case !served(name):
			missing = append(missing, "no server of "+name)
		case leases:
			guarded = append(guarded, name)
		}
	}
	return missing, guarded
}
