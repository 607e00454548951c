//go:build ros

package rosnet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/test/bed"
)

// count waits until the world reports a count of a topic that satisfies the condition.
func count(t *testing.T, e *posted, check int, what string, want func(engine.TopicCounted) bool) {
	t.Helper()
	bed.Eventually(t, what, func() (string, bool) {
		var last engine.TopicCounted
		for _, c := range all[engine.TopicCounted](e) {
			if c.Check == check {
				last = c
			}
		}
		return fmt.Sprintf("%+v", last), want(last)
	})
}

func came(n uint64) func(engine.TopicCounted) bool {
	return func(c engine.TopicCounted) bool { return c.Fault == "" && c.Count >= n }
}

func says(fault string) func(engine.TopicCounted) bool {
	return func(c engine.TopicCounted) bool { return strings.Contains(c.Fault, fault) }
}

func TestA1TopicsOfAnyTypeAreCounted(t *testing.T) {
	host, name, topic := bed.StartHost(t), "/"+bed.Unique(t, "plain"), "/"+bed.Unique(t, "topic")
	node := host.Node(bed.NodeSpec{Name: name, Plain: true, Topic: topic, Rate: 100})
	w, e := newWorld(t, fmt.Sprintf("  %s: {lifecycle: false, checks: [{topic: %s, rate: 100Hz}, {topic: %s, rate: 1Hz, type: test_msgs/msg/Strings}, {topic: /absent, rate: 1Hz}]}\n", name, topic, topic))
	hears[engine.NodeSeen](t, e, 1)
	if said := all[engine.TopicCounted](e); len(said) > 0 {
		t.Errorf("no check is due, but the world reports %v", said)
	}
	turn(t, w)
	w.Carry(engine.CountTopics{Every: 100 * time.Millisecond})
	count(t, e, 0, "50 messages are counted", came(50))
	count(t, e, 1, "another type is none that passes",
		says("is published as std_msgs/msg/Int32, not test_msgs/msg/Strings"))
	count(t, e, 2, "a missing publisher is reported", says("has no publisher"))
	node.Destroy()
	count(t, e, 0, "its publisher is missed", says("has no publisher"))
	w.Carry(engine.CountTopics{})
	host.Node(bed.NodeSpec{Name: name, Plain: true, Topic: topic, Rate: 100})
	hears[engine.NodeSeen](t, e, 2)
	w.Carry(engine.CountTopics{Every: 100 * time.Millisecond})
	count(t, e, 0, "they are counted anew", came(10))
}

// TestA1EveryPublisherFits: any QoS of the publisher is compatible, and earlier messages do not
// count.
func TestA1EveryPublisherFits(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "plain")
	topics := []bed.Topic{{Latched: true}, {BestEffort: true}}
	checks := make([]string, len(topics))
	for k := range topics {
		topics[k].Kind, topics[k].Name = "std_msgs/msg/String", "/"+bed.Unique(t, "topic")
		checks[k] = fmt.Sprintf("{topic: %s, rate: 1Hz}", topics[k].Name)
	}
	latched, best := host.Advertise(topics[0]), host.Advertise(topics[1])
	latched.Publish(map[string]any{"data": "before"})
	w, e := newWorld(t, fmt.Sprintf("  %s: {lifecycle: false, checks: [%s]}\n", name, strings.Join(checks, ", ")))
	turn(t, w)
	w.Carry(engine.CountTopics{Every: 100 * time.Millisecond})
	for _, p := range []*bed.Publisher{latched, best} {
		bed.Eventually(t, "the subscriptions are matched", func() (string, bool) { return "", p.Subscribers() == 1 })
	}
	bed.Eventually(t, "both are counted", func() (string, bool) {
		best.Publish(map[string]any{"data": "now"})
		latched.Publish(map[string]any{"data": "now"})
		counts := map[int]uint64{}
		for _, c := range all[engine.TopicCounted](e) {
			counts[c.Check] = c.Count
		}
		return fmt.Sprint(counts), counts[0] >= 3 && counts[1] >= 3
	})
	if a := all[engine.TopicCounted](e); len(a) == 0 || a[0].Count > 0 {
		t.Errorf("what was published before was counted: %v", a)
	}
}

func TestA1ServicesPassByTheirSuccess(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "driver")
	node := host.Node(bed.NodeSpec{Name: name, Check: name + "/self_test", Arm: name + "/arm",
		Script: map[string][]bed.Behaviour{"check": {{Result: bed.Failure}, {}}}})
	w, e := newWorld(t, fmt.Sprintf("  %[1]s: {checks: [{service: %[1]s/self_test}, {service: %[1]s/nothing}, {service: %[1]s/arm}, {service: %[1]s/x, type: lifecycle_msgs/srv/GetState}]}\n", name))
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	for ticket, want := range []string{
		"0 answered no: refused by the test's script", "0 ", "1 has no server",
		"2 is a std_srvs/srv/SetBool, not a std_srvs/srv/Trigger",
		"3 lifecycle_msgs/srv/GetState has no field `success`",
	} {
		check := int(want[0] - '0')
		w.Carry(engine.CallCheck{Node: 0, Check: check, Ticket: uint64(ticket)})
		got := hears[engine.CheckAnswered](t, e, ticket+1)
		if got.Check != check || got.Ticket != uint64(ticket) || !strings.HasPrefix(got.Fault, want[2:]) ||
			want[2:] == "" && got.Fault != "" {
			t.Errorf("answered %+v, want %q", got, want)
		}
	}
	w, e = newWorld(t, fmt.Sprintf("  %[1]s: {checks: [{service: %[1]s/arm, type: std_srvs/srv/SetBool}]}\n", name))
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	w.Carry(engine.CallCheck{Ticket: 9})
	if got := hears[engine.CheckAnswered](t, e, 1); got.Fault != "" {
		t.Errorf("a service of another type that says yes: %+v", got)
	}
	if n := node.Truth().Count("check"); n != 2 {
		t.Errorf("it was asked %d times", n)
	}
}

// TestA11AMessageIsNoOlderThanTheTickBefore, and no newer than now, whatever the middleware says of when it came.
func TestA11AMessageIsNoOlderThanTheTickBefore(t *testing.T) {
	now := time.Now()
	before := now.Add(-100 * time.Millisecond)
	for _, c := range []struct {
		what string
		said time.Time
		want time.Duration // its age
	}{
		{"between the two", time.Unix(0, now.UnixNano()).Add(-30 * time.Millisecond), 30 * time.Millisecond},
		{"not said", time.Time{}, 100 * time.Millisecond},
		{"not said, as nanoseconds", time.Unix(0, 0), 100 * time.Millisecond},
		{"before", now.Add(-time.Hour), 100 * time.Millisecond},
		{"after now, by a clock that was set", now.Add(time.Hour), 0},
	} {
		if age := now.Sub(arrivedAt(c.said, before, now)); age != c.want {
			t.Errorf("%s: the age is %v, not %v", c.what, age, c.want)
		}
	}
}

// TestA11MessagesWithoutATimeAreReadOften: they count as older than they are by the time between two readings.
func TestA11MessagesWithoutATimeAreReadOften(t *testing.T) {
	for undated, want := range map[bool]time.Duration{false: 300 * time.Millisecond, true: 100 * time.Millisecond} {
		if c := (checks{undated: undated}); c.apart(300*time.Millisecond) != want || c.apart(50*time.Millisecond) > 50*time.Millisecond {
			t.Errorf("undated %t: readings are %v apart", undated, c.apart(300*time.Millisecond))
		}
	}
}

// TestA11ASampleWithoutAMessageEndsNoReading: the messages behind it are taken too.
func TestA11ASampleWithoutAMessageEndsNoReading(t *testing.T) {
	for samples, want := range map[string]int{"": 0, "m": 1, "mm": 2, ".m": 1, "m.mm.m": 4} {
		taken, rest := 0, samples
		drain(func() bool {
			if rest == "" {
				return false
			}
			is := rest[0] == 'm'
			rest = rest[1:]
			if is {
				taken++
			}
			return is
		})
		if taken != want {
			t.Errorf("of %q %d are taken, not %d", samples, taken, want)
		}
	}
}
