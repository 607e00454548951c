package doctor

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
)

// Between returns the faults between the instances of one simulation: missing instances, instances
// that have not seen what others did or are in another state, and nodes that two instances drive.
func Between(c Circle) []Finding {
	b := &between{Circle: c}
	for i := range c.Instances {
		if c.Instances[i].Alive {
			b.living = append(b.living, c.Instances[i])
		}
	}
	b.absent()
	b.twice()
	b.machines()
	b.driven()
	for i, one := range b.living {
		for _, other := range b.living[i+1:] {
			if one.Hash == other.Hash && one.Name != other.Name {
				b.pair(one, other)
			}
		}
	}
	b.behind()
	return b.findings
}

type between struct {
	Circle
	living   []Instance
	findings []Finding
}

func (b *between) say(level Level, about, what, evidence, do string) {
	b.findings = append(b.findings, Finding{level, about, what, evidence, do})
}

// alive returns the living instance of a name.
func (b *between) alive(name string) (Instance, bool) {
	at := slices.IndexFunc(b.living, func(i Instance) bool { return i.Name == name })
	if at < 0 {
		return Instance{}, false
	}
	return b.living[at], true
}

// absent looks for those that are required, or in the graph, and are not heard.
func (b *between) absent() {
	requiredBy := map[string][]string{}
	for _, one := range b.living {
		for _, name := range one.Requires {
			requiredBy[name] = append(requiredBy[name], one.Name)
		}
	}
	for _, name := range sorted(requiredBy) {
		one, there := b.alive(name)
		who := strings.Join(requiredBy[name], ", ") + " requires it"
		switch {
		case !there:
			b.say(Fault, name, "is required and not there", who+", and it publishes no state",
				"start it with its own network file, in the same domain and simulation; until then nothing is armed there")
		case one.Leaving:
			b.say(Warning, name, "is required and ends", who, "nothing is armed there until it is started again")
		}
	}
	for _, name := range b.Silent {
		if requiredBy[name] == nil {
			b.say(Warning, name, "is in the graph and says nothing", "no word of it came meanwhile",
				"its process stands still, or was killed a moment ago: look for it")
		}
	}
}

// twice looks for two runs of one name.
func (b *between) twice() {
	seen := map[string]int{}
	for _, one := range b.living {
		seen[one.Name]++
	}
	for _, name := range sorted(seen) {
		if n := seen[name]; n > 1 {
			b.say(Fault, name, fmt.Sprintf("is the name of %d instances", n), "each tells how it is",
				"end all but one, or name it otherwise: --ros-args -r __node:=NAME")
		}
	}
}

// machines looks for those that cannot follow each other.
func (b *between) machines() {
	if len(b.living) == 0 {
		return
	}
	first := b.living[0]
	for _, one := range b.living[1:] {
		if one.Hash != first.Hash {
			b.say(Fault, one.Name, "follows another machine than "+first.Name,
				fmt.Sprintf("%s with the hash %s, there %s with %s", one.Machine, short(one.Hash), first.Machine,
					short(first.Hash)),
				"give both files the same machine, and start the daemons again; until then neither mirrors the other")
		}
	}
}

// short is enough of a hash to tell it from another.
func short(hash string) string {
	const enough = 8
	return hash[:min(len(hash), enough)]
}

// driven looks for nodes with several coordinators.
func (b *between) driven() {
	by := map[string][]string{}
	for _, one := range b.living {
		for _, node := range one.Nodes {
			if !slices.Contains(by[node], one.Name) {
				by[node] = append(by[node], one.Name)
			}
		}
	}
	shared := map[string][]string{} // nodes, by those that drive them
	for _, node := range sorted(by) {
		if len(by[node]) > 1 {
			names := strings.Join(by[node], " and ")
			shared[names] = append(shared[names], node)
		}
	}
	for _, names := range sorted(shared) {
		if nodes := shared[names]; len(nodes) == 1 {
			b.say(Fault, nodes[0], "is driven by "+names, "each lists it under nodes",
				"take it out of all files but one: a node has one coordinator, and neither raises it meanwhile")
		} else {
			b.say(Fault, names, "drive the same "+many(len(nodes), "node")+": "+listed(nodes),
				"each lists them under nodes",
				"take them out of all files but one: a node has one coordinator, and neither raises it meanwhile")
		}
	}
}

// listed names the first of many.
func listed(names []string) string {
	const most = 10
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// pair compares two that can follow each other.
func (b *between) pair(one, other Instance) {
	missing, lacking := unseen(one.Seen, other.Seen), unseen(other.Seen, one.Seen)
	both := one.Name + " and " + other.Name
	switch {
	case missing > 0 && lacking > 0:
		b.say(Fault, both, "split brain: "+both+" have changes that the other has not seen",
			fmt.Sprintf("%s %s, %s %s; %s has not seen %s of the other's, %s has not seen %s",
				one.Name, leads(one), other.Name, leads(other), one.Name, many(int(missing), "change"), other.Name,
				many(int(lacking), "change")),
			"they take the lower state when they hear each other; if this stays, they do not: look at the network between the two, with rstate doctor on each")
	case missing > 0:
		b.say(Warning, one.Name, "has not seen what "+other.Name+" has",
			many(int(missing), "change")+" of the simulation",
			"look again in a moment; if this stays, it does not hear the other: rstate doctor there")
	case lacking > 0:
		b.say(Warning, other.Name, "has not seen what "+one.Name+" has",
			many(int(lacking), "change")+" of the simulation",
			"look again in a moment; if this stays, it does not hear the other: rstate doctor there")
	case one.Settled && other.Settled && one.State != other.State && (one.Common != "" || other.Common != ""):
		b.diverged(one, other)
	}
}

// diverged tells of two that have seen the same and are in different states.
func (b *between) diverged(one, other Instance) {
	var why []string
	for _, i := range []Instance{one, other} {
		if i.Behind || i.State != i.Common && i.Common != "" {
			text := i.Name + " is not " + lifecycle.Words(i.Common) + " as the changes say"
			if i.Cause != "" {
				text += ": " + i.Cause
			}
			why = append(why, text)
		}
	}
	if len(why) == 0 {
		why = append(why, "both have seen the same changes")
	}
	b.say(Fault, one.Name+" and "+other.Name,
		fmt.Sprintf("diverged: %s is %s, %s is %s", one.Name, lifecycle.Words(one.State), other.Name,
			lifecycle.Words(other.State)), strings.Join(why, "; "),
		"rstate why --node there says why; put that right and give the command again, or command a state that both can be in")
}

// behind tells of those that are not where the changes lead, where nothing that was told of them says so.
func (b *between) behind() {
	for _, one := range b.living {
		told := slices.ContainsFunc(b.findings, func(f Finding) bool {
			return strings.HasPrefix(f.What, "diverged") && slices.Contains(strings.Split(f.About, " and "), one.Name)
		})
		if !one.Behind || told {
			continue
		}
		evidence := "it is " + one.State
		if one.Cause != "" {
			evidence += ": " + one.Cause
		}
		b.say(Warning, one.Name, "is behind: the changes of the simulation lead to "+lifecycle.Words(one.Common),
			evidence,
			"when the cause is put right, give the command again; or command a lower state, which all take")
	}
}

func sorted[V any](by map[string]V) (names []string) {
	for name := range by {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unseen counts the changes in theirs that are not in ours.
func unseen(ours, theirs map[string]uint64) (n uint64) {
	for instance, count := range theirs {
		if count > ours[instance] {
			n += count - ours[instance]
		}
	}
	return n
}

func leads(i Instance) string {
	if i.Common == "" {
		return "is " + i.State
	}
	return "goes by changes to " + lifecycle.Words(i.Common)
}
