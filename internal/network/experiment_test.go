package network

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnExperimentIsReadForEachSimulation: the id takes the place of $(sim) in names, and an id of the file's own is a
// fault.
func TestAnExperimentIsReadForEachSimulation(t *testing.T) {
	write := func(text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("simulation: $(sim)\nmachine: nrp\nnodes: {/w_$(sim): {}, /sim_$(sim)/e: {after: [/w_$(sim)]}}\n")
	for id, load := range map[string]func() (*Network, error){
		"7": func() (*Network, error) { return LoadAs(path, "7") },
		"0": func() (*Network, error) { return Load(path) },
	} {
		net, err := load()
		if err != nil {
			t.Fatal(err)
		}
		got := []string{net.Simulation, net.Topic, net.Nodes[0].Name, net.Nodes[1].Name, net.Nodes[1].After[0]}
		want := []string{id, "/ros_cle_simulation/sim_" + id + "/lifecycle", "/w_" + id, "/sim_" + id + "/e",
			"/w_" + id}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	if _, err := LoadAs(write("simulation: lab\nnodes: {/a: {}}\n"), "7"); err == nil ||
		!strings.Contains(err.Error(), ":1:13: simulation: gives all") {
		t.Errorf("a fixed id is taken: %v", err)
	}
}
