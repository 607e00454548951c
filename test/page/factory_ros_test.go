//go:build ros

package page

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestRealFactory: five simulations of a factory on one page. A command goes to the one that is shown, and to no other.
func TestRealFactory(t *testing.T) {
	const count = 5
	p := newPlant(t)
	dir := t.TempDir()
	text := "simulation: $(sim)\nproof: 10s\ndefaults: {deadline: {discover: 25s}}\nnodes: {~/arm_$(sim): {arm: {}}}\n"
	if err := os.WriteFile(filepath.Join(dir, "one.yaml"), []byte(p.spell(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	// Simulations of one id are peers, so no other test has these.
	first := 7000
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("arm_%d", first+i))
		p.node(p.host, names[i], bed.NodeSpec{Arm: p.space + "/" + names[i] + "/arm"})
	}
	process := bed.Start(t, "factory", binary, "factory", "--experiments", dir, "--journal", t.TempDir(), "--http", "0",
		"--first-id", fmt.Sprint(first), "--ros-args", "-r", "__ns:="+p.space)
	address := daemon.AddressOf(t, process)
	p.tab = browse(t, strings.TrimPrefix(address, "http://"))
	p.shows("main", "This server has no simulation now.")
	call := func(method, path, body string, want int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != want {
			t.Fatalf("%s %s: %s, want %d", method, path, answer.Status, want)
		}
	}
	for range count {
		call(http.MethodPost, "/simulation", `{"experiment": "one", "owner": "a test"}`, http.StatusCreated)
	}
	p.list("simulations")
	p.until(`document.querySelectorAll(".simulations tbody tr").length === 5`)
	row := func(i int) string { return fmt.Sprintf(".simulations tbody tr:nth-child(%d)", i) }
	p.do(chromedp.Click(row(3) + " a"))
	p.shows("tr", p.space+"/"+names[2])
	p.rests("unconfigured", "as commanded", "intact")
	p.presses("configure")
	p.rests("inactive", "as commanded", "intact")
	p.presses("activate")
	p.rests("active", "as commanded", "intact")
	p.arms()
	p.armed()
	p.shows(row(3), "may be armed")
	for i := 1; i <= count; i++ {
		state := map[bool]string{true: "armed", false: "unconfigured"}[i == 3]
		p.shows(row(i)+" .state-word", state)
	}
	p.wants("unconfigured unconfigured active+armed unconfigured unconfigured", names...)
	p.do(chromedp.Click(row(5) + " a"))
	p.rests("unconfigured", "as commanded", "intact")
	call(http.MethodDelete, fmt.Sprintf("/simulation/%d", first+1), "", http.StatusNoContent)
	p.until(`document.querySelectorAll(".simulations tbody tr").length === 4`)
	p.clean()
}
