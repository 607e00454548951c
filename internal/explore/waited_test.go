package explore

import (
	"slices"
	"testing"
)

// waited are the schedules of requests and messages that waited, and of foreign servers. Each violated what stands
// beside it when queues and servers were explored for the first time.
var waited = []struct{ rule, name, id, violated string }{
	{"A1", "an arm of a client at the robot comes after a disarm", "plain:1207000+0.arms late@/a",
		"no grant: /drive is armed"},
	{"A1", "an arm by what its client saw comes after a disarm", "plain:1207000+0.arms late by what it saw@/a",
		"no grant: /drive is armed"},
	{"A1", "the client is cut off when it arms, and another one arms and disarms",
		"plain:1190000+0.client cut off@/a,1300000+0.client arms@/a,1600000+0.client disarms@/a,2400000+0.client returns@/a",
		"no grant: /drive is armed"},
	{"A1", "a press and an acknowledgement are between the decision and its arrival",
		"stop:1190000+0.arms late by what it saw@/a,2500000+0.pressed@/a,2800000+0.released@/a,3300000+0.acknowledged@/a",
		"no grant: /drive is armed"},
	{"A6", "a node stands still between its proof and the request to arm", "lease:1202000+1.pauses@/drive",
		"outlives its lease: /drive is armed, and the newest message of its lease is too old"},
	{"A6", "the link of a node keeps lease and arm, and the daemon is killed",
		"lease:1202000+1.cut off for 5 s@/drive,1290000+0.restarts@/a",
		"outlives its lease: /drive is armed, and the newest message of its lease is too old"},
	{"A3", "of two servers one refuses to disarm", "twice:1300000+0.server refuses@/drive",
		`false result: disarm of /a ends with "succeeded done" while /drive is armed`},
	{"A3", "the server is killed while it is armed", "served:1700000+0.server killed@/drive",
		"loss not noticed: /drive is shown as armed, and the process that was armed has ended"},
	{"A3", "the server hangs while it is armed", "served:1700000+0.server hangs@/drive",
		"shown disarmed: /drive is armed and shown as disarmed"},
}

// TestA1WhatWaitedArmsNothing also covers A3 and A6: none of the schedules violates anything any more.
func TestA1WhatWaitedArmsNothing(t *testing.T) {
	for _, c := range waited {
		t.Run(c.rule+" "+c.name, func(t *testing.T) {
			story, err := Replay(c.id, true)
			if err != nil {
				t.Fatal(err)
			}
			if len(story.Missed) > 0 || len(story.Violations) > 0 {
				t.Errorf("%s: %v were not possible; it violates %v; once it was: %s, %v", c.id, story.Missed,
					story.Violations, c.violated, slices.Contains(story.Violations, c.violated))
			}
		})
	}
}
