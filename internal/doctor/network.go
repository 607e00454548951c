package doctor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/strict"
)

const (
	getStateType    = "lifecycle_msgs/srv/GetState"
	changeStateType = "lifecycle_msgs/srv/ChangeState"
)

// ghost is the usual reason for two of one name.
func (j *judge) ghost() string {
	return "end all but one, or rename it; one that was killed stays in the graph for up to " + j.Stack.Abilities.Gone()
}

// resting are the states in which a node stays until it receives a request.
var resting = []string{"unconfigured", "inactive", "active", "finalized"}

// node judges one node of the network. What an optional node lacks is never more than a warning.
func (j *judge) node(n Node) {
	bad := Fault
	if n.Optional {
		bad = Warning
	}
	say := func(what, evidence, do string) { j.add(Finding{bad, n.Name, what, evidence, do}) }
	count := 0
	for _, name := range j.Nodes {
		if name == n.Name {
			count++
		}
	}
	if count == 0 {
		evidence, do := j.instead(n.Name)
		say("is not there", evidence, do)
		return
	}
	if count > 1 {
		say(fmt.Sprintf("%d nodes have this name", count),
			"any of them may answer for it, and nothing is raised meanwhile", j.ghost())
	}
	if n.Lifecycle {
		j.managed(n, say)
	} else if j.offers(n, "change_state") != "" {
		j.warn(n.Name, "is a lifecycle node, and listed as none", "it offers "+n.Name+"/change_state",
			"take lifecycle: false out of the network file, if it is to be driven")
	} else {
		j.fine(n.Name, "is there")
	}
	if n.Arm != nil {
		j.armed(n, say)
	}
	j.proof(n)
	for _, c := range n.Checks {
		j.check(n, c, say)
	}
}

// silentState is the state of a lifecycle node in which it need not publish: any that it rests in below active.
func (j *judge) silentState(n Node) string {
	for _, a := range j.Answers {
		if a.Node == n.Name && n.Lifecycle && (a.State == "unconfigured" || a.State == "inactive") {
			return a.State
		}
	}
	return ""
}

// instead says what there is where a name is not.
func (j *judge) instead(name string) (evidence, do string) {
	if len(j.Nodes) == 0 {
		return fmt.Sprintf("not one other node is seen in domain %d", j.Stack.Domain),
			"start it; if it runs, it is in another domain, behind another range, or on a machine that is not reached"
	}
	wanted := make(map[string]bool)
	for _, n := range j.Network.Nodes {
		wanted[n.Name] = true
	}
	var strays []string // those that no other line of the file means
	for _, n := range j.Nodes {
		if !wanted[n] && !slices.Contains(strays, n) {
			strays = append(strays, n)
		}
	}
	near := near(name, strays)
	switch {
	case near == "":
		return many(len(j.Nodes), "other node") + " seen",
			"start it; if it runs, compare its name (ros2 node list), its domain and its range"
	case path.Base(near) == path.Base(name):
		return "there is " + near, "write " + near + " in the network file, or start it in the namespace " +
			path.Dir(name) + ": --ros-args -r __ns:=" + path.Dir(name)
	}
	return "there is " + near, "write " + near + " in the network file, or name the node " + path.Base(name) +
		": --ros-args -r __node:=" + path.Base(name)
}

// near returns the name that is meant, perhaps: one that differs by its namespace only, or by little in the same one.
func near(name string, names []string) string {
	for _, n := range strict.Alike(name, names, 1) {
		return n
	}
	return ""
}

// offers returns the type of a service of a node's own, or nothing.
func (j *judge) offers(n Node, service string) string {
	for _, s := range j.Services {
		if s.Name == n.Name+"/"+service && slices.Contains(s.Nodes, n.Name) && len(s.Types) > 0 {
			return s.Types[0]
		}
	}
	return ""
}

// managed judges a node that is driven.
func (j *judge) managed(n Node, say func(what, evidence, do string)) {
	get, change := j.offers(n, "get_state"), j.offers(n, "change_state")
	switch {
	case get == "" && change == "":
		say("is no lifecycle node", "it offers neither get_state nor change_state",
			"write lifecycle: false for it in the network file, or start its lifecycle variety")
		return
	case get == "" || change == "":
		missing := "get_state"
		if change == "" {
			missing = "change_state"
		}
		say("is half a lifecycle node", "it offers no "+n.Name+"/"+missing,
			"look at how it is started: a remapping may have moved the service")
		return
	case get != getStateType || change != changeStateType:
		say("has services of another kind", fmt.Sprintf("get_state is %s, change_state is %s", get, change),
			"name its services otherwise; these two are ROS's own")
		return
	}
	at := slices.IndexFunc(j.Answers, func(a Answer) bool { return a.Node == n.Name })
	if at < 0 || j.Answers[at].State == "" {
		j.silent(n, say)
		return
	}
	j.state(n, j.Answers[at], say)
}

func (j *judge) silent(n Node, say func(what, evidence, do string)) {
	if n.Running != "" {
		j.warn(n.Name, "is busy with "+n.Running, "it does not answer get_state meanwhile",
			"wait; it has until its deadline, and rstate status shows how long")
		return
	}
	evidence := "nothing came from get_state within 2 s, though it is in the graph"
	if n.Silent {
		evidence += ", and rstate shows it as unresponsive"
	}
	say("does not answer", evidence,
		"it is in a long callback, frozen or stopped: look at its process and its log; start it again if it does not come back")
}

func (j *judge) state(n Node, a Answer, say func(what, evidence, do string)) {
	switch {
	case a.State == "finalized" && n.Expected != "finalized":
		say("is finalized, for good", "it says so", "start its process again")
	case !slices.Contains(resting, a.State) && n.Running == "":
		j.warn(n.Name, "is "+lifecycle.Words(a.State), "it says so, and rstate has not asked for it",
			"wait for it, or find the other client that drives it")
	case n.Expected != "" && n.Expected != a.State && n.Running == "":
		j.warn(n.Name, "is "+lifecycle.Words(a.State)+", and the network wants it "+lifecycle.Words(n.Expected),
			"it says so itself",
			"ask rstate why; rstate send, with the state that is wanted, puts it right")
	case len(j.Network.Nodes) > timed:
		j.fine(n.Name, a.State+", and answers")
	default:
		j.fine(n.Name, fmt.Sprintf("%s, answers in %d ms", a.State, a.Within.Milliseconds()))
	}
}

// timed is how many nodes can be asked at once without the asking taking most of the time.
const timed = 20

// called judges a service that has to be there; how says what it is for.
func (j *judge) called(how string, c Call, node string, say func(what, evidence, do string)) {
	at := slices.IndexFunc(j.Services, func(s Service) bool { return s.Name == c.Name })
	if at < 0 {
		do := "start what offers it, or put its name right in the network file"
		if near := near(c.Name, j.ofType(c.Type)); near != "" {
			do = "there is " + near + ": write that, if it is meant; else " + do
		}
		say(how+" by a service that is not there", c.Name+" has no server", do)
		return
	}
	s := j.Services[at]
	switch {
	case c.Type != "" && !slices.Contains(s.Types, c.Type):
		say(how+" by a service of another type",
			fmt.Sprintf("%s is %s, not %s", c.Name, strings.Join(s.Types, " and "), c.Type),
			"put the type right in the network file, or in the node")
	case s.Servers > 1 && j.once(node):
		say(how+" by a service that several offer", fmt.Sprintf("%d offer %s", s.Servers, c.Name),
			"only one may: rename or end the others; one that was killed stays for up to "+j.Stack.Abilities.Gone())
	default:
		j.fine(node, how+" by "+c.Name)
	}
}

// once says whether exactly one node has the name: of two, both offer the same.
func (j *judge) once(node string) bool {
	at := slices.Index(j.Nodes, node)
	return at >= 0 && !slices.Contains(j.Nodes[at+1:], node)
}

func (j *judge) ofType(kind string) []string {
	var names []string
	for _, s := range j.Services {
		if kind == "" || slices.Contains(s.Types, kind) {
			names = append(names, s.Name)
		}
	}
	return names
}

// twins judges the names of nodes that are not of the network.
func (j *judge) twins() {
	var told []string
	for i, name := range j.Nodes {
		ours := name == j.Asked || slices.ContainsFunc(j.Network.Nodes, func(n Node) bool { return n.Name == name })
		if ours || slices.Contains(told, name) || !slices.Contains(j.Nodes[i+1:], name) {
			continue
		}
		told = append(told, name)
		j.warn("names", "several nodes are called "+name, "the graph has it more than once", j.ghost())
	}
	if len(told) == 0 {
		j.fine("names", "no other node's name is there twice ("+many(len(j.Nodes), "node")+" seen)")
	}
}
