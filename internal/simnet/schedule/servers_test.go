package schedule

import "testing"

// TestServersAreDrawnApart: a life without servers is what it was before servers were drawn.
func TestServersAreDrawnApart(t *testing.T) {
	served, besides := 0, 0
	for seed := range uint64(replays) {
		now, was := Draw(seed), drawUnserved(seed)
		if len(now.options.Servers) > 0 {
			if now.Network.Nodes[now.Network.Index(now.options.Servers[0])].Arm.ServedBy == "" {
				besides++
			} else {
				served++
			}
			continue
		}
		if a, b := now.Run().Digest(true), was.Run().Digest(true); a != b {
			t.Errorf("seed %d has no servers, and another life than before", seed)
		}
	}
	if served == 0 || besides == 0 {
		t.Errorf("%d lives with a server of the file, %d with one beside a node", served, besides)
	}
}
