//go:build ros

package rosnet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/internal/coordinator"
	"rstate/internal/mirror"
	"rstate/internal/outbox"
)

// TestPeersAreToldAsOftenAsDocumented: a status that does not change is published at least every 0.5 s while another
// instance listens, for beats at any offset. The pages say the same.
func TestPeersAreToldAsOftenAsDocumented(t *testing.T) {
	const documented = 500 * time.Millisecond
	for offset := time.Duration(0); offset < coordinator.Beat; offset += coordinator.Beat / 10 {
		w := &World{}
		w.out.statuses = outbox.New(func() time.Duration { return 0 }).Slot(0)
		w.peers.ears.Store(2)
		began := time.Unix(1000, 0)
		w.peers.status, w.peers.told = &mirror.Status{}, began
		said := 0
		for at := offset; at < 10*time.Second; at += coordinator.Beat {
			before := w.peers.told
			w.remindPeers(began.Add(at))
			if w.peers.told != before {
				said++
				if gap := w.peers.told.Sub(before); gap > documented {
					t.Errorf("with beats at %v: %v passed between two messages", offset, gap)
				}
			}
		}
		if said < 20 {
			t.Errorf("with beats at %v: %d messages in 10 s", offset, said)
		}
	}
	for page, want := range map[string]string{
		"docs/interfaces.md":                  "how each instance is, at least every 0.5 s",
		"msgs/rstate_msgs/msg/PeerStatus.msg": "Latched, 2 Hz, liveliness 500 ms.",
	} {
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) || strings.Contains(string(text), "0.4 s") {
			t.Errorf("%s does not say %q", page, want)
		}
	}
}
