package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rstate/internal/lifecycle"
)

func preset(t *testing.T, name string) *Machine {
	t.Helper()
	m, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The commands of each preset, written by hand from its seed: for each state the commands that can start there, each as
// "command → target: what the nodes do". ! marks a command that people and peers cannot give, and (via) the state that
// is shown meanwhile. Whatever is not listed is refused.
var lives = map[string]map[string]string{
	"rstate": {
		"unknown":         "shutdown (shuttingdown) → finalized: as found",
		"unconfigured":    "configure (configuring) → inactive: configure; shutdown (shuttingdown) → finalized: shutdown",
		"inactive":        "cleanup (cleaningup) → unconfigured: cleanup; activate (activating) → active: activate; shutdown (shuttingdown) → finalized: shutdown",
		"active":          "deactivate (deactivating) → inactive: deactivate; arm (arming) → armed: arm; shutdown (shuttingdown) → finalized: shutdown",
		"armed":           "disarm (disarming) → active: disarm; shutdown (shuttingdown) → finalized: disarm shutdown",
		"finalized":       "",
		"configuring":     "",
		"cleaningup":      "",
		"activating":      "",
		"deactivating":    "",
		"arming":          "",
		"disarming":       "",
		"shuttingdown":    "",
		"errorprocessing": "",
	},
	"nrp": {
		"unknown": "!shutdown → stopped: as found",
		"created": "initialized → paused: configure; stopped → stopped: shutdown; failed → failed: shutdown; !shutdown → stopped: shutdown",
		"paused": "started → started: activate; stopped → stopped: shutdown; failed → halted: nothing; " +
			"reset → paused: cleanup configure; !shutdown → stopped: shutdown",
		"started": "paused → paused: deactivate; stopped → stopped: shutdown; failed → halted: deactivate; " +
			"reset → paused: deactivate cleanup configure; !shutdown → stopped: shutdown",
		"halted":  "stopped → failed: shutdown; !shutdown → failed: shutdown",
		"stopped": "",
		"failed":  "",
	},
	"rock": {
		"unknown":        "shutdown → finalized: as found",
		"preoperational": "configure → stopped: configure; exception → exception: nothing; !fatal → fatal: nothing; shutdown → finalized: shutdown",
		"stopped": "start → running: activate; cleanup → preoperational: cleanup; exception → exception: cleanup; " +
			"!fatal → fatal: cleanup nothing; shutdown → finalized: shutdown",
		"running": "stop → stopped: deactivate; exception → exception: deactivate cleanup; !fatal → fatal: deactivate cleanup nothing; " +
			"shutdown → finalized: shutdown",
		"exception": "reset → preoperational: nothing; !fatal → fatal: nothing; shutdown → finalized: shutdown",
		"fatal":     "!restarted → preoperational: as found; shutdown → finalized: as found",
		"finalized": "",
	},
	"cle": {
		"unknown":  "shutdown → released: as found",
		"created":  "initialize → stopped: configure activate; shutdown → released: shutdown",
		"stopped":  "start → running: nothing; run_step → stopping: nothing; reset → stopped: nothing; shutdown → released: shutdown",
		"running":  "stop → stopping: nothing; reset → stopped: nothing; shutdown → released: shutdown",
		"stopping": "!stand → stopped: nothing; reset → stopped: nothing; shutdown → released: shutdown",
		"released": "",
	},
	"roscle": {
		"unknown": "!shutdown → stopped: as found",
		"created": "initialize → initial: configure activate; !shutdown → stopped: shutdown",
		"initial": "start → running: nothing; reset → initial: nothing; stop → stopped: shutdown; !shutdown → stopped: shutdown",
		"paused":  "start → running: nothing; reset → initial: nothing; stop → stopped: shutdown; !shutdown → stopped: shutdown",
		"running": "pause → paused: nothing; reset → initial: nothing; stop → stopped: shutdown; !shutdown → stopped: shutdown",
		"stopped": "",
	},
	"cloe": {
		"unknown": "disconnect (disconnecting) → disconnect: as found",
		"idle":    "connect (connecting) → connect: configure; abort (abort) → disconnect: shutdown; disconnect (disconnecting) → disconnect: shutdown",
		"connect": "start (start) → step: activate; abort (abort) → disconnect: shutdown; disconnect (disconnecting) → disconnect: shutdown",
		"step": "pause (pausing) → pause: nothing; stop (stopping) → stop: deactivate; reset (reset) → step: deactivate activate; " +
			"abort (abort) → stop: deactivate; disconnect (disconnecting) → disconnect: shutdown",
		"pause": "resume (resume) → step: nothing; stop (stopping) → stop: deactivate; reset (reset) → step: deactivate activate; " +
			"abort (abort) → stop: deactivate; disconnect (disconnecting) → disconnect: shutdown",
		"stop":          "disconnect (disconnecting) → disconnect: shutdown",
		"disconnect":    "",
		"connecting":    "",
		"start":         "",
		"pausing":       "",
		"resume":        "",
		"stopping":      "",
		"reset":         "",
		"abort":         "",
		"disconnecting": "",
	},
}

// does says what the nodes do on the way from one state to another.
func does(m *Machine, from, to State) string {
	var words []string
	if from.Armed.Any() && !to.Armed.Any() {
		words = append(words, "disarm")
	}
	switch {
	case to.Nodes.AsIs:
		return "nothing"
	case from.Nodes.Others == lifecycle.Unknown:
		return "as found"
	}
	way, _ := lifecycle.Way(from.Nodes.Others, to.Nodes.Others)
	for _, step := range way {
		words = append(words, step.Label)
	}
	if to.Armed.Any() && !from.Armed.Any() {
		words = append(words, "arm")
	}
	return strings.Join(words, " ")
}

// TestC1EveryCommandOfEveryPreset holds every pair of a state and a command of every preset against the table.
func TestC1EveryCommandOfEveryPreset(t *testing.T) {
	for _, name := range Presets() {
		m, life := preset(t, name), lives[name]
		if len(life) != len(m.States)+1 {
			t.Errorf("the table of %s has %d states, the machine has %d and unknown", name, len(life), len(m.States))
		}
		for state, cells := range life {
			want := map[string]string{}
			for _, cell := range strings.Split(cells, "; ") {
				if command, _, _ := strings.Cut(cell, " "); cell != "" {
					want[strings.Trim(command, "!")] = cell
				}
			}
			for _, tr := range m.Transitions {
				t.Run(name+" "+state+" "+tr.Name, func(t *testing.T) {
					if got := cell(t, m, state, tr); got != want[tr.Name] {
						t.Errorf("does %q, want %q", got, want[tr.Name])
					}
					delete(want, tr.Name)
				})
			}
			for command := range want {
				t.Errorf("%s: there is no command %s", name, command)
			}
		}
	}
}

// cell is what the machine does with a command in a state, as the table writes it; empty: it refuses the command.
func cell(t *testing.T, m *Machine, state string, tr Transition) string {
	t.Helper()
	j := at(t, m, state)
	can := j.Can(tr.Name)
	if listed := slices.Contains(j.Legal(), tr.Name); listed != (can && !tr.Hidden) {
		t.Errorf("listed as legal: %v, although it can start: %v", listed, can)
	}
	if err := j.Begin(tr.Name); (err == nil) != can {
		t.Errorf("begins with %v, although it can start: %v", err, can)
	}
	if !can {
		return ""
	}
	shown := state
	if tr.Via != "" {
		shown = tr.Via
	}
	if j.State() != shown {
		t.Errorf("shows %q while it runs, want %q", j.State(), shown)
	}
	target, ok := m.Target(tr.Name, state)
	if !ok {
		t.Fatal("has no target")
	}
	if err := j.Settle(target); err != nil || j.State() != target {
		t.Errorf("settles in %q with %v", j.State(), err)
	}
	from, _ := m.State(state)
	to, _ := m.State(target)
	how := does(m, from, to)
	if through, ok := m.State(tr.Through); ok {
		how = strings.TrimSpace(does(m, from, through) + " " + does(m, through, to))
	}
	if how == "" {
		how = "nothing"
	}
	mark, via := "", ""
	if tr.Hidden {
		mark = "!"
	}
	if tr.Via != "" {
		via = " (" + tr.Via + ")"
	}
	return fmt.Sprintf("%s%s%s → %s: %s", mark, tr.Name, via, target, how)
}

// What follows a failure: for each preset, "command in origin" and then, by hand from the seeds, where the network
// rests, which command follows, and, after |, the same for a change that was mirrored.
var ends = map[string]map[string]string{
	"rstate": {
		"configure in unconfigured": "restore unconfigured | restore unconfigured",
		"activate in inactive":      "restore inactive | restore inactive",
		"deactivate in active":      "restore active | restore active",
		"arm in active":             "restore active | restore active",
		"disarm in armed":           "restore active | restore active",
	},
	"nrp": {
		"initialized in created": "created, then failed → failed | paused, then failed → halted",
		"started in paused":      "paused, then failed → halted | started, then failed → halted",
		"paused in started":      "started, then failed → halted | paused, then failed → halted",
		"stopped in created":     "created, then failed → failed | stopped",
		"stopped in paused":      "paused, then failed → halted | stopped",
		"stopped in started":     "started, then failed → halted | stopped",
		"reset in paused":        "paused, then failed → halted | paused, then failed → halted",
		"reset in started":       "started, then failed → halted | paused, then failed → halted",
	},
	"rock": {
		"configure in preoperational": "stay preoperational | stay preoperational",
		"start in stopped":            "stay stopped | stay stopped",
		"stop in running":             "running, then exception → exception | running, then exception → exception",
		"cleanup in stopped":          "stopped, then exception → exception | stopped, then exception → exception",
		"exception in running":        "running, then fatal → fatal | running, then fatal → fatal",
		"exception in stopped":        "stopped, then fatal → fatal | stopped, then fatal → fatal",
		"reset in exception":          "stay exception | stay exception",
		"restarted in fatal":          "stay fatal | stay fatal",
	},
}

func TestF1FailuresOfPresets(t *testing.T) {
	for name, cases := range ends {
		m := preset(t, name)
		word := func(f Failed) string {
			switch f.Does {
			case Restore, Stay:
				if !f.Rungs || !f.Upward || f.Then != "" {
					t.Errorf("%s: %+v rolls nothing back", name, f)
				}
				return string(f.Does) + " " + f.Rest
			}
			if f.Rungs {
				t.Errorf("%s: %+v takes the rungs, although a command follows", name, f)
			}
			if f.Then == "" {
				return f.Rest
			}
			to, _ := m.Target(f.Then, f.Rest)
			return fmt.Sprintf("%s, then %s → %s", f.Rest, f.Then, to)
		}
		for at, want := range cases {
			command, origin, _ := strings.Cut(at, " in ")
			for _, v := range []Verdict{Refusal, Error} {
				got := word(m.OnFailure(command, origin, v)) + " | " + word(m.OnMirroredFailure(command, origin, v))
				if got != want {
					t.Errorf("%s: after a %s of %s: %s, want %s", name, v, at, got, want)
				}
			}
		}
	}
}

// If the command that follows lowers, the rollback before it raises no node.
func TestF1RollbackBeforeALoweringRaisesNothing(t *testing.T) {
	m := preset(t, "nrp")
	for at, upward := range map[string]bool{
		"initialized in created": false, // failed ends the network
		"paused in started":      false, // failed deactivates
		"started in paused":      true,  // halted has the same nodes
	} {
		command, origin, _ := strings.Cut(at, " in ")
		if got := m.OnFailure(command, origin, Error).Upward; got != upward {
			t.Errorf("%s: the rollback raises: %v", at, got)
		}
	}
	if f := m.OnMirroredFailure("started", "paused", Error); f.Upward {
		t.Error("a mirrored change that failed raises nodes")
	}
}

func TestPreemptionInPresets(t *testing.T) {
	for _, c := range []struct {
		preset, command, running, origin string
		want                             bool
	}{
		{"rstate", "shutdown", "activate", "inactive", true},
		{"rstate", "shutdown", "disarm", "armed", true},
		{"rstate", "shutdown", "shutdown", "active", false},
		{"rstate", "deactivate", "activate", "inactive", false},
		{"nrp", "failed", "initialized", "created", true},
		{"nrp", "failed", "started", "paused", true},
		{"nrp", "failed", "paused", "started", true},
		{"nrp", "failed", "reset", "paused", true},
		{"nrp", "failed", "stopped", "started", false}, // it goes lower
		{"nrp", "failed", "stopped", "halted", false},  // it goes there
		{"nrp", "failed", "shutdown", "started", false},
		{"nrp", "failed", "failed", "started", false},
		{"nrp", "started", "paused", "started", false},
		{"nrp", "shutdown", "failed", "started", true},
		{"rock", "exception", "start", "stopped", true},
		{"rock", "exception", "stop", "running", true},
		{"nrp", "failed", "stopped", "created", true}, // both end, and the failure counts
		{"rock", "exception", "cleanup", "stopped", true},
		{"rock", "fatal", "exception", "running", true},
		{"rock", "exception", "fatal", "running", false},
		{"rock", "exception", "shutdown", "running", false},
		{"rock", "nothing", "start", "stopped", false},
	} {
		if got := preset(t, c.preset).Interrupts(c.command, c.running, c.origin); got != c.want {
			t.Errorf("%s: %s interrupts %s from %s: %v", c.preset, c.command, c.running, c.origin, got)
		}
	}
}

// What a preset says beside its states and commands.
func TestPresetsInWords(t *testing.T) {
	for name, want := range map[string]string{
		"rstate": "begins in unconfigured, rejects repeats, ends in finalized=0, arrives with shutdown, spreads nothing, " +
			"roles configure=configure cleanup=cleanup activate=activate deactivate=deactivate arm=arm disarm=disarm shutdown=shutdown",
		"nrp": "begins in created, ignores repeats, ends in stopped=0 failed=1, arrives with stopped@halted failed shutdown, spreads failed, " +
			"roles configure=initialized activate=started deactivate=paused shutdown=stopped",
		"rock": "begins in preoperational, rejects repeats, ends in finalized=0, arrives with fatal shutdown, spreads nothing, " +
			"roles configure=configure cleanup=cleanup activate=start deactivate=stop shutdown=shutdown",
	} {
		m := preset(t, name)
		var final, arrives, spreads, has []string
		for _, s := range m.States {
			if s.Final {
				final = append(final, fmt.Sprintf("%s=%d", s.Name, s.Exit))
			}
		}
		for _, tr := range m.Transitions {
			var from []string
			all := true
			for _, s := range m.States {
				if s.Final || s.Passing || !tr.applies(s) {
					continue
				}
				if m.Arrives(tr.Name, s.Name) {
					from = append(from, s.Name)
				} else {
					all = false
				}
			}
			switch {
			case all:
				arrives = append(arrives, tr.Name)
			case len(from) > 0:
				arrives = append(arrives, tr.Name+"@"+strings.Join(from, "+"))
			}
			if tr.Spread == SpreadAll {
				spreads = append(spreads, tr.Name)
			}
		}
		if spreads == nil {
			spreads = []string{"nothing"}
		}
		for _, r := range roles {
			if tr, ok := m.ByRole(r); ok {
				has = append(has, fmt.Sprintf("%s=%s", r, tr.Name))
			}
		}
		got := fmt.Sprintf("begins in %s, %ss repeats, ends in %s, arrives with %s, spreads %s, roles %s", m.Initial,
			m.Repeat,
			strings.Join(final, " "), strings.Join(arrives, " "), strings.Join(spreads, " "), strings.Join(has, " "))
		if got != want {
			t.Errorf("%s %s\nwant %s", name, got, want)
		}
	}
}

func TestReactionsOfRock(t *testing.T) {
	m := preset(t, "rock")
	for _, c := range []struct {
		state string
		event Event
		do    string
	}{
		{"preoperational", NodeError, "exception"},
		{"stopped", NodeError, "exception"},
		{"running", NodeError, "exception"},
		{"exception", NodeError, ""},
		{"fatal", NodeError, ""},
		{"finalized", NodeError, ""},
		{"preoperational", NodeFatal, "fatal"},
		{"exception", NodeFatal, "fatal"},
		{"running", NodeFatal, "fatal"},
		{"fatal", NodeFatal, ""},
		{"fatal", NodeReborn, "restarted"},
		{"running", NodeReborn, ""},
		{"running", Settled, ""},
	} {
		got := ""
		if autos := m.Autos(c.state, On{Event: c.event}, "/slam"); len(autos) > 0 {
			got = autos[0].Do
		}
		if got != c.do {
			t.Errorf("in %s on %s: %q, want %q", c.state, c.event, got, c.do)
		}
	}
}

// Paths of a goal that names a state never take a hidden command or a loop.
func TestC5PathsOfPresets(t *testing.T) {
	for _, c := range []struct{ preset, from, to, path string }{ // "-" where there is none
		{"nrp", "created", "started", "initialized started"},
		{"nrp", "started", "created", "-"},
		{"nrp", "started", "stopped", "stopped"},
		{"nrp", "halted", "failed", "stopped"},
		{"nrp", "halted", "stopped", "-"},
		{"nrp", "started", "halted", "failed"},
		{"nrp", "created", "halted", "initialized failed"},
		{"nrp", "halted", "paused", "-"},
		{"rock", "preoperational", "running", "configure start"},
		{"rock", "running", "preoperational", "stop cleanup"},
		{"rock", "exception", "running", "reset configure start"},
		{"rock", "running", "exception", "exception"},
		{"rock", "running", "fatal", "-"},
		{"rock", "fatal", "preoperational", "-"},
		{"rock", "fatal", "finalized", "shutdown"},
	} {
		path, ok := preset(t, c.preset).Path(c.from, c.to)
		got := strings.Join(path, " ")
		if !ok {
			got = "-"
		}
		if got != c.path {
			t.Errorf("%s: the path from %s to %s is %q, want %q", c.preset, c.from, c.to, got, c.path)
		}
	}
}

// No client can name a hidden command.
func TestHiddenCommandsHaveNoName(t *testing.T) {
	for preset_, words := range map[string][2]string{"nrp": {"shutdown", "stopped"}, "rock": {"restarted", "reset"}} {
		m := preset(t, preset_)
		if name, _, ok := m.Command(Word(words[0])); ok {
			t.Errorf("%s: %s is read as %s", preset_, words[0], name)
		}
		if name, isState, ok := m.Command(Word(words[1])); name != words[1] || isState || !ok {
			t.Errorf("%s: %s is read as %q", preset_, words[1], name)
		}
	}
	if name, isState, ok := preset(t, "rock").Command("fatal"); !ok || !isState {
		t.Errorf("the state fatal is read as %q, state %v", name, isState)
	}
}

// States from low to high, as their seeds list what they allow.
func TestOrderOfPresetStates(t *testing.T) {
	for name, order := range map[string]string{
		"nrp":  "stopped failed created halted paused started",
		"rock": "finalized fatal preoperational exception stopped running",
	} {
		m, states := preset(t, name), strings.Fields(order)
		for i, a := range states {
			for k, b := range states {
				if got := m.Lower(a, b); got != states[min(i, k)] {
					t.Errorf("%s: of %s and %s the lower is %s", name, a, b, got)
				}
			}
		}
	}
}

// A start never concludes that the network is armed, fatal or at an end.
func TestWhatAStartCanTake(t *testing.T) {
	for name, want := range map[string]string{
		"rstate": "unconfigured inactive active",
		"nrp":    "created halted paused started",
		"rock":   "preoperational exception stopped running",
	} {
		var got []string
		for _, s := range preset(t, name).States {
			if s.Adoptable() {
				got = append(got, s.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: a start can take %v, want %s", name, got, want)
		}
	}
}

// TestWordsUp: each of these words is legal in turn, from the beginning on.
func TestWordsUp(t *testing.T) {
	for preset, want := range map[string]string{
		"rstate": "active", "nrp": "initialized started", "rock": "running", "cle": "stopped", "roscle": "initial",
		"cloe": "connect",
	} {
		m, err := Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		words := m.WordsUp(m.Initial)
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: %s, want %s", preset, got, want)
		}
		at := m.Initial
		for _, word := range words {
			name, isState, _ := m.Command(Word(word))
			judge := m.Start()
			if err := judge.Settle(at); err != nil {
				t.Fatal(err)
			}
			if _, leads := m.Path(at, name); isState && leads {
				at = name
			} else if at = m.Leaving(name, at).To; isState || !judge.Can(name) {
				t.Errorf("%s: %s is not legal", preset, word)
			}
		}
	}
}
