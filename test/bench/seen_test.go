//go:build ros

package bench

import (
	"fmt"
	"testing"
	"time"

	"rstate/test/bed"
)

const seenLimit = 5 * time.Millisecond

// BenchmarkSeen measures how long after its last node a network's new state is known to a
// subscriber. The time starts in the process of the nodes, when the last of their callbacks returns
// (before rclpy has told any client). It stops in a third process, an rclpy subscriber, when its
// callback is called with the settled state. Both read CLOCK_MONOTONIC, which processes share. The
// 10 nodes share one thread, so that no other node delays the last one. The time stamp of the
// daemon's message shows the daemon's part; the rest is the wire and the subscriber.
func BenchmarkSeen(b *testing.B) {
	c := newCaller(b)
	nodes := startGroup(b, rclpySingle, 10, 0)
	d := c.startDaemon(b, nodes)
	topics := []string{"/" + d.name + "/state", "/simulation/" + d.simulation + "/lifecycle"}
	listener := startPeer(b, "listener.py", topics...)
	d.command("configure")
	hear(b, listener, topics, "inactive")
	d.command("cleanup")
	hear(b, listener, topics, "unconfigured")
	returned, sent, received := map[string]series{}, map[string]series{}, map[string]series{}
	for range times(b, "RSTATE_BENCH_CYCLES", 60, 10) {
		for _, step := range []struct{ command, state string }{
			{"configure", "inactive"}, {"activate", "active"}, {"deactivate", "inactive"}, {"cleanup", "unconfigured"},
		} {
			d.command(step.command)
			heard := hear(b, listener, topics, step.state)
			var last struct{ Returned, Answered int64 }
			nodes.rclpy.ask("last", nil, &last)
			for topic, at := range heard {
				returned[topic] = append(returned[topic], time.Duration(at.At-last.Returned))
				sent[topic] = append(sent[topic], time.Duration(at.Sent-last.Answered))
				received[topic] = append(received[topic], time.Duration(at.At-at.Sent))
			}
		}
	}
	t := tableOf(fmt.Sprintf("Last of 10 nodes → state seen by a subscriber, over %d transitions, in ms",
		len(returned[topics[0]])),
		"topic", "from → to", "median", "p90", "p99", "most", "limit of p99", "")
	for i, name := range []string{"~/state", "lifecycle"} {
		b.Run(name, func(b *testing.B) {
			once(b, func() outcome {
				p99 := returned[topics[i]].quantile(0.99)
				used := float64(p99) / float64(seenLimit)
				t.row(name, "callback's return → seen", returned[topics[i]].spread(), ms(seenLimit), verdict(used))
				t.row(name, "answer's sending → published", sent[topics[i]].spread(), "", "")
				t.row(name, "published → seen", received[topics[i]].spread(), "", "")
				return outcome{"ns/op": float64(returned[topics[i]].median()), "p99-ns": float64(p99), ofBound: used}
			})
		})
	}
}

// hearing holds when a message was published and received.
type hearing struct{ Sent, At int64 }

// hear waits until the listener has received a settled state on every topic, and returns when it
// first did.
func hear(b *testing.B, listener *peer, topics []string, state string) map[string]hearing {
	b.Helper()
	heard := map[string]hearing{}
	bed.Eventually(b, "the listener hears of "+state, func() (string, bool) {
		var fresh []struct {
			hearing
			Topic, State string
		}
		listener.ask("heard", nil, &fresh)
		for _, one := range fresh {
			if _, again := heard[one.Topic]; one.State == state && !again {
				heard[one.Topic] = one.hearing
			}
		}
		return fmt.Sprint(heard), len(heard) == len(topics)
	})
	return heard
}
