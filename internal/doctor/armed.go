package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// armed judges what serves the arming service of a node: one process, of the node that is meant (A1).
func (j *judge) armed(n Node, say func(what, evidence, do string)) {
	server := n.ArmServer
	if server == "" {
		server = n.Name
	}
	stranger := slices.IndexFunc(n.ArmedBy, func(by string) bool { return by != server })
	switch {
	case len(n.ArmedBy) == 0 || stranger < 0 && !j.severalServe(n, server):
		j.called("is armed", *n.Arm, n.Name, say)
	case len(n.ArmedBy) > 1:
		say("is armed by a service that several processes serve",
			fmt.Sprintf("%d processes serve %s: %s", len(n.ArmedBy), n.Arm.Name, strings.Join(n.ArmedBy, ", ")),
			"end all but that of "+server+"; one that was killed stays for up to "+j.Stack.Abilities.Gone())
	case n.ArmServer != "":
		say("is armed by a service of another node", n.Arm.Name+" is served by "+n.ArmedBy[0]+", not by "+server,
			"start "+server+", or correct arm.served_by in the network file")
	default:
		say("is armed by a service of another node", n.Arm.Name+" is served by "+n.ArmedBy[0]+", not by "+server,
			"write arm: {served_by: "+n.ArmedBy[0]+"}")
	}
}

// severalServe reports whether several processes of the one node that is to serve an arm do so. Two nodes of one name are
// another fault.
func (j *judge) severalServe(n Node, server string) bool {
	twins := slices.Index(j.Nodes, server) >= 0 && !j.once(server)
	return len(n.ArmedBy) > 1 && !twins
}
