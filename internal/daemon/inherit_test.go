package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/journal"
	"rstate/internal/network"
)

// TestS2RestartWithAnotherFile: the journal's last state counts only if it has the same meaning.
// Nodes that may be armed by the journal, and that the file does not arm by the same call, are left
// over.
func TestS2RestartWithAnotherFile(t *testing.T) {
	parse := func(text string) *network.Network {
		t.Helper()
		net, err := network.Parse("net.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	const file = "simulation: demo\nnodes: {/a: {}, /b: {after: [/a], arm: {}}}\n"
	old := parse(file)
	armed := []journal.MayArmed{{Node: "/b", Service: "/b/arm", Type: "std_srvs/srv/SetBool", Lease: true,
		Proof: 30 * time.Second, Open: true}}
	was := journal.Past{State: "active", Network: old.Fingerprint(),
		Start: journal.Line{Simulation: old.Simulation, Machine: old.Machine.Hash()}, Armed: armed}
	for _, c := range []struct {
		name, file string
		past       func(*journal.Past)
		last, why  string
		left       []string
	}{
		{name: "the same", file: file, last: "active"},
		{name: "in another order, with other deadlines and policies",
			file: "simulation: demo\ndefaults: {on_loss: restore, deadline: {configure: 3s}}\nnodes: {/b: {arm: {}}, /a: {}}\n", last: "active"},
		{name: "another simulation", file: strings.Replace(file, "demo", "other", 1),
			why: "it is of simulation demo, and the network file says other"},
		{name: "another machine", file: "machine: {extends: rstate, repeat: ignore}\n" + file,
			why: "it is of another machine"},
		{name: "a node more", file: strings.Replace(file, "/a: {}", "/a: {}, /c: {}", 1), why: "has other nodes now"},
		{name: "a node less", file: strings.Replace(file, "{/a: {}, /b: {after: [/a], ", "{/b: {", 1),
			why: "has other nodes now"},
		{name: "the armed node is another's", file: strings.ReplaceAll(file, "/b", "/c"), why: "has other nodes now",
			left: []string{"/b /b/arm true"}},
		{name: "the armed node is not armed any more", file: strings.Replace(file, ", arm: {}", "", 1),
			why: "its states want something else", left: []string{"/b /b/arm true"}},
		{name: "the armed node is armed by another call",
			file: strings.Replace(file, "arm: {}", "arm: {service: /b/power}", 1), last: "active",
			left: []string{"/b /b/arm true"}},
		{name: "the journal ends on the way", file: strings.ReplaceAll(file, "/b", "/c"),
			past: func(p *journal.Past) { p.State = "" }, left: []string{"/b /b/arm true"}},
		{name: "a former version, the same file", file: file,
			past: func(p *journal.Past) { p.Network, p.Armed[0].Guessed = "", true },
			why:  "did not record the network file"},
		{
			name: "a former version, another file", file: strings.ReplaceAll(file, "/b", "/c"),
			past: func(p *journal.Past) { p.Network, p.Armed[0].Guessed = "", true },
			why:  "did not record the network file", left: []string{"/b /b/arm true"},
		},
		{name: "no journal", file: file, past: func(p *journal.Past) { *p = journal.Past{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			past := was
			past.Armed = slices.Clone(armed)
			past.Whole, past.Ordered = true, []journal.Ordered{{Instance: "1", N: 2}}
			if c.past != nil {
				c.past(&past)
			}
			opt := inherit(past, parse(c.file), engine.Options{})
			for _, l := range opt.Leftovers {
				if l.Proof != past.Armed[0].Proof || l.Open != past.Armed[0].Open {
					t.Errorf("what is left over is %+v", l)
				}
			}
			if c.name != "no journal" && (len(opt.Ordered) != 1 || opt.Ordered[0].Instance != "1" ||
				opt.Ordered[0].N != 2) {
				t.Errorf("the orders of runs before are %v", opt.Ordered)
			}
			var left []string
			for _, l := range opt.Leftovers {
				left = append(left, fmt.Sprintf("%s %s %v", l.Node, l.Service, l.Lease))
			}
			if opt.Last != c.last || (c.why == "") != (opt.NotLast == "") || !strings.Contains(opt.NotLast, c.why) ||
				!slices.Equal(left, c.left) {
				t.Errorf("got  %q, because %q; left %q\nwant %q, because %q; left %q", opt.Last, opt.NotLast, left,
					c.last, c.why, c.left)
			}
		})
	}
}
