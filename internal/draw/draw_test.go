package draw

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rstate/internal/machine"
	"rstate/internal/network"
)

var update = flag.Bool("update", false, "write the golden files anew")

// columns is the default width of a terminal.
const columns = 80

// wide returns a network whose nodes all depend on one node, and some on each other.
func wide() string {
	var b strings.Builder
	b.WriteString("simulation: wide\nnodes:\n  /hub: {}\n")
	for i := range 60 {
		after := "/hub"
		for k := 1; k <= i%7; k++ {
			after += fmt.Sprintf(", /robot_%d/sensors/very_long_name_of_a_camera_driver", (i/7)*7+k-1)
		}
		fmt.Fprintf(&b, "  /robot_%d/sensors/very_long_name_of_a_camera_driver: {after: [%s], optional: %v}\n", i,
			after, i%5 == 0)
	}
	return b.String()
}

// deep returns a chain that is too long to indent on any terminal.
func deep() string {
	var b strings.Builder
	b.WriteString("simulation: deep\nnodes:\n  /link_0: {}\n")
	for i := range 30 {
		fmt.Fprintf(&b, "  /link_%d: {after: [/link_%d]}\n", i+1, i)
	}
	return b.String()
}

// modes has a machine of its own, groups that overlap, and a node without a lifecycle.
const modes = `
simulation: modes
last_resort: hold
nodes:
  /base: {arm: {}}
  /map: {after: [/base]}
  /plan: {after: [/map, /base], optional: true}
  /clock: {lifecycle: false}
groups: {mapping: [/map, /clock], driving: [/map, /plan]}
extends: rstate
states:
  surveying: {nodes: {mapping: active, others: inactive}}
  preparing_survey: {transition: true}
  driven: {nodes: active, armed: [driving], disarmed: active}
transitions:
  survey: {from: [inactive, active], via: preparing_survey, to: surveying, cancel: origin}
  drive: {from: [active], via: arming, to: driven, cancel: origin}
`

func networks(t *testing.T) map[string]*network.Network {
	t.Helper()
	nets := map[string]*network.Network{}
	for name, file := range map[string]string{"demo": "demo.yaml", "mobile_robot": "mobile_robot.yaml",
		"rocket_stand": "rocket_stand.yaml"} {
		net, err := network.Load(filepath.Join("../../config", file))
		if err != nil {
			t.Fatal(err)
		}
		nets[name] = net
	}
	for name, text := range map[string]string{"wide": wide(), "deep": deep(), "modes": modes} {
		net, err := network.Parse("test.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		nets[name] = net
	}
	return nets
}

// presets are networks with machines that the daemon does not run yet.
func presets(t *testing.T) map[string]*network.Network {
	t.Helper()
	nets := map[string]*network.Network{}
	for _, name := range []string{"nrp", "rock"} {
		net, err := network.Parse("test.yaml", []byte("simulation: t\nnodes: {/a: {}}"))
		if err != nil {
			t.Fatal(err)
		}
		if net.Machine, err = machine.Preset(name); err != nil {
			t.Fatal(err)
		}
		nets[name] = net
	}
	return nets
}

// TestPictures compares with testdata, where a reader can see the pictures.
func TestPictures(t *testing.T) {
	nets := networks(t)
	maps.Copy(nets, presets(t))
	for name, net := range nets {
		for kind, p := range map[string]Picture{"nodes": OfNodes(net), "machine": OfMachine(net)} {
			if kind == "machine" && slices.Contains([]string{"wide", "deep", "mobile_robot"}, name) {
				continue // it is demo's
			}
			if kind == "nodes" && slices.Contains([]string{"nrp", "rock"}, name) {
				continue // there is one
			}
			for form, got := range map[string]string{"txt": p.Text(columns), "dot": p.Dot(), "mermaid": p.Mermaid()} {
				golden := filepath.Join("testdata", name+"."+kind+"."+form)
				t.Run(filepath.Base(golden), func(t *testing.T) {
					if *update {
						if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					want, err := os.ReadFile(golden)
					if err != nil {
						t.Fatal(err)
					}
					if got != string(want) {
						t.Errorf("the picture is not the one in %s; look at the difference, then run go test -update\n%s", golden, got)
					}
				})
			}
		}
	}
}

func TestTextKeepsToTheWidthAndNamesEveryNode(t *testing.T) {
	for name, net := range networks(t) {
		for _, width := range []int{60, columns, 200} {
			text := OfNodes(net).Text(width)
			for _, l := range strings.Split(text+OfMachine(net).Text(width), "\n") {
				words := strings.Fields(l)
				long := slices.ContainsFunc(words, func(w string) bool { return utf8.RuneCountInString(w) > width/3 })
				if utf8.RuneCountInString(l) > width && !long {
					t.Errorf("%s at %d columns: a line has %d: %s", name, width, utf8.RuneCountInString(l), l)
				}
			}
			for _, n := range net.Nodes {
				if !strings.Contains(text, n.Name) {
					t.Errorf("%s at %d columns does not name %s", name, width, n.Name)
				}
			}
		}
	}
}

func TestTurns(t *testing.T) {
	net := networks(t)["modes"]
	got := map[string]int{}
	for _, n := range OfNodes(net).Nodes {
		got[n.Name] = n.Turn
	}
	for name, want := range map[string]int{"/base": 1, "/map": 2, "/plan": 3, "/clock": 1} {
		if got[name] != want {
			t.Errorf("%s has turn %d, want %d", name, got[name], want)
		}
	}
}
