// Package tally says which messages the participants of a stepped loop see in a call.
//
// A participant that counts says in each answer how many messages of each topic it has published. What was said before
// a phase begins is visible in that phase, to all participants alike. So what a participant sees does not depend on
// which answer, or which message, was faster.
//
// It knows no ROS, no time and no loop. It may import the standard library only.
package tally

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Topic is a topic between participants.
type Topic struct {
	Name, Type  string
	Publishers  []string // nodes, in the order of the loop
	Subscribers []string
}

// Count is how many messages of a topic a node has published.
type Count struct {
	Topic, Node string
	N           uint64
}

// Between merges what each participant has declared, nil where it does not count, into the topics that have a publisher
// and a subscriber among them, by name. keeper is a node that receives the topics that keeps selects, too; nil: none.
func Between(declared [][]Topic, keeper string, keeps func(topic string) bool) ([]Topic, error) {
	var all []Topic
	for _, list := range declared {
		for _, t := range list {
			k := slices.IndexFunc(all, func(o Topic) bool { return o.Name == t.Name })
			if k < 0 {
				k = len(all)
				all = append(all, Topic{Name: t.Name, Type: t.Type})
			}
			known := &all[k]
			if known.Type != t.Type {
				return nil, fmt.Errorf("%s is %s for %s and %s for %s", t.Name, known.Type, first(*known), t.Type,
					first(t))
			}
			known.Publishers = append(known.Publishers, t.Publishers...)
			known.Subscribers = append(known.Subscribers, t.Subscribers...)
		}
	}
	for k := range all {
		if t := &all[k]; keeps != nil && keeps(t.Name) {
			t.Subscribers = append(t.Subscribers, keeper)
		}
	}
	all = slices.DeleteFunc(all, func(t Topic) bool { return len(t.Publishers) == 0 || len(t.Subscribers) == 0 })
	slices.SortFunc(all, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// first returns a node of a topic.
func first(t Topic) string {
	return cmp.Or(strings.Join(t.Publishers[:min(1, len(t.Publishers))], ""),
		strings.Join(t.Subscribers[:min(1, len(t.Subscribers))], ""))
}

// Tally is the counts of one epoch: from a moment at which all are zero.
type Tally struct {
	writers []Count  // by participant, then by topic
	sees    [][]seen // of each participant
}

// seen is how many messages of a writer a participant has been told of.
type seen struct {
	writer int
	n      uint64
}

// New returns a tally in which nothing was published. nodes are the participants in their order.
func New(nodes []string, topics []Topic) *Tally {
	t := &Tally{sees: make([][]seen, len(nodes))}
	for _, node := range nodes {
		for _, topic := range topics {
			if !slices.Contains(topic.Publishers, node) {
				continue
			}
			for i, reader := range nodes {
				if slices.Contains(topic.Subscribers, reader) {
					t.sees[i] = append(t.sees[i], seen{writer: len(t.writers)})
				}
			}
			t.writers = append(t.writers, Count{Topic: topic.Name, Node: node})
		}
	}
	return t
}

// Visible appends what participant i sees in a call that is made now and did not see in the one before.
func (t *Tally) Visible(i int, to []Count) []Count {
	for k := range t.sees[i] {
		s := &t.sees[i][k]
		if w := t.writers[s.writer]; w.N > s.n {
			s.n = w.N
			to = append(to, w)
		}
	}
	return to
}

// Said takes what a participant has published by its answer. Topics without a subscriber do not count. A count that
// falls is an error: the participant counts anew, and it is unknown which messages are meant.
func (t *Tally) Said(node string, sent []Count) error {
	for _, s := range sent {
		k := slices.IndexFunc(t.writers, func(w Count) bool { return w.Node == node && w.Topic == s.Topic })
		switch {
		case k < 0:
		case s.N < t.writers[k].N:
			return fmt.Errorf("it had published %d messages on %s and says now that it has published %d",
				t.writers[k].N, s.Topic, s.N)
		default:
			t.writers[k].N = s.N
		}
	}
	return nil
}
