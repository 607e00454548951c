package daemon

import (
	"cmp"
	"fmt"
	"time"

	"rstate/internal/clean"
	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/sdnotify"
)

// endsIn is more than closing takes once the loop has ended, and than the time between two turns of
// the loop.
const endsIn = 15 * time.Second

// service reports a network to the manager of services.
type service struct {
	to      *sdnotify.Service // nil: there is no manager
	machine *machine.Machine
	ending  bool // a shutdown runs; loop only
}

// serves says that the name is held and clients can use the network. Nodes may still be missing:
// the manager may start them only after this daemon.
func (s *service) serves() { s.to.Ready() }

// turns says that the loop turns. While a shutdown runs, it asks for the time that the nodes need.
// Loop only.
func (s *service) turns() {
	s.to.Turns()
	if s.ending {
		s.to.Extend(endsIn)
	}
}

// shows tells what the network does. Loop only.
func (s *service) shows(now *engine.Snapshot) {
	if s.to == nil {
		return
	}
	s.to.Status(clean.Text(statusLine(now)))
	to, _ := s.machine.State(now.Work.Target)
	s.ending = now.Work.Target != "" && to.Final
}

// ends says that the daemon ends.
func (s *service) ends(why string) {
	s.to.Stops(clean.Text(cmp.Or(why, "the network is shut down")))
	s.to.Extend(endsIn)
}

// statusLine describes a network in one line.
func statusLine(s *engine.Snapshot) string {
	line := s.State
	if s.Work.Target != "" && s.Work.Target != s.State {
		line += ", on the way to " + s.Work.Target
	}
	switch {
	case s.State == machine.Unknown:
		return line + first(", waits for: ", s.Waiting)
	case !s.Intact:
		return line + ", not intact" + first(": ", s.Deviations)
	}
	return line
}

// first names the first entry of a list after a word, and how many more there are. Without entries
// it is empty.
func first(word string, list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return word + list[0]
	}
	return fmt.Sprintf("%s%s, and %d more", word, list[0], len(list)-1)
}
