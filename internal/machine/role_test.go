package machine

import (
	"fmt"
	"strings"
	"testing"
)

// rover is a machine in the words of a stranger. A command and a state bear the same name.
const rover = `
initial: stored
states:
  scrapped: {nodes: finalized, final: true}
  stored: {nodes: unconfigured}
  park: {nodes: inactive}
  broken: {nodes: inactive}
  ready: {nodes: active}
  driving: {nodes: active, armed: true, disarmed: ready}
  racing: {nodes: active, armed: true, disarmed: ready}
  moving: {transition: true}
  starting: {transition: true}
transitions:
  unpack: {from: [stored], to: park, role: configure}
  crawl: {from: [park], via: moving, to: ready}
  unpark: {from: [park], via: starting, to: ready, role: activate}
  park: {via: moving, to: {ready: park, broken: stored}, role: deactivate}
  drive: {from: [ready], via: moving, to: driving, role: arm}
  brake: {from: [driving], via: moving, to: ready, role: disarm}
  race: {from: [ready], via: moving, to: racing}
  slow_down: {from: [racing], via: moving, to: ready}
  break: {from: [ready, park], via: moving, to: broken}
  mend: {from: [broken], via: moving, to: stored}
  scrap: {from: any, via: moving, to: scrapped, role: shutdown}
`

func TestM7Wish(t *testing.T) {
	cases := []struct{ machine, role, settled, wish string }{ // "-": not offered
		// The target wherever that is the same, so that a network that is there already has nothing to do.
		{"rstate", "configure", "unconfigured", "inactive"},
		{"rstate", "activate", "inactive", "active"},
		{"rstate", "deactivate", "active", "inactive"},
		{"rstate", "cleanup", "inactive", "unconfigured"},
		{"rstate", "activate", "active", "active"},         // a node has strayed
		{"rstate", "configure", "active", "inactive"},      // a node is lost
		{"rstate", "cleanup", "active", "unconfigured"},    // a node has strayed
		{"rstate", "deactivate", "armed", "inactive"},      // disarmed on the way
		{"rstate", "activate", "unconfigured", "-"},        // no role leads two states up
		{"rstate", "configure", Unknown, "-"},              // nothing is read yet
		{"rstate", "shutdown", Unknown, "shutdown"},        // always legal
		{"rstate", "shutdown", "armed", "shutdown"},        // always legal
		{"rstate", "configure", "finalized", "-"},          // nothing leads out
		{"nrp", "configure", "created", "initialized"},     // paused is a command, too
		{"nrp", "activate", "paused", "started"},           // the same word
		{"nrp", "deactivate", "started", "paused"},         // the same word
		{"nrp", "configure", "started", "paused"},          // a node is lost
		{"nrp", "cleanup", "paused", "-"},                  // no command has the role
		{"nrp", "activate", "halted", "-"},                 // no way leads up
		{"nrp", "shutdown", "halted", "stopped"},           // leads to failed
		{"nrp", "shutdown", "created", "stopped"},          // the command, not the hidden one
		{"nrp", "arm", "started", "-"},                     // nothing arms
		{"rock", "configure", "preoperational", "stopped"}, // the state: no command has its name
		{"rock", "configure", "exception", "-"},            // only reset leads out of exception
		{"rock", "activate", "stopped", "running"},
		{"rock", "cleanup", "fatal", "-"},
		{"rover", "configure", "stored", "unpack"},
		{"rover", "activate", "park", "unpark"}, // not crawl, which is listed first
		{"rover", "activate", "ready", "ready"},
		{"rover", "deactivate", "ready", "park"},
		{"rover", "deactivate", "driving", "-"}, // park is a command, and it does not begin there
		{"rover", "activate", "broken", "-"},
		{"rover", "configure", "broken", "-"}, // park is a command, and it leads elsewhere from there
		{"rover", "deactivate", "broken", "stored"},
		{"rover", "cleanup", "park", "-"},
		{"rover", "shutdown", "racing", "scrap"},
		{"rover", "arm", "ready", "drive"},
		{"rover", "arm", "park", "drive"}, // the refusal says why
	}
	for _, c := range cases {
		t.Run(c.machine+" "+c.role+" in "+c.settled, func(t *testing.T) {
			m := mustParse(t, rover)
			if c.machine != "rover" {
				m = preset(t, c.machine)
			}
			word, ok := m.Wish(Role(c.role), c.settled)
			if !ok {
				word = "-"
			}
			if word != c.wish {
				t.Errorf("asks for %q, want %q", word, c.wish)
			}
			if _, _, known := m.Command(Word(word)); ok && !known {
				t.Errorf("%q is neither a command nor a state that clients can name", word)
			}
		})
	}
}

// A wish never raises the network beyond what its role does: the command itself raises, or nothing does.
func TestR4WishesRaiseOnlyByTheirCommand(t *testing.T) {
	for _, m := range []*Machine{preset(t, "rstate"), preset(t, "nrp"), preset(t, "rock"), mustParse(t, rover)} {
		for _, s := range m.States {
			for _, role := range roles {
				word, ok := m.Wish(role, s.Name)
				command, _ := m.ByRole(role)
				if !ok || command.starts(s) {
					continue
				}
				name, isState, _ := m.Command(Word(word))
				if !isState {
					name, _ = m.Target(name, s.Name)
				}
				if m.Raises(s.Name, name) {
					t.Errorf("%s in %s of %s asks for %s, which raises", role, s.Name, m.Name, word)
				}
			}
		}
	}
}

func TestM7DisarmWord(t *testing.T) {
	hidden := strings.Replace(rover, "brake: {from: [driving], via: moving, to: ready, role: disarm}",
		"brake: {from: [driving], via: moving, to: ready}", 1)
	for _, c := range []struct{ text, settled, word string }{
		{rover, "driving", "brake"},
		{rover, "racing", "slow_down"},
		{rover, "ready", "brake"}, // on its way to armed, or a node may be armed
		{rover, Unknown, "brake"},
		{hidden, "ready", "brake"}, // no command has the role
		{"extends: rstate\ntransitions: {disarm: {role: disarm}}", "armed", "disarm"},
		{"extends: nrp\ntransitions: {started: {cancel: refuse}}", "started", ""},
	} {
		word, ok := mustParse(t, c.text).DisarmWord(c.settled)
		if word != c.word || ok != (c.word != "") {
			t.Errorf("in %s: %q, %v, want %q", c.settled, word, ok, c.word)
		}
	}
}

func TestM7RoleShown(t *testing.T) {
	m := mustParse(t, rover)
	for _, c := range []struct {
		m              *Machine
		state, command string
		want           Role
	}{
		{preset(t, "rstate"), "configuring", "configure", RoleConfigure},
		{preset(t, "rstate"), "shuttingdown", "activate", RoleShutdown}, // the last rung of a recovery
		{preset(t, "rstate"), "configuring", "", RoleConfigure},         // no command is known
		{preset(t, "rstate"), "active", "", ""},
		{preset(t, "nrp"), "created", "initialized", RoleConfigure}, // without a passing state
		{preset(t, "nrp"), "started", "failed", ""},
		{m, "starting", "unpark", RoleActivate},
		{m, "moving", "park", RoleDeactivate}, // one passing state of several commands
		{m, "moving", "crawl", ""},
		{m, "moving", "unpark", ""}, // one of several is shown, and it is not known which
		{m, "moving", "", ""},
		{m, "starting", "", RoleActivate},
		{m, "stored", "unpack", RoleConfigure},
		{m, "stored", "park", ""},
	} {
		t.Run(fmt.Sprint(c.state, " ", c.command), func(t *testing.T) {
			if got := c.m.RoleShown(c.state, c.command); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestH11CommandsInTheOrderOfALife: whatever the file says first, and without those that clients cannot give.
func TestH11CommandsInTheOrderOfALife(t *testing.T) {
	for name, want := range map[string]string{
		"rstate": "configure activate arm disarm deactivate cleanup shutdown",
		"nrp":    "initialized started paused reset stopped failed",
		"cle":    "initialize start run_step stop reset shutdown",
		"rover":  "unpack unpark drive brake park crawl race slow_down break mend scrap",
	} {
		m := mustParse(t, rover)
		if name != "rover" {
			m = preset(t, name)
		}
		var list []string
		for _, c := range m.Commands() {
			list = append(list, c.Name)
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
