//go:build ros

package rosnet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/test/bed"
)

// TestA11FieldsAreRead: the field of the newest message of any type, and its age; what cannot be read is named.
func TestA11FieldsAreRead(t *testing.T) {
	host, name, topic := bed.StartHost(t), "/"+bed.Unique(t, "plain"), "/"+bed.Unique(t, "topic")
	battery := host.Advertise(bed.Topic{Kind: "test_msgs/msg/Nested", Name: topic, Latched: true})
	battery.Publish(map[string]any{"basic_types_value": map[string]any{"float64_value": 7.0}})
	w, e := newWorld(t, fmt.Sprintf("  %s: {lifecycle: false, checks: [{topic: %[2]s, field: basic_types_value.float64_value, above: 1}, {topic: %[2]s, field: nothing, above: 1}, {topic: %[2]s, field: basic_types_value, above: 1}, {topic: %[2]s, age: 5s}]}\n", name, topic))
	turn(t, w)
	w.Carry(engine.CountTopics{Every: 100 * time.Millisecond})
	bed.Eventually(t, "the subscriptions are matched", func() (string, bool) { return "", battery.Subscribers() == 4 })
	count(t, e, 0, "what was latched before does not count", func(c engine.TopicCounted) bool { return c.Fault == "" && c.Age < 0 })
	for _, want := range []float64{0.5, -3} {
		battery.Publish(map[string]any{"basic_types_value": map[string]any{"float64_value": want}})
		count(t, e, 0, "the value is read", func(c engine.TopicCounted) bool {
			return c.Fault == "" && c.Age >= 0 && c.Value == network.Number(want)
		})
	}
	count(t, e, 1, "a field that is not there", says("is no field of test_msgs/msg/Nested"))
	count(t, e, 2, "a field that is no number", says("is no number, truth value or text"))
	count(t, e, 3, "the age alone", func(c engine.TopicCounted) bool { return c.Fault == "" && c.Age >= 0 })
}

// TestA11ParametersAndFilesAreRead: a parameter of the node, and a file of this host.
func TestA11ParametersAndFilesAreRead(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "driver")
	host.Node(bed.NodeSpec{Name: name, Parameters: true})
	file := filepath.Join(t.TempDir(), "calibrated")
	w, e := newWorld(t, fmt.Sprintf("  %s: {checks: [{parameter: use_sim_time, is: false}, {parameter: nothing, is: 1}, {file: %s}]}\n  /absent: {checks: [{parameter: x, is: 1}]}\n", name, file))
	hears[engine.NodeSeen](t, e, 1)
	bed.Eventually(t, "the services of parameters are matched", func() (string, bool) {
		return "", available(w.checks.asked[0].kind.(*parameterCheck).client.Client)
	})
	matched(t, w, host)
	asked := 0
	ask := func(node, check int) engine.CheckAnswered {
		asked++
		w.Carry(engine.CallCheck{Node: node, Check: check, Ticket: uint64(asked)})
		return hears[engine.CheckAnswered](t, e, asked)
	}
	if got := ask(0, 0); got.Fault != "" || got.Value != network.Truth(false) {
		t.Errorf("a parameter: %+v", got)
	}
	if got := ask(0, 1); !strings.Contains(got.Fault, "is not set") {
		t.Errorf("a parameter that the node does not have: %+v", got)
	}
	if got := ask(1, 0); !strings.Contains(got.Fault, "has no parameter services") {
		t.Errorf("a node that is not there: %+v", got)
	}
	if got := ask(0, 2); got.Fault != "does not exist" {
		t.Errorf("no file: %+v", got)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask(0, 2); got.Fault != "" {
		t.Errorf("a file: %+v", got)
	}
}
