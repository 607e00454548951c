package observe

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"rstate/internal/httpapi"
)

// robot is a process with one simulation, of which everything is known that metrics tell.
type robot struct {
	httpapi.Simulations // the other methods are not called
}

func (robot) List() []httpapi.Summary { return []httpapi.Summary{known().Summary} }

func (robot) Get(string) (httpapi.Simulation, error) { return known(), nil }

func (robot) Figures(string) (httpapi.Figures, error) {
	var took httpapi.Durations
	took.Add(time.Second)
	return httpapi.Figures{
		Steps:       map[httpapi.NodeStep]httpapi.Durations{{Node: "/arm", Step: "configure", Verdict: "done"}: took},
		Transitions: map[httpapi.Transition]httpapi.Durations{{Command: "arm", Result: httpapi.Reached}: took},
		Goals:       map[string]uint64{"done": 1}, Lag: took,
	}, nil
}

func known() httpapi.Simulation {
	number := 1.5
	return httpapi.Simulation{
		Summary: httpapi.Summary{ID: "demo", Machine: "rstate", State: "armed"}, Readiness: "armed",
		Nodes:  httpapi.List[httpapi.Node]{{Name: "/arm", Lifecycle: true, State: "active", Armable: true, DeadMan: "none"}},
		Checks: httpapi.List[httpapi.Check]{{Name: "/arm", Subject: "/scan", Kind: "rate", Known: true, Number: &number}},
		Stops:  &httpapi.Stops{Inputs: httpapi.List[httpapi.StopInput]{{Topic: "/estop", Kind: "clear"}}},
		Peers:  httpapi.List[httpapi.Peer]{{Name: "/base/rstate", Required: true}}, Lease: &httpapi.Lease{},
	}
}

var (
	series = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? `)
	label  = regexp.MustCompile(`([a-z_]+)="`)
	// used is a metric in an expression, with its selector.
	used = regexp.MustCompile(`\b((?:rstate|process|go)_[a-z_]+|up)\b(?:\{([^}]*)\})?`)
	// by is a list of labels in an expression.
	by = regexp.MustCompile(`\b(?:by|on|without|ignoring) \(([a-z_, ]*)\)`)
	// chosen is a label in a selector.
	chosen = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	// legend is a label in the legend of a panel, or in the text of an alert.
	legend = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}`)
)

// scraped returns the labels of each series that /metrics gives, and those that Prometheus adds.
func scraped(t *testing.T) map[string][]string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil)
	httpapi.New(httpapi.Config{Simulations: robot{}, Version: "1"}).ServeHTTP(w, r)
	all := map[string][]string{"up": {"job", "instance"}}
	for _, m := range series.FindAllStringSubmatch(w.Body.String(), -1) {
		all[m[1]] = []string{"job", "instance"}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			all[m[1]] = append(all[m[1]], l[1])
		}
	}
	if w.Code != 200 || len(all) < 40 {
		t.Fatalf("%d: %d series in %s", w.Code, len(all), w.Body)
	}
	return all
}

// judge checks an expression, and the labels that a text about its result names.
func judge(t *testing.T, where, expr, text string, all map[string][]string) {
	t.Helper()
	var labels []string
	for _, m := range used.FindAllStringSubmatch(expr, -1) {
		have, ok := all[m[1]]
		if !ok {
			t.Errorf("%s: /metrics has no %s", where, m[1])
			continue
		}
		labels = append(labels, have...)
		for _, l := range chosen.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(have, l[1]) {
				t.Errorf("%s: %s has no label %s, only %v", where, m[1], l[1], have)
			}
		}
	}
	if len(labels) == 0 {
		t.Errorf("%s: %q has no metric", where, expr)
	}
	names := legend.FindAllStringSubmatch(text, -1)
	for _, m := range by.FindAllStringSubmatch(expr, -1) {
		for _, l := range strings.Split(m[1], ",") {
			names = append(names, []string{"", strings.TrimSpace(l)})
		}
	}
	for _, m := range names {
		if !slices.Contains(labels, m[1]) {
			t.Errorf("%s: no metric of %q has the label %s", where, expr, m[1])
		}
	}
}

// dashboard is a dashboard of Grafana.
type dashboard struct {
	UID        string
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
	Panels []panel
}

type panel struct {
	ID      int
	Type    string
	Title   string
	GridPos struct{ X, Y, W, H int }
	Targets []struct {
		Expr         string
		LegendFormat string
		Instant      bool
		Datasource   struct{ UID string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal(read(t, "grafana/rstate.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

var labelValues = regexp.MustCompile(`^label_values\((.*), ([a-z_]+)\)$`)

// TestTheDashboardAsksForWhatMetricsGive: each name and label of its expressions is one of /metrics, each panel asks the
// data source that the person chooses, and no panel covers another one. A panel that shows the present asks for it.
func TestTheDashboardAsksForWhatMetricsGive(t *testing.T) {
	all, d := scraped(t), readDashboard(t)
	variables := map[string]bool{"__rate_interval": true, "__range": true}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
		if v.Type != "query" {
			continue
		}
		m := labelValues.FindStringSubmatch(v.Definition)
		if m == nil {
			t.Errorf("the variable %s asks %q", v.Name, v.Definition)
			continue
		}
		judge(t, "the variable "+v.Name, m[1], "{{"+m[2]+"}}", all)
	}
	variable := regexp.MustCompile(`\$([a-z_]+)`)
	for k, p := range d.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			judge(t, p.Title, target.Expr, target.LegendFormat, all)
			// A range would give such a panel the last value of a daemon that is down.
			if now := slices.Contains([]string{"stat", "table", "bargauge"}, p.Type); target.Instant != now {
				t.Errorf("%s is a %s, and its query is instant: %t", p.Title, p.Type, target.Instant)
			}
			if target.Datasource.UID != "${datasource}" {
				t.Errorf("%s asks the data source %q", p.Title, target.Datasource.UID)
			}
			for _, m := range variable.FindAllStringSubmatch(target.Expr, -1) {
				if !variables[m[1]] {
					t.Errorf("%s: there is no variable %s", p.Title, m[1])
				}
			}
		}
		for _, o := range d.Panels[:k] {
			a, b := p.GridPos, o.GridPos
			if p.ID == o.ID || a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%s and %s are at one place, or have one id", p.Title, o.Title)
			}
		}
	}
	if len(d.Panels) < 20 || d.UID == "" {
		t.Errorf("%d panels, uid %q", len(d.Panels), d.UID)
	}
}

// TestTheAlertsAskForWhatMetricsGive: so that a metric that is renamed does not silence an alert.
func TestTheAlertsAskForWhatMetricsGive(t *testing.T) {
	all := scraped(t)
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(read(t, "prometheus/rules.yml"), &rules); err != nil {
		t.Fatal(err)
	}
	tests := string(read(t, "prometheus/rules_test.yml"))
	for _, r := range rules.Groups[0].Rules {
		judge(t, r.Alert, r.Expr, r.Annotations["summary"]+r.Annotations["description"], all)
		if r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("%s does not say how bad it is, what happens, and what to do", r.Alert)
		}
		if !strings.Contains(tests, r.Alert) {
			t.Errorf("rules_test.yml does not test %s", r.Alert)
		}
	}
	if n := len(rules.Groups[0].Rules); n < 5 {
		t.Errorf("%d alerts", n)
	}
}

// ofPrometheus returns a program of Prometheus, which setup fetches where it is not installed, or leaves the test out.
func ofPrometheus(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	fetched := filepath.Join(root, ".ros/prometheus")
	path, err := filepath.Abs(filepath.Join(fetched, "usr/bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		why, _ := os.ReadFile(filepath.Join(fetched, "absent"))
		t.Skipf("left out: there is no %s; `go run ./setup prometheus` fetches it; %s", name, why)
	}
	return path
}

// TestPromtoolAcceptsTheAlerts: with the tests of the rules.
func TestPromtoolAcceptsTheAlerts(t *testing.T) {
	promtool := ofPrometheus(t, "promtool")
	for _, args := range [][]string{{"check", "config", "prometheus.yml"}, {"check", "rules", "rules.yml"},
		{"test", "rules", "rules_test.yml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = filepath.Join(root, "packaging/prometheus")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestThePageListsEveryMetric: docs/observe.md has a row for each, with its labels.
func TestThePageListsEveryMetric(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/observe.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, at := string(page), 0
	for _, m := range httpapi.Metrics {
		row := "| `" + m.Name + "` | " + m.Type + " | " + strings.Join(m.Labels[1:], ", ") + " | " + m.Help + " |\n"
		k := strings.Index(rows[at:], row)
		if k < 0 {
			t.Errorf("docs/observe.md does not have, or not in this order:\n%s", row)
			continue
		}
		at += k + len(row)
	}
	if n := strings.Count(rows, "\n| `rstate_"); n != len(httpapi.Metrics) {
		t.Errorf("docs/observe.md has %d rows, and there are %d metrics", n, len(httpapi.Metrics))
	}
}
