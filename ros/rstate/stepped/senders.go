package stepped

import (
	"fmt"
	"maps"
)

// senders tells whose messages a subscription receives. A middleware may put another identifier into messages than into
// the graph, as Cyclone DDS does. There, one identifier is bound to a topic's only publisher while no other has joined.
type senders[ID comparable] struct {
	names   map[ID]string // nodes of publishers that the graph has shown since counts were zero
	only    string        // the publisher's node, if there was one when counts were zero
	matched int           // how many publishers there were then
	other   ID            // if bound: the only publisher's identifier in messages
	bound   bool
	graphed bool // messages carry identifiers of the graph; that is so of a middleware for good
	untold  bool // a message came of which the middleware does not tell whose it is
}

// zero begins anew with the publishers that count, and with those that the graph shows.
func (s *senders[ID]) zero(topic string, publishers []string, matched int, graph map[ID]string) error {
	if err := alone(topic, publishers, matched); err != nil {
		return err
	}
	*s = senders[ID]{matched: matched, graphed: s.graphed}
	s.learn(graph)
	if len(publishers) == 1 {
		s.only = publishers[0]
	}
	return nil
}

// alone returns an error if a topic of one publisher has others.
func alone(topic string, publishers []string, matched int) error {
	if len(publishers) == 1 && matched != 1 {
		return fmt.Errorf("%s is matched with %d publishers, and only that of %s counts", topic, matched, publishers[0])
	}
	return nil
}

// name returns the node of the publisher of a message, which is empty if it is unknown. graph returns
// the publishers that the graph shows now, and count their number.
func (s *senders[ID]) name(id ID, graph func() map[ID]string, count func() (int, error)) string {
	if s.bound && id == s.other {
		return s.only
	}
	if s.names[id] == "" {
		s.learn(graph())
	}
	if name := s.names[id]; name != "" {
		s.graphed, s.bound, s.untold = true, false, false
		return name
	}
	if !s.graphed && !s.bound && s.matched > 0 {
		if got, err := count(); err == nil && got == s.matched {
			s.other, s.bound, s.untold = id, s.only != "", s.only == ""
		}
	}
	if s.bound && id == s.other {
		return s.only
	}
	return ""
}

// learn adds publishers that the graph shows.
func (s *senders[ID]) learn(graph map[ID]string) {
	if s.names == nil {
		s.names = map[ID]string{}
	}
	maps.Copy(s.names, graph)
}
