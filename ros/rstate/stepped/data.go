// Package stepped counts the messages of a participant of a stepped loop, so that each step sees the
// same messages in every run. Its counterparts are rstate/step_data.hpp in C++ and rstate.step_data in
// Python; all are tested by the vectors of test/stepdata.
package stepped

import (
	"fmt"
	"maps"
	"slices"
)

// Count is a number of messages of a topic. Without a participant it belongs to the node itself.
type Count struct {
	Topic, Participant string
	Count              uint64
}

// Handed is a message with the number that it has in its epoch.
type Handed[M any] struct {
	Topic, Participant string
	Number             uint64
	Message            M
}

type source struct{ topic, participant string }

// Data keeps the messages that arrive until a step makes them visible, and counts those that the node
// publishes. Use it in one goroutine at a time. The zero value is ready for steps of epoch 0.
type Data[M any] struct {
	epoch    uint64
	stepping bool
	counted  []string
	kept     []Handed[M] // in the order of their arrival
	arrived  map[source]uint64
	sent     map[string]uint64
}

// Settle forbids publishing. Steps of the present epoch are refused from now on.
func (d *Data[M]) Settle() { d.epoch, d.stepping = 0, false }

// Zero begins an epoch: it forgets all messages and counts. The messages of the counted topics wait
// for a step that names them; published are the topics that the node publishes.
func (d *Data[M]) Zero(epoch uint64, counted, published []string) {
	*d = Data[M]{epoch: epoch, counted: slices.Clone(counted), sent: map[string]uint64{}}
	for _, topic := range published {
		d.sent[topic] = 0
	}
}

// Arrived keeps a message. A participant's messages of one topic arrive in the order in which it
// published them.
func (d *Data[M]) Arrived(topic, participant string, message M) {
	if d.arrived == nil {
		d.arrived = map[source]uint64{}
	}
	from := source{topic, participant}
	d.arrived[from]++
	d.kept = append(d.kept, Handed[M]{topic, participant, d.arrived[from], message})
}

// Refused returns why a step of this epoch must not run; it is empty if the step may run.
func (d *Data[M]) Refused(epoch uint64) string {
	if epoch == 0 || epoch == d.epoch {
		return ""
	}
	return fmt.Sprintf("its counts are of epoch %d, and the step is of epoch %d; start the loop again", d.epoch, epoch)
}

// Missing names the first message of the list that has not arrived; it is empty if all have arrived.
func (d *Data[M]) Missing(visible []Count) string {
	for _, v := range visible {
		if n := d.arrived[source{v.Topic, v.Participant}]; n < v.Count {
			return fmt.Sprintf("message %d of %s from %s has not arrived", n+1, v.Topic, v.Participant)
		}
	}
	return ""
}

// Begin begins a step that is neither refused nor misses a message, and returns the messages to hand
// over. Those of topics that are not counted come first, as they arrived. The others follow in the
// order of the list. In epoch 0 all are handed over as they arrived.
func (d *Data[M]) Begin(epoch uint64, visible []Count) []Handed[M] {
	d.stepping = true
	handed := d.move(func(k Handed[M]) bool { return epoch == 0 || !slices.Contains(d.counted, k.Topic) })
	if epoch == 0 {
		return handed
	}
	for _, v := range visible {
		handed = append(handed, d.move(func(k Handed[M]) bool {
			return k.Topic == v.Topic && k.Participant == v.Participant && k.Number <= v.Count
		})...)
	}
	return handed
}

func (d *Data[M]) move(which func(Handed[M]) bool) (moved []Handed[M]) {
	var rest []Handed[M]
	for _, k := range d.kept {
		if which(k) {
			moved = append(moved, k)
		} else {
			rest = append(rest, k)
		}
	}
	d.kept = rest
	return moved
}

// End ends the step.
func (d *Data[M]) End() { d.stepping = false }

// Publish counts a message that the node is about to publish; it returns false if no step runs.
func (d *Data[M]) Publish(topic string) bool {
	if !d.stepping {
		return false
	}
	if d.sent == nil {
		d.sent = map[string]uint64{}
	}
	d.sent[topic]++
	return true
}

// Sent returns how many messages the node has published in this epoch, by topic.
func (d *Data[M]) Sent() []Count {
	var counts []Count
	for _, topic := range slices.Sorted(maps.Keys(d.sent)) {
		counts = append(counts, Count{Topic: topic, Count: d.sent[topic]})
	}
	return counts
}
