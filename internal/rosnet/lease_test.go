//go:build ros

package rosnet

import (
	"encoding/json"
	"fmt"
	"testing"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/test/bed"
)

func TestA6TheLeaseIsToldAndThatOfOthersIsHeard(t *testing.T) {
	host := bed.StartHost(t)
	w, e := newWorld(t, "  /a: {}\n")
	topic := bed.Topic{Kind: "rstate_msgs/msg/ArmLease", Name: w.name + "/arm_lease", BestEffort: true, Depth: 1}
	heard, other := host.Subscribe(topic), host.Advertise(topic)
	bed.Eventually(t, "its writer is matched", func() (string, bool) { return "", heard.Publishers() == 2 })
	var last struct {
		InstanceID string `json:"instance_id"`
		Term, Seq  uint64
		Proved     int64 `json:"proved_ns"`
		Valid      int64 `json:"valid_ns"`
	}
	seq := uint64(0)
	bed.Eventually(t, "the lease is heard", func() (string, bool) {
		seq++
		w.Carry(engine.SendLease{Message: lease.Message{Instance: w.instance, Term: 3, Seq: seq, Proved: 1234,
			Valid: 5678}})
		ok := heard.Last(&last)
		return fmt.Sprintf("%+v", last), ok
	})
	if last.InstanceID != "this" || last.Term != 3 || last.Seq == 0 || last.Proved != 1234 || last.Valid != 5678 {
		t.Errorf("heard %+v", last)
	}
	bed.Eventually(t, "that of another is heard", func() (string, bool) {
		other.Publish(map[string]any{"instance_id": "another", "term": 7, "valid_ns": 1000})
		other.Publish(map[string]any{"instance_id": "another", "term": 9}) // it holds none
		said, _ := json.Marshal(all[engine.LeaseHeard](e))
		return string(said), len(all[engine.LeaseHeard](e)) > 0
	})
	for _, l := range all[engine.LeaseHeard](e) {
		if l.Term != 7 {
			t.Errorf("its own lease was taken for another's: %+v", l)
		}
	}
}
