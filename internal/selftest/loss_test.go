package selftest

import "testing"

// TestS10ALossIsSeenAfterALife: each letter is an event: + shows the publisher alive, - not alive, 0 that it has left. A
// capital A stands where the test publishes once more.
func TestS10ALossIsSeenAfterALife(t *testing.T) {
	for script, seen := range map[string]bool{
		"": false, "+": false, "++": false, "0": false, "+0": false, "+-": true, "+-0": true, "+-+": true,
		"-A": false, "-A0": false, "-A+": false, "-A+-": true, "-A-A": false,
	} {
		var l loss
		again := false
		for _, c := range script {
			switch c {
			case 'A':
				if !again {
					t.Errorf("%q: it does not publish again", script)
				}
				again = false
				continue
			case '+':
				again = l.take(1, 0)
			case '-':
				again = l.take(0, 1)
			default:
				again = l.take(0, 0)
			}
		}
		if again || l.Seen != seen {
			t.Errorf("%q: the loss is seen: %v, want %v; it publishes again: %v", script, l.Seen, seen, again)
		}
	}
}
