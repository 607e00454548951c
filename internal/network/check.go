package network

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/strict"
)

// checker looks at the file as a whole: at what one part says of another.
type checker struct {
	*file
	report  *strict.Report
	names   []string
	index   map[string]int             // by name
	members map[string]map[string]bool // group, node
	listed  map[string][]string        // the same in file order
	at      map[string]strict.Entry    // nodes as they are written, by name
}

func check(f *file, built *machine.Built, report *strict.Report) {
	c := &checker{file: f, report: report, index: map[string]int{}, members: map[string]map[string]bool{},
		listed: map[string][]string{}}
	if f.nodes.Given() {
		c.at = f.nodes.ByName()
	}
	for i, n := range f.Nodes {
		c.names = append(c.names, n.Name)
		c.index[n.Name] = i
	}
	for _, g := range f.Groups {
		c.members[g.Name], c.listed[g.Name] = map[string]bool{}, g.Nodes
		for _, n := range g.Nodes {
			c.members[g.Name][n] = true
		}
	}
	c.afters()
	c.cycles()
	c.groupNodes()
	c.deadMen()
	c.guarding()
	c.unseen()
	c.armServices()
	c.servers()
	c.lonely()
	c.others()
	c.subStates()
	if built == nil {
		return
	}
	c.autos(built)
	for _, s := range built.Machine.States {
		if v := built.States[s.Name]; v.Given() && !c.full() {
			c.stateGroups(s, v)
			c.armedNodes(s, v)
		}
	}
	c.alike(built)
	c.unwatched(built.Machine)
	f.checkLoop(built.Machine)
	f.checkStops(built.Machine)
	f.checkData()
}

// known reports a node that the file does not have. Its place is looked for only if there is still something to say.
func (c *checker) known(name string, at func() strict.Value) {
	if _, ok := c.index[name]; ok || c.full() {
		return
	}
	at().Fault(fmt.Sprintf("there is no node %q", name), c.report.Suggest(name, c.names, "add it under nodes"))
}

// full says that enough is wrong: looking for more would only take time.
func (c *checker) full() bool { return c.report.Full() }

func (c *checker) afters() {
	for _, n := range c.Nodes {
		for _, a := range n.After {
			c.known(a, func() strict.Value { return c.at[n.Name].Value.Find("after").Item(a) })
		}
	}
}

// cycles reports every way that leads back to where it began, at the edge that closes it.
func (c *checker) cycles() {
	const open, done = 1, 2
	mark := make([]int, len(c.Nodes))
	var way []int
	var walk func(i int)
	walk = func(i int) {
		mark[i], way = open, append(way, i)
		for _, after := range c.Nodes[i].After {
			j, ok := c.index[after]
			switch {
			case !ok || mark[j] == done:
			case mark[j] == open && !c.full():
				c.cycle(way[slices.Index(way, j):], after)
			case mark[j] == open:
			default:
				walk(j)
			}
		}
		mark[i], way = done, way[:len(way)-1]
	}
	for i := range c.Nodes {
		if mark[i] == 0 {
			walk(i)
		}
	}
}

func (c *checker) cycle(way []int, closes string) {
	const shown = 12
	var names []string
	for _, i := range way[:min(len(way), shown)] {
		names = append(names, c.Nodes[i].Name)
	}
	if len(way) > shown {
		names = append(names, "…")
	}
	last := c.Nodes[way[len(way)-1]].Name
	c.at[last].Value.Find("after").Item(closes).Fault("comes after itself: "+
		strings.Join(append(names, closes), " after "), "remove one of these")
}

func (c *checker) groupNodes() {
	for _, g := range c.Groups {
		for _, n := range g.Nodes {
			c.known(n, func() strict.Value { return c.groups.Find(g.Name).Item(n) })
		}
	}
}

// subStates checks what nodes report, and that only nodes with a lifecycle do without being configured.
func (c *checker) subStates() {
	if c.Exception != "" {
		c.group(c.Exception, func() strict.Value { return c.root.Find("exception_group") })
	}
	for _, n := range c.Nodes {
		if c.full() {
			return
		}
		at := c.at[n.Name].Value
		if !n.Lifecycle && !n.NeedsConfiguration && at.IsMap() && at.Has("needs_configuration") {
			at.Find("needs_configuration").Fault(n.Name+" has no lifecycle and is never configured", "remove it")
		}
		seen := map[string]string{}
		for _, list := range []struct {
			key    string
			states []string
		}{{"runtime_states", n.RuntimeStates}, {"exception_states", n.ExceptionStates},
			{"fatal_states", n.FatalStates}} {
			for _, s := range list.states {
				if other, twice := seen[s]; twice {
					at.Find(list.key).Item(s).Fault(s+" is one of "+other+" too", "keep one of the two")
				}
				seen[s] = list.key
			}
		}
	}
}

// autos checks that the reactions of a machine listen to nodes that there are, and to sub-states that these report.
func (c *checker) autos(built *machine.Built) {
	for _, a := range built.Machine.Auto {
		at := built.Auto[a]
		if !at.Given() || c.full() {
			continue
		}
		if a.From != "" {
			c.known(a.From, func() strict.Value { return at.Find("from") })
		}
		if a.On.Event != machine.Reported {
			continue
		}
		var words []string
		for _, n := range c.Nodes {
			if a.From == "" || a.From == n.Name {
				words = append(append(append(words, n.RuntimeStates...), n.ExceptionStates...), n.FatalStates...)
			}
		}
		if !slices.Contains(words, a.On.Word) {
			at.Find("on").Fault(fmt.Sprintf("no node reports %q", a.On.Word),
				c.report.Suggest(a.On.Word, words, "add it to runtime_states of a node"))
		}
	}
}

// deadMen warns of nodes that nothing disarms when we are gone.
func (c *checker) deadMen() {
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.Guardable() && c.Arming.Guard != GuardRequired {
			c.at[n.Name].Value.Find("arm", "dead_man").Warn(n.Name+" stays armed if rstate dies",
				"let it follow the lease, or run rstate guard beside it and write arming: {guard: required}")
		}
	}
}

// others checks the peers. Whether one of them is this instance itself is known only when this instance has its name.
func (c *checker) others() {
	list := func(key string, names []string) {
		for _, name := range names {
			at := func() strict.Value { return c.peers.Find(key).Item(name) }
			switch _, node := c.index[name]; {
			case c.full():
			case node:
				at().Fault(name+" is one of the nodes",
					"take it out of nodes, if it is another rstate of this simulation; else out of peers")
			case name == "/"+UsualName:
				at().Warn(name+" is the name of this rstate too, unless it is started under another",
					"start each with a name or namespace of its own: --ros-args -r __ns:=/base")
			}
		}
	}
	if at, ok := c.at["/"+UsualName]; ok {
		at.Key.Warn("/"+UsualName+" is the name of this rstate too, unless it is started under another",
			"rename the node, or the daemon: --ros-args -r __node:=NAME")
	}
	list("required", c.Peers.Required)
	list("plain", c.Peers.Plain)
	for _, name := range c.Peers.Required {
		if slices.Contains(c.Peers.Plain, name) && !c.full() {
			c.peers.Find("plain").Item(name).Fault(name+" is required, and a plain peer cannot show that it is fit",
				"take it out of one of the two")
		}
	}
}

// stateGroups checks that a state names groups that there are, which agree about every node.
func (c *checker) stateGroups(s machine.State, v strict.Value) {
	said := map[string]machine.GroupWant{}
	for _, g := range s.Nodes.Groups {
		at := func() strict.Value { return v.Find("nodes").KeyOf(g.Group) }
		if !c.group(g.Group, at) {
			continue
		}
		for _, node := range c.listed[g.Group] {
			if before, twice := said[node]; twice && before.State != g.State {
				at().Fault(fmt.Sprintf("%s is to be %s as one of %s, and %s as one of %s", node, g.State, g.Group,
					before.State, before.Group), "make a group for the nodes that differ")
				break
			}
			said[node] = g
		}
	}
	for i, g := range s.Armed.Groups {
		at := func() strict.Value { return v.Find("armed", i) }
		if c.group(g, at) && !slices.ContainsFunc(c.Nodes,
			func(n Node) bool { return n.Arm != nil && c.members[g][n.Name] }) {
			at().Warn("no node of "+g+" can be armed", "give one of them arm:")
		}
	}
}

// armedNodes reports a node that a state arms and does not make active.
func (c *checker) armedNodes(s machine.State, v strict.Value) {
	if !s.Armed.Any() || s.Final || c.full() {
		return
	}
	for _, n := range c.Nodes {
		armed := func(g string) bool { return c.members[g][n.Name] }
		if n.Arm == nil || !n.Lifecycle || !s.Armed.All && !slices.ContainsFunc(s.Armed.Groups, armed) {
			continue
		}
		want := s.Nodes.Others
		if k := slices.IndexFunc(s.Nodes.Groups,
			func(g machine.GroupWant) bool { return c.members[g.Group][n.Name] }); k >= 0 {
			want = s.Nodes.Groups[k].State
		}
		if want == lifecycle.Active {
			continue
		}
		is := "is " + want.String()
		if want == lifecycle.Unknown {
			is = "is left as it is"
		}
		v.Find("nodes").Fault(fmt.Sprintf("%s is armed in %s, and %s there", n.Name, s.Name, is),
			"make every node active that the state arms")
		return
	}
}

// group reports a group that the file does not have.
func (c *checker) group(name string, at func() strict.Value) bool {
	if c.members[name] != nil || c.full() {
		return c.members[name] != nil
	}
	var groups []string
	for _, g := range c.Groups {
		groups = append(groups, g.Name)
	}
	v := at()
	v.Fault(fmt.Sprintf("there is no group %q", name),
		c.report.Suggest(name, groups, "add it under groups of the network"))
	return false
}

// alike warns of states of one's own that a start cannot tell from others by reading the nodes. States that arm are
// never adopted, and final ones never found.
func (c *checker) alike(built *machine.Built) {
	if c.full() || !slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.Lifecycle }) {
		return
	}
	first := map[string]machine.State{}
	for _, s := range built.Machine.States {
		if !s.Adoptable() {
			continue
		}
		look := c.look(s)
		other, twice := first[look]
		if !twice {
			first[look] = s
			continue
		}
		if at := built.States[s.Name]; at.Given() {
			at.Warn(fmt.Sprintf("the nodes look the same in %s and in %s", s.Name, other.Name),
				"a start takes the journal's last of the two, else "+built.Machine.Lower(s.Name, other.Name))
		}
	}
}

// look is what a read of all nodes shows in a state, one letter for each node. Groups agree about a
// node, or the file was refused before.
func (c *checker) look(s machine.State) string {
	look := []byte(strings.Repeat(string('0'+byte(s.Nodes.Others)), len(c.Nodes)))
	for _, g := range s.Nodes.Groups {
		for node := range c.members[g.Group] {
			if i, ok := c.index[node]; ok {
				look[i] = '0' + byte(g.State)
			}
		}
	}
	for i, n := range c.Nodes {
		if !n.Lifecycle {
			look[i] = '.'
		}
	}
	return string(look)
}
