package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// topics judges whether those who speak and those who listen can hear each other.
func (j *judge) topics() {
	pairs, before := 0, len(j.report.Findings)
	for _, t := range j.Topics {
		for _, r := range t.Readers {
			for _, w := range t.Writers {
				pairs++
				if reasons := mismatch(w, r); len(reasons) > 0 {
					j.deaf(t.Name, w, r, reasons)
				}
			}
		}
	}
	if pairs > 0 && len(j.report.Findings) == before {
		j.fine("topics", fmt.Sprintf("%s of publishers with subscriptions fit (%s)", many(pairs, "pair"),
			many(len(j.Topics), "topic")))
	}
}

// deaf reports a pair that does not match. It is a fault if the reader belongs to the network.
func (j *judge) deaf(topic string, w, r End, reasons []string) {
	ours := r.Node == j.Asked || slices.ContainsFunc(j.Network.Nodes, func(n Node) bool { return n.Name == r.Node })
	f := Finding{
		Level: Warning, About: "topics", What: fmt.Sprintf("%s does not hear %s on %s", nameOf(r), nameOf(w), topic),
		Evidence: strings.Join(reasons, "; "),
		Do:       "give both the same quality of service: the publisher must offer at least what the subscription asks for",
	}
	if ours {
		f.Level = Fault
	}
	if slices.ContainsFunc(reasons, func(s string) bool { return strings.HasPrefix(s, "type") }) {
		f.Do = "a topic has one type: name one of the two otherwise"
	}
	if !slices.Contains(j.report.Findings, f) { // several ends of the same two nodes
		j.add(f)
	}
}

func nameOf(e End) string {
	if e.Node == "" {
		return "a node that is not known by name yet"
	}
	return e.Node
}

// mismatch says why a reader does not get what a writer sends: where the writer offers less than the reader asks for.
func mismatch(w, r End) []string {
	var reasons []string
	if w.Type != r.Type {
		reasons = append(reasons, fmt.Sprintf("type %s is published, %s is subscribed", w.Type, r.Type))
	}
	if r.Reliable && !w.Reliable {
		reasons = append(reasons, "reliability: best effort is offered, reliable is asked for")
	}
	if r.Latched && !w.Latched {
		reasons = append(reasons, "durability: volatile is offered, transient local is asked for")
	}
	if longer(w.Deadline, r.Deadline) {
		reasons = append(reasons, fmt.Sprintf("deadline: %s is offered, %s is asked for", span(w.Deadline),
			span(r.Deadline)))
	}
	if r.ByHand && !w.ByHand {
		reasons = append(reasons, "liveliness: automatic is offered, by topic is asked for")
	}
	if longer(w.LivelinessFor, r.LivelinessFor) {
		reasons = append(reasons, fmt.Sprintf("liveliness lease: %s is offered, %s is asked for", span(w.LivelinessFor),
			span(r.LivelinessFor)))
	}
	return reasons
}

// longer compares durations of which 0 is without end.
func longer(a, b time.Duration) bool { return b != 0 && (a == 0 || a > b) }

func span(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}
