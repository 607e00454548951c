package doctor

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// check judges what a check of a node needs.
func (j *judge) check(n Node, c Check, say func(what, evidence, do string)) {
	switch {
	case c.Service != "":
		j.called("is checked", Call{c.Service, c.Type}, n.Name, say)
		j.found(n, c)
		return
	case c.Topic == "":
		j.found(n, c)
		return
	}
	at := slices.IndexFunc(j.Topics, func(t Topic) bool { return t.Name == c.Topic })
	if at < 0 || len(j.Topics[at].Writers) == 0 {
		do := "start its publisher, or correct its name in the network file"
		state := j.silentState(n)
		var names []string
		for _, t := range j.Others {
			names = append(names, t.Name)
		}
		switch near := near(c.Topic, names); {
		case near != "":
			do = "there is " + near + ": write that, if it is meant; else " + do
		case state != "":
			j.fine(n.Name, "is checked by "+c.Topic+", which has no publisher while it is "+state)
			return
		}
		say("is checked by a topic without a publisher", c.Topic+" has no publisher", do)
		return
	}
	for _, w := range j.Topics[at].Writers {
		if c.Type != "" && w.Type != c.Type {
			say("is checked by a topic of another type",
				fmt.Sprintf("%s is %s by %s, not %s", c.Topic, w.Type, w.Node, c.Type),
				"put the type right in the network file, or end that publisher")
			return
		}
	}
	j.fine(n.Name, "is checked by "+c.Topic+", which "+j.Topics[at].Writers[0].Node+" publishes")
	j.found(n, c)
}

// found judges what a check has measured, and proposes a rate or an age that fits it.
func (j *judge) found(n Node, c Check) {
	f := c.Found
	switch {
	case !f.Measured:
	case !f.Passes:
		do := f.Do
		if proposal := proposed(c); proposal != "" {
			do += "; or write " + proposal
		}
		if state := j.silentState(n); state != "" {
			do = "activate the node first, which is " + state + ", and run doctor again; else " + do
		}
		j.warn(n.Name, "does not pass its check of "+c.Subject, c.Subject+" "+f.Fault, do)
	default:
		what := "passes its check of " + c.Subject + ": " + f.Value
		if proposal := proposed(c); proposal != "" {
			what += "; " + proposal + " would notice a fault earlier"
		}
		j.fine(n.Name, what)
	}
}

const (
	// gapsPerAge is how many of the longest gaps that were measured an age has to spare: a machine that works is slower
	// than one on which a doctor is at work.
	gapsPerAge = 3
	leastAge   = 100 * time.Millisecond
	// far is how much looser than the proposal a check is before the doctor says so.
	far = 2
)

// proposed is the key of a check as it fits what was measured; empty: it fits, or nothing was measured.
func proposed(c Check) string {
	f := c.Found
	switch {
	case c.Rate > 0 && f.Rate > 0:
		// A topic passes at four fifths of its rate, so the rate that was measured leaves a fifth.
		if rate := rounded(f.Rate); !f.Passes && rate < c.Rate || f.Passes && rate > far*c.Rate {
			return fmt.Sprintf("rate: %gHz", rate)
		}
	case c.Age > 0 && f.Gap > 0:
		least := max(leastAge, gapsPerAge*f.Gap).Seconds()
		age := time.Duration(math.Ceil(least*10) / 10 * float64(time.Second))
		if !f.Passes && age > c.Age || f.Passes && far*age < c.Age {
			return fmt.Sprintf("age: %v", age)
		}
	}
	return ""
}

// rounded is the number below with two digits.
func rounded(n float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(n))-1)
	return math.Floor(n/step+1e-9) * step
}
