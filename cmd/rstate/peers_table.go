package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rstate/internal/clean"
	"rstate/internal/doctor"
	"rstate/internal/lifecycle"
)

// circle is the output: the instances of a simulation and the faults between them.
type circle struct {
	Simulation string           `json:"simulation"`
	OK         bool             `json:"ok"` // there is no fault between them
	Instances  []peer           `json:"instances"`
	Findings   []doctor.Finding `json:"findings"`
}

// peer is one instance. Lag is empty if no daemon was asked.
type peer struct {
	doctor.Instance
	Heard      string   `json:"heard"`       // how long ago; empty if never
	Lag        string   `json:"lag"`         // time to follow the newest change of that daemon
	Asked      bool     `json:"asked"`       // it is the daemon that was asked
	RequiredBy []string `json:"required_by"` // the instances that do not arm without it
}

// sight is a peer as the daemon that was asked sees it.
type sight struct {
	name  string
	alive bool
	lag   time.Duration // negative: there is none
}

// circleOf joins what this process has heard with what a daemon sees. The name is empty if no
// daemon was asked.
func circleOf(c doctor.Circle, asked string, sights []sight) circle {
	view := circle{Simulation: c.Simulation, Instances: []peer{},
		Findings: append([]doctor.Finding{}, doctor.Between(c)...)}
	for _, i := range c.Instances {
		p := peer{Instance: i, Heard: i.Age.Round(time.Millisecond).String(), Asked: i.Name == asked,
			RequiredBy: []string{}}
		for _, list := range []*[]string{&p.Nodes, &p.MayBeArmed, &p.Requires} {
			*list = append([]string{}, *list...) // none is a list too
		}
		if at := slices.IndexFunc(sights, func(s sight) bool { return s.name == i.Name }); at >= 0 &&
			sights[at].lag >= 0 {
			p.Lag = sights[at].lag.Round(time.Millisecond).String()
		}
		view.Instances = append(view.Instances, p)
	}
	view.require()
	view.Findings = append(view.Findings, deaf(c, asked, sights)...)
	view.OK = !slices.ContainsFunc(view.Findings, func(f doctor.Finding) bool { return f.Level == doctor.Fault })
	return view
}

// require sets RequiredBy of each instance, and adds required instances that are absent.
func (v *circle) require() {
	for _, i := range v.Instances {
		if !i.Alive {
			continue
		}
		for _, name := range i.Requires {
			at := slices.IndexFunc(v.Instances, func(p peer) bool { return p.Name == name })
			if at < 0 {
				at = len(v.Instances)
				v.Instances = append(v.Instances, peer{Instance: doctor.Instance{
					Name: name, State: "unknown", Seen: map[string]uint64{}, Nodes: []string{}, MayBeArmed: []string{},
					Requires: []string{},
				}})
			}
			v.Instances[at].RequiredBy = append(v.Instances[at].RequiredBy, i.Name)
		}
	}
	slices.SortStableFunc(v.Instances, func(a, b peer) int { return strings.Compare(a.Name, b.Name) })
}

// deaf reports the instances that this process hears and the daemon that was asked does not.
func deaf(c doctor.Circle, asked string, sights []sight) (findings []doctor.Finding) {
	if asked == "" {
		return nil
	}
	for _, i := range c.Instances {
		if i.Name == asked || !i.Alive ||
			slices.ContainsFunc(sights, func(s sight) bool { return s.name == i.Name && s.alive }) {
			continue
		}
		findings = append(findings, doctor.Finding{
			Level: doctor.Fault, About: asked, What: "does not hear " + i.Name,
			Evidence: i.Name + " is heard here, and is not alive in " + asked + "/state",
			Do: "look again in a moment; if this stays, start " + asked +
				" again: the two do not reach each other over the middleware",
		})
	}
	return findings
}

// printCircle prints the output for people.
func printCircle(out io.Writer, v circle) {
	living := 0
	for _, p := range v.Instances {
		if p.Alive {
			living++
		}
	}
	fmt.Fprintf(out, "simulation %s: %s\n", v.Simulation, countedInstances(living))
	if len(v.Instances) > 0 {
		fmt.Fprintln(out)
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  NAME\tSTATE\tCHANGES LEAD TO\tSEEN\tLAG\tHEARD\t")
		all := union(v.Instances)
		for _, p := range v.Instances {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", clean.Text(p.Name), p.standing(),
				cmp.Or(clean.Text(lifecycle.Words(p.Common)), "-"), p.share(all),
				cmp.Or(p.Lag, "-"), p.when(), p.notes())
		}
		table.Flush()
		fmt.Fprintln(out)
		for _, p := range v.Instances {
			if p.Alive {
				fmt.Fprintf(out, "  %s drives %s\n", clean.Text(p.Name), drives(p.Nodes))
			}
		}
	}
	for _, f := range v.Findings {
		text := f.What
		if first, _, _ := strings.Cut(f.About, " and "); !strings.Contains(text, first) {
			text = f.About + " " + text
		}
		fmt.Fprintf(out, "\n%s: %s\n  seen: %s\n  do:   %s\n", f.Level, clean.Text(text), clean.Text(f.Evidence),
			clean.Text(f.Do))
	}
	if living > 1 && len(v.Findings) == 0 {
		fmt.Fprintln(out, "\nall have seen the same changes, and nothing is wrong between them")
	}
}

func countedInstances(n int) string {
	switch n {
	case 0:
		return "no instance is heard"
	case 1:
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}

// standing is where it is.
func (p peer) standing() string {
	if !p.Alive {
		return "not there"
	}
	words := []string{clean.Text(lifecycle.Words(p.State))}
	switch {
	case !p.Settled:
		words = append(words, "at work")
	case p.Behind:
		words = append(words, "behind")
	}
	if !p.Intact {
		words = append(words, "not intact")
	}
	if p.Leaving {
		words = append(words, "ends")
	}
	return strings.Join(words, ", ")
}

func (p peer) when() string {
	switch {
	case p.Heard == "":
		return "never"
	case p.Age < time.Second: // as often as it speaks
		return "now"
	}
	return p.Age.Round(time.Second).String() + " ago"
}

func (p peer) notes() string {
	var notes []string
	if p.Asked {
		notes = append(notes, "asked")
	}
	if len(p.RequiredBy) > 0 {
		notes = append(notes, "required by "+strings.Join(p.RequiredBy, ", "))
	}
	if len(p.MayBeArmed) > 0 {
		notes = append(notes, "armed: "+drives(p.MayBeArmed))
	}
	if p.Cause != "" && (p.Behind || !p.Intact) {
		notes = append(notes, p.Cause)
	}
	return clean.Text(strings.Join(notes, "; "))
}

// share is how many of the changes that anybody has seen it has seen.
func (p peer) share(all map[string]uint64) string {
	if !p.Alive {
		return "-"
	}
	own, total := uint64(0), uint64(0)
	for instance, n := range all {
		total += n
		own += min(n, p.Seen[instance])
	}
	return fmt.Sprintf("%d of %d", own, total)
}

func union(peers []peer) map[string]uint64 {
	all := map[string]uint64{}
	for _, p := range peers {
		for instance, n := range p.Seen {
			if p.Alive {
				all[instance] = max(all[instance], n)
			}
		}
	}
	return all
}

// drives lists names, and counts what would not fit a line.
func drives(names []string) string {
	const most = 6
	if len(names) == 0 {
		return "nothing"
	}
	text := clean.Text(strings.Join(names[:min(most, len(names))], " "))
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
