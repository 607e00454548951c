package observe

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// read reads a file of packaging.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "packaging", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// policy is a policy file of SROS2, by the elements that its schema has. Anything else in it is in Rest.
type policy struct {
	Version  string `xml:"version,attr"`
	Enclaves []struct {
		Path     string    `xml:"path,attr"`
		Profiles []profile `xml:"profiles>profile"`
		Rest     []other   `xml:",any"`
	} `xml:"enclaves>enclave"`
	Rest []other `xml:",any"`
}

type profile struct {
	NS       string       `xml:"ns,attr"`
	Node     string       `xml:"node,attr"`
	Topics   []expression `xml:"topics"`
	Services []expression `xml:"services"`
	Actions  []expression `xml:"actions"`
	Rest     []other      `xml:",any"`
}

type expression struct {
	Rules    []xml.Attr `xml:",any,attr"`
	Topics   []string   `xml:"topic"`
	Services []string   `xml:"service"`
	Actions  []string   `xml:"action"`
	Rest     []other    `xml:",any"`
}

type other struct{ XMLName xml.Name }

// readPolicy returns what each enclave may do: names by publish, subscribe, reply, request, execute and call. It checks
// the file against the schema of sros2 on the way.
func readPolicy(t *testing.T) map[string]map[string][]string {
	t.Helper()
	var p policy
	if err := xml.Unmarshal(read(t, "sros2/policy.xml"), &p); err != nil {
		t.Fatal(err)
	}
	if p.Version != "0.2.0" || len(p.Rest) > 0 || len(p.Enclaves) == 0 {
		t.Fatalf("version %q, %d enclaves, and beside them %v", p.Version, len(p.Enclaves), p.Rest)
	}
	all := map[string]map[string][]string{}
	for _, e := range p.Enclaves {
		may := map[string][]string{}
		if all[e.Path] = may; len(e.Rest) > 0 || len(e.Profiles) == 0 {
			t.Fatalf("enclave %s has %d profiles, and %v", e.Path, len(e.Profiles), e.Rest)
		}
		for _, of := range e.Profiles {
			if len(of.Rest) > 0 || !strings.HasPrefix(of.NS, "/") || of.Node == "" {
				t.Errorf("a profile of %s: namespace %q, node %q, and %v", e.Path, of.NS, of.Node, of.Rest)
			}
			allow(t, may, of, of.Topics, []string{"publish", "subscribe"})
			allow(t, may, of, of.Services, []string{"reply", "request"})
			allow(t, may, of, of.Actions, []string{"execute", "call"})
		}
	}
	return all
}

// allow adds what a profile allows by expressions of one kind, which have these rules.
func allow(t *testing.T, may map[string][]string, of profile, list []expression, rules []string) {
	t.Helper()
	for _, e := range list {
		names := slices.Concat(e.Topics, e.Services, e.Actions)
		if len(e.Rest) > 0 || len(names) == 0 || len(e.Rules) == 0 {
			t.Errorf("an expression of %s has %d names, %d rules, and %v", of.Node, len(names), len(e.Rules), e.Rest)
		}
		for _, rule := range e.Rules {
			if !slices.Contains(rules, rule.Name.Local) || rule.Value != "ALLOW" {
				t.Errorf("an expression of %s says %s=%q", of.Node, rule.Name.Local, rule.Value)
			}
			for _, name := range names {
				if rest, own := strings.CutPrefix(name, "~"); own {
					name = strings.TrimSuffix(of.NS, "/") + "/" + of.Node + rest
				}
				if may[rule.Name.Local] = append(may[rule.Name.Local], name); !strings.HasPrefix(name, "/") {
					t.Errorf("%s is no whole name", name)
				}
			}
		}
	}
}

// layout is a layout of Foxglove: panels by id, and where they are.
type layout struct {
	ConfigByID map[string]struct {
		TopicPath     string `json:"topicPath"`
		TopicToRender string `json:"topicToRender"`
		Paths         []struct{ Value string }
	} `json:"configById"`
	Layout json.RawMessage
}

// kinds are the types of the topics that the layout shows.
var kinds = map[string]string{
	"/rstate/state": "rstate_msgs/msg/InstanceState", "/rstate/arm_lease": "rstate_msgs/msg/ArmLease",
	"/diagnostics": "diagnostic_msgs/msg/DiagnosticArray", "/rosout": "rcl_interfaces/msg/Log",
	"/simulation/demo/lifecycle": "rstate_msgs/msg/NetworkState",
}

func readLayout(t *testing.T) (l layout) {
	t.Helper()
	if err := json.Unmarshal(read(t, "foxglove/rstate.json"), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// paths returns the message paths of the layout.
func (l *layout) paths() (list []string) {
	for _, p := range l.ConfigByID {
		for _, one := range append([]string{p.TopicPath, p.TopicToRender}, values(p.Paths)...) {
			if one != "" {
				list = append(list, one)
			}
		}
	}
	slices.Sort(list)
	return list
}

func values(paths []struct{ Value string }) (list []string) {
	for _, p := range paths {
		list = append(list, p.Value)
	}
	return list
}

// layoutTopics returns the topics that the layout shows, with their types.
func layoutTopics(t *testing.T) map[string]string {
	t.Helper()
	l, topics := readLayout(t), map[string]string{}
	for _, p := range l.paths() {
		topic, _, _ := strings.Cut(p, ".")
		if topics[topic] = kinds[topic]; topics[topic] == "" {
			t.Errorf("the type of %s is not in this test", topic)
		}
	}
	return topics
}

var (
	panelID = regexp.MustCompile(`"([A-Za-z]+![a-z]+)"`)
	index   = regexp.MustCompile(`\[\d+\]`)
	field   = regexp.MustCompile(`(?m)^([A-Za-z_/0-9]+)(?:\[\])? ([a-z_0-9]+)\s*$`)
)

// TestTheLayoutOfFoxglove: each panel is placed once, and each path leads to a field that the message has.
func TestTheLayoutOfFoxglove(t *testing.T) {
	l := readLayout(t)
	var placed []string
	for _, m := range panelID.FindAllStringSubmatch(string(l.Layout), -1) {
		placed = append(placed, m[1])
	}
	var panels []string
	for id := range l.ConfigByID {
		panels = append(panels, id)
	}
	slices.Sort(placed)
	slices.Sort(panels)
	if !slices.Equal(placed, panels) || len(panels) < 5 {
		t.Errorf("panels %v, placed %v", panels, placed)
	}
	topics := layoutTopics(t)
	for _, p := range l.paths() {
		topic, fields, ok := strings.Cut(index.ReplaceAllString(p, ""), ".")
		kind := topics[topic]
		for ok {
			name, rest, more := strings.Cut(fields, ".")
			next := fieldsOf(t, kind)[name]
			if next == "" {
				t.Errorf("%s: %s has no field %s", p, kind, name)
				break
			}
			if kind, fields, ok = next, rest, more; ok && !strings.Contains(kind, "/") {
				kind = "rstate_msgs/msg/" + kind
			}
		}
	}
}

// fieldsOf returns the fields of a message of rstate_msgs, with their types.
func fieldsOf(t *testing.T, kind string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "msgs", kind+".msg"))
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(string(text), -1) {
		fields[m[2]] = m[1]
	}
	return fields
}

// allows reports whether one of the patterns of a policy is for a name.
func allows(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { is, _ := path.Match(p, name); return is })
}

// TestThePoliciesOfSROS2: the schema holds, each program has an enclave, and nothing may publish as the daemon but the
// daemon. Each may test the middleware at its start, which no look at the graph shows later.
func TestThePoliciesOfSROS2(t *testing.T) {
	all := readPolicy(t)
	for _, enclave := range []string{"/rstate/daemon", "/rstate/guard", "/rstate/client", "/rstate/reader"} {
		if all[enclave] == nil {
			t.Errorf("there is no enclave %s", enclave)
		}
	}
	for enclave, may := range all {
		if enclave == "/rstate/daemon" {
			continue
		}
		for _, name := range slices.Concat(may["publish"], may["reply"], may["execute"]) {
			if strings.HasPrefix(name, "/rstate/") && name != "/rstate/guards" || strings.HasPrefix(name, "/simulation/") {
				t.Errorf("%s may speak as the daemon on %s", enclave, name)
			}
		}
	}
	for enclave, node := range map[string]string{"/rstate/daemon": "/rstate", "/rstate/guard": "/rstate_guard_7",
		"/rstate/client": "/rstate_client_7"} {
		for rule, name := range map[string]string{"publish": "/_self_test_0f", "subscribe": "/_self_test_0f",
			"request": "/_self_test_0f/call"} {
			if !allows(all[enclave][rule], node+name) {
				t.Errorf("%s may not %s %s%s, without which it does not start", enclave, rule, node, name)
			}
		}
	}
	if may := all["/rstate/reader"]; len(may["call"]) > 0 {
		t.Errorf("a reader may send commands: %v", may)
	}
}

// TestTheGovernanceOfSROS2: its rules are those of DDS Security, in their order, and none lets a participant in that has
// no certificate.
func TestTheGovernanceOfSROS2(t *testing.T) {
	var g struct {
		Rules []struct {
			Elements []struct {
				XMLName xml.Name
				Text    string `xml:",chardata"`
				Topics  []struct {
					Elements []struct {
						XMLName xml.Name
						Text    string `xml:",chardata"`
					} `xml:",any"`
				} `xml:"topic_rule"`
			} `xml:",any"`
		} `xml:"domain_access_rules>domain_rule"`
	}
	if err := xml.Unmarshal(read(t, "sros2/governance.xml"), &g); err != nil || len(g.Rules) != 1 {
		t.Fatalf("%d rules, %v", len(g.Rules), err)
	}
	var got []string
	for _, e := range g.Rules[0].Elements {
		got = append(got, strings.TrimSuffix(e.XMLName.Local+" "+strings.TrimSpace(e.Text), " "))
		for _, topic := range e.Topics {
			for _, f := range topic.Elements {
				got = append(got, f.XMLName.Local+" "+f.Text)
			}
		}
	}
	want := []string{"domains", "allow_unauthenticated_participants false", "enable_join_access_control true",
		"discovery_protection_kind ENCRYPT", "liveliness_protection_kind ENCRYPT", "rtps_protection_kind SIGN",
		"topic_access_rules", "topic_expression *", "enable_discovery_protection true", "enable_liveliness_protection true",
		"enable_read_access_control true", "enable_write_access_control true", "metadata_protection_kind ENCRYPT",
		"data_protection_kind ENCRYPT"}
	if !slices.Equal(got, want) {
		t.Errorf("the governance is\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
