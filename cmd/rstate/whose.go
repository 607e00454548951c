package main

import (
	"fmt"
	"os"

	"rstate/internal/host"
	"rstate/internal/session"
)

// nodeVariable names the daemon where --node does not.
const nodeVariable = "RSTATE_NODE"

// use is what a verb does with the daemon that it is for.
type use int

const (
	// acts: it changes something. A person who has a wrong network in mind must not change that, so the daemon is the one
	// of --node or of nodeVariable, else /rstate and no other.
	acts use = iota + 1
	// asks: without --node and nodeVariable, and if /rstate does not run on this host, it asks the one daemon that does.
	asks
	// reads: it asks, or reads the journal of a daemon that has ended. One of /rstate comes first.
	reads
)

// uses has each verb with the option --node.
var uses = map[string]use{
	"send": acts, "acknowledge": acts, "step": acts, "trigger": acts, "sim": acts, "guard": acts,
	"status": asks, "watch": asks, "peers": asks, "doctor": asks,
	"why": reads, "history": reads, "replay": reads,
}

// daemon adds the option that names the daemon of a verb.
func (f *options) daemon(usage string) *string {
	name := f.String("node", "/"+session.NodeName, usage)
	if named := os.Getenv(nodeVariable); named != "" {
		*name = named
	}
	return name
}

// choose chooses the daemon of a verb that only asks, and says so, if its command line and the environment name none.
func (f *options) choose(e *env) {
	node, usual := f.Lookup("node"), "/"+session.NodeName
	domain, ok := host.Domain()
	if node == nil || node.Changed || os.Getenv(nodeVariable) != "" || !ok || f.Changed("wait") || f.Changed("dir") {
		return
	}
	use := uses[f.cmd.Name()]
	if use != asks && use != reads {
		return
	}
	if use == reads {
		if dir, _, err := host.LastJournal(usual); err != nil || host.IsThere(dir) {
			return
		}
	}
	name := onlyOne(host.Daemons(domain), usual)
	if name == "" {
		return
	}
	fmt.Fprintf(e.err, "%s is the one daemon on this host, and %s does not run here; --node names another one\n", name, usual)
	_ = node.Value.Set(name) // a text: this cannot fail
}

// onlyOne returns the one name of a list; empty: there are several, or it is the usual one.
func onlyOne(names []string, usual string) string {
	if len(names) != 1 || names[0] == usual {
		return ""
	}
	return names[0]
}
