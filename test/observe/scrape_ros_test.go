//go:build ros

package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/stall"
)

// scrapedRobot has everything that metrics tell of: checks with a number, a stop input, a node that needs a guard, a
// required peer, and an optional node that fails.
const scrapedRobot = `simulation: scraped
proof: 10s
peers: {required: [/base/rstate]}
stop: {after_gap: clear, inputs: [{topic: /estop}]}
nodes:
  /sensor: {checks: [{topic: /diagnostics, rate: 1Hz}, {file: /nowhere/calibrated}]}
  /wheels: {after: [/sensor], arm: {dead_man: none}}
  /lamp: {optional: true}
`

// TestTheDashboardShowsARealScrape: Prometheus of Debian scrapes two daemons. Then each expression of the dashboard has
// data, and the alerts that should fire do.
func TestTheDashboardShowsARealScrape(t *testing.T) {
	prometheus := ofPrometheus(t, "prometheus")
	home := t.TempDir()
	t.Setenv("ROS_HOME", home)
	file := filepath.Join(home, "scraped.yaml")
	if err := os.WriteFile(file, []byte(scrapedRobot), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "config/demo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	patient := filepath.Join(home, "demo.yaml") // for a machine that is busy with other tests
	if err := os.WriteFile(patient, append([]byte("proof: 10s\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	lidar := start(t, home, "lidar", "node", "/lidar")
	start(t, home, "nodes", "node", "/slam", "/camera", "/arm_driver", "--arm")
	start(t, home, "other nodes", "node", "/sensor", "/wheels", "--arm")
	start(t, home, "lamp", "node", "/lamp", "--fail", "activate")
	demo := start(t, home, "demo", "run", patient, "--http", "0")
	other := start(t, home, "other", "run", file, "--http", "0", "--ros-args", "-r", "__node:=other")

	rules, err := filepath.Abs(filepath.Join(root, "packaging/prometheus/rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%s]\nscrape_configs:\n"+
		"  - job_name: rstate\n    static_configs: [{targets: [%q, %q]}]\n", rules,
		strings.TrimPrefix(daemon.AddressOf(t, demo), "http://"), strings.TrimPrefix(daemon.AddressOf(t, other), "http://"))
	if err := os.WriteFile(filepath.Join(home, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	bed.StartCommand(t, "prometheus", bed.Command{Args: []string{prometheus, "--config.file", filepath.Join(home, "prometheus.yml"),
		"--storage.tsdb.path", filepath.Join(home, "tsdb"), "--web.listen-address", address}})

	for _, node := range []string{"/rstate", "/other"} {
		says(t, "watch", "--wait", "--until", "unconfigured", "--for", "30s", "--node", node)
		says(t, "send", "active", "--node", node)
	}
	stood := stall.Count(demo.Log())
	says(t, "send", "arm", "--node", "/rstate")
	if exec.CommandContext(t.Context(), binary, "send", "nonsense", "--node", "/rstate").Run() == nil {
		t.Fatal("a command that no machine has was accepted")
	}
	sees := func(expr string) {
		t.Helper()
		bed.Eventually(t, "Prometheus finds "+expr, func() (string, bool) {
			found, err := query(address, expr)
			return fmt.Sprint(found, " ", err), err == nil && found > 0
		})
	}
	for _, expr := range []string{`rstate_lease_age_seconds`, `rstate_node_armed{node="/arm_driver"} == 1`} {
		bed.Eventually(t, "Prometheus finds "+expr, func() (string, bool) {
			if n := stall.Count(demo.Log()); n > stood { // which has disarmed
				stood = n
				says(t, "send", "armed", "--node", "/rstate")
			}
			found, err := query(address, expr)
			return fmt.Sprint(found, " ", err), err == nil && found > 0
		})
	}
	sees(`rstate_check_value > 0.5`)
	lidar.Kill()
	sees(`rstate_node_losses_total{node="/lidar"} == 1`)
	sees(`ALERTS{alertname="RstateNodeLost", alertstate="firing", node="/lidar"}`)
	if n, err := query(address, `ALERTS{alertname="RstateArmedWithoutGuard"}`); err != nil || n != 0 {
		t.Errorf("%d alerts of a node without a guard, though none was armed; %v", n, err)
	}

	variables := strings.NewReplacer("$job", "rstate", "$instance", ".*", "$simulation", ".*", "$__rate_interval", "10s",
		"$__range", "5m")
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			expr := variables.Replace(target.Expr)
			if !target.Instant { // a curve, of which Prometheus has the past
				expr = "last_over_time((" + expr + ")[5m:1s])"
			}
			sees(expr)
		}
	}
}

// query returns how many series an expression has now.
func query(address, expr string) (int, error) {
	resp, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var answer struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Status != "success" {
		return 0, fmt.Errorf("%s: %s, %w", expr, answer.Error, err)
	}
	return len(answer.Data.Result), nil
}

// freeAddress returns an address of this host that is free now: Prometheus does not tell which port it has chosen.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
