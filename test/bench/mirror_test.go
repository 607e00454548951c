//go:build ros

package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	instance "rstate/test/bed/daemon" // in this package, daemon is the measured process
	"rstate/test/bed/team"
)

// The limits for peers. The second and third are measured from the moment when the peers have
// discovered each other: the time before that is up to the middleware.
const (
	mirroredLimit = 100 * time.Millisecond
	joinedLimit   = 2 * time.Second
	healedLimit   = 3 * time.Second
)

// stamp is the time of a message, by the wall clock that all processes of this machine share.
type stamp struct {
	Sec     int64
	Nanosec int64
}

func (s stamp) at() time.Time { return time.Unix(s.Sec, s.Nanosec) }

// said is a message of ~/state with its time.
type said struct {
	instance.View
	Stamp stamp
}

// diary holds all messages of an instance on ~/state from now on.
type diary struct {
	host  *bed.Host
	topic *bed.Subscription
}

func keepDiary(s *team.Site, name string) diary {
	return diary{s.Host, s.Host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: name + "/state",
		Latched: true})}
}

// first returns the first entry after a time that satisfies the condition.
func (d diary) first(b *testing.B, what string, after time.Time, holds func(instance.View) bool) (at time.Time) {
	b.Helper()
	bed.Eventually(b, what, func() (string, bool) {
		messages := d.topic.Messages()
		var s said
		for _, m := range messages {
			s = said{}
			if d.host.Decode(m.Message, &s); s.Stamp.at().After(after) && holds(s.View) {
				at = s.Stamp.at()
				return "", true
			}
		}
		return fmt.Sprintf("%d entries, the last is %+v", len(messages), s), false
	})
	return at
}

// steps are the mirrored changes, as one round.
var steps = []struct{ command, state string }{
	{"configure", "inactive"}, {"activate", "active"}, {"deactivate", "inactive"}, {"cleanup", "unconfigured"},
}

// BenchmarkMirrored measures how long after a change was published a peer follows: until the
// callback of its first node begins, and until the peer publishes that it has settled. One row is
// on one host, the other one over a wire without faults.
func BenchmarkMirrored(b *testing.B) {
	rounds := times(b, "RSTATE_BENCH_CYCLES", 60, 10)
	for _, where := range []string{"one host", "two hosts"} {
		b.Run(where, func(b *testing.B) {
			once(b, func() outcome {
				here, there := bothSites(b, where == "two hosts")
				m := team.New(b, binary(b))
				base, peer := m.Joins(here, team.Member{}), m.Joins(there, team.Member{})
				m.Meet()
				asked, shown := mirrored(b, base, peer, rounds)
				p99 := asked.quantile(0.99)
				used := float64(p99) / float64(mirroredLimit)
				t := tableOf(fmt.Sprintf("Change published → mirrored by a peer, over %d changes, in ms", len(asked)),
					"on", "until", "median", "p90", "p99", "most", "limit of p99", "")
				t.row(where, "its first node is asked", asked.spread(), ms(mirroredLimit), verdict(used))
				t.row(where, "it says that it is there", shown.spread(), "", "")
				return outcome{"ns/op": float64(asked.median()), "p99-ns": float64(p99), ofBound: used}
			})
		})
	}
}

func bothSites(b *testing.B, wire bool) (base, arm *team.Site) {
	b.Helper()
	if !wire {
		return team.Here("base", bed.NewHost(b)), team.Here("arm", bed.NewHost(b))
	}
	l := team.NewLand(b, "base", "arm")
	return l.Site("base"), l.Site("arm")
}

// mirrored makes changes at base, and measures how peer follows: its k-th request to a node, and
// the k-th time that it settles in another state, belong to the k-th change.
func mirrored(b *testing.B, base, peer *team.Fellow, rounds int) (asked, shown series) {
	b.Helper()
	follows := keepDiary(peer.Site, peer.Name)
	for range rounds {
		for _, s := range steps {
			base.Do(s.command, "succeeded done "+s.state)
			peer.Intact(s.state)
		}
	}
	made, settled := publishedAt(base), settledAt(follows)
	front, rear := peer.Front.Truth().Calls, peer.Rear.Truth().Calls
	want := rounds * len(steps)
	if len(made) != want || len(settled) != want || len(front) != want || len(rear) != want {
		b.Fatalf("of %d changes %d were published, %d and %d reached its nodes, %d were shown", want, len(made),
			len(front), len(rear), len(settled))
	}
	for k, at := range made {
		first := time.Unix(0, min(front[k].Begin, rear[k].Begin))
		asked, shown = append(asked, first.Sub(at)), append(shown, settled[k].Sub(at))
	}
	return asked, shown
}

// publishedAt returns when each change of an instance was published; for a lowering, which is
// published twice, the time of its beginning.
func publishedAt(f *team.Fellow) (at []time.Time) {
	var newest uint64
	for _, m := range f.Topic.Messages() {
		var c struct {
			SourceNode string `json:"source_node"`
			InstanceID string `json:"instance_id"`
			Seen       []instance.Seen
			Stamp      stamp
		}
		f.Site.Host.Decode(m.Message, &c)
		own := slices.IndexFunc(c.Seen, func(s instance.Seen) bool { return s.Instance == c.InstanceID })
		if c.SourceNode == f.Name && own >= 0 && c.Seen[own].N > newest {
			newest = c.Seen[own].N
			at = append(at, c.Stamp.at())
		}
	}
	return at
}

// settledAt returns when an instance settled in another state, since its diary was begun.
func settledAt(d diary) (at []time.Time) {
	rested := ""
	for _, m := range d.topic.Messages() {
		var s said
		if d.host.Decode(m.Message, &s); !s.Settled || s.State.Label == rested {
			continue
		}
		if rested != "" {
			at = append(at, s.Stamp.at())
		}
		rested = s.State.Label
	}
	return at
}

// BenchmarkJoiner measures how long an instance that starts later takes, from when it receives
// another one until its nodes have that one's state: two steps up.
func BenchmarkJoiner(b *testing.B) {
	once(b, func() outcome {
		m := team.New(b, binary(b))
		base := m.Joins(team.Here("base", bed.NewHost(b)), team.Member{})
		base.Do("active", "succeeded done active")
		host := bed.NewHost(b)
		var took series
		for k := range times(b, "RSTATE_BENCH_RUNS", 10, 3) {
			s := team.Here("late_"+strconv.Itoa(k), host)
			d := keepDiary(s, m.Name(s.Name))
			late := m.Joins(s, team.Member{})
			met := d.first(b, "the joiner receives the other instance", time.Time{},
				func(v instance.View) bool { return v.Peer(base.Name).Alive })
			there := d.first(b, "the joiner is active", met,
				func(v instance.View) bool { return v.Settled && v.Intact && v.State.Label == "active" })
			took = append(took, there.Sub(met))
			// this may come after the other direction; an instance that was never received cannot be missed
			base.Hears(late)
			late.Process.Kill()
			m.All = m.All[:1]
			base.Misses(late)
		}
		return caughtUp(b, "a joiner → active", took, joinedLimit)
	})
}

// BenchmarkHealed measures how long two instances take that were separated, and made changes
// meanwhile, from when the first receives the other again until both are in the state that follows
// from the changes.
func BenchmarkHealed(b *testing.B) {
	once(b, func() outcome {
		l := team.NewLand(b, "base", "arm")
		m := team.New(b, binary(b))
		base, arm := m.Joins(l.Site("base"), team.Member{}), m.Joins(l.Site("arm"), team.Member{})
		m.Meet()
		base.Do("inactive", "succeeded done inactive")
		var took series
		for range times(b, "RSTATE_BENCH_RUNS", 10, 3) {
			base.Do("activate", "succeeded done active")
			m.Agree("active")
			l.Wire.Cut(arm.Site.At)
			base.Misses(arm)
			arm.Misses(base)
			base.Do("deactivate", "succeeded done inactive")
			arm.Do("deactivate", "succeeded done inactive")
			arm.Do("activate", "succeeded done active")
			of := map[*team.Fellow]diary{base: keepDiary(base.Site, base.Name), arm: keepDiary(arm.Site, arm.Name)}
			healed := time.Now()
			l.Wire.Heal(arm.Site.At)
			met := of[base].first(b, "the base hears the arm", healed,
				func(v instance.View) bool { return v.Peer(arm.Name).Alive })
			if other := of[arm].first(b, "the arm hears the base", healed,
				func(v instance.View) bool { return v.Peer(base.Name).Alive }); other.Before(met) {
				met = other
			}
			there := of[arm].first(b, "the arm is inactive", healed,
				func(v instance.View) bool { return v.Settled && v.Intact && v.State.Label == "inactive" })
			took = append(took, there.Sub(met))
			m.Agree("inactive")
		}
		return caughtUp(b, "healed → both at the lower state", took, healedLimit)
	})
}

func caughtUp(b *testing.B, what string, took series, limit time.Duration) outcome {
	b.Helper()
	most := slices.Max(took)
	used := float64(most) / float64(limit)
	t := tableOf("Peers that find each other → together, in ms", "what", "times", "median", "p90", "p99", "most",
		"limit", "")
	t.row(what, count(len(took)), took.spread(), ms(limit), verdict(used))
	return outcome{"ns/op": float64(took.median()), "most-ns": float64(most), ofBound: used}
}

// BenchmarkPublications counts the messages on the lifecycle topic for each command, for a number
// of instances: one, however many follow. The second message of a lowering, which has the same
// `seen`, does not count.
func BenchmarkPublications(b *testing.B) {
	for _, instances := range []int{2, 5, 10} {
		b.Run(strconv.Itoa(instances), func(b *testing.B) {
			once(b, func() outcome {
				host := bed.NewHost(b)
				m := team.New(b, binary(b))
				for k := range instances {
					m.Joins(team.Here("host_"+strconv.Itoa(k), host), team.Member{})
				}
				m.Meet()
				before, commands := len(published(m)), 0
				for range times(b, "RSTATE_BENCH_RUNS", 10, 3) {
					for _, s := range steps {
						m.All[commands%instances].Do(s.command, "succeeded done "+s.state)
						m.Agree(s.state)
						commands++
					}
				}
				after := published(m)
				each := float64(len(after)-before) / float64(commands)
				if each != 1 { // the causes show why
					b.Logf("%d commands caused these messages:\n%s", commands, strings.Join(after[before:], "\n"))
				}
				tableOf("Messages on the lifecycle topic for a command", "instances", "commands", "each", "limit", "").
					row(count(instances), count(commands), fmt.Sprintf("%.2f", each), "1", verdict(each))
				return outcome{"ns/op": 0, "messages/command": each, ofBound: each}
			})
		})
	}
}

// published lists the messages of all instances, without those that repeat what their writer had
// seen before.
func published(m *team.Team) (list []string) {
	known := map[string]bool{}
	f := m.All[0]
	for _, message := range f.Topic.Messages() {
		var c struct {
			InstanceID string `json:"instance_id"`
			Seen       []instance.Seen
		}
		f.Site.Host.Decode(message.Message, &c)
		if key := fmt.Sprint(c); !known[key] {
			known[key] = true
			list = append(list, string(message.Message))
		}
	}
	return list
}
