package explore

import "testing"

// TestA3WhatTwoDeviationsShowed: each schedule violated what stands beside it when networks were explored with two
// deviations for the first time, and violates nothing since.
func TestA3WhatTwoDeviationsShowed(t *testing.T) {
	for _, c := range []struct{ name, id, violated string }{
		{
			"a slow arm beside a lost journal", "plain:1202000+1.slow@/drive=arm,1202000+1.restarts without journal@/a",
			"armed and shown as disarmed: the first yes to a disarm was believed",
		},
		{
			"a disarm beside that", "plain:1202000+1.slow@/drive=arm,5201999+0.restarts without journal@/a",
			"the disarm ended with success while the node was armed",
		},
		{
			"an armed process is suspended when the daemon comes back",
			"plain:1202000+1.restarts@/a,1205000+1.is suspended@/drive",
			"it was read every second, and not asked to disarm",
		},
		{
			"a rebirth, and then a restart while the graph shows both",
			"plain:1203000+1.respawns@/drive,1414000+1.restarts@/a",
			"the new process was shut down as soon as the old one had left the graph",
		},
		{
			"a rebirth during a disarm", "lease:16000+1.answer late@/drive=read,2299999+0.respawns@/drive",
			"the disarm ended with success while the lease of the old process held",
		},
		{
			"an optional node dies before the next one is armed",
			"optional:17000+2.request lost@/drive=disarm,1205000+1.dies@/gripper",
			"the next one was armed beside it, and then everything was disarmed",
		},
		{
			"a node refuses to disarm, and the instance that armed is gone",
			"peers:1300000+0.is killed@/a,2306000+1.refused@/crane=disarm",
			"the disarm turned back, and the node was armed again",
		},
		{
			"the same, and another instance has its name",
			"required:1206000+1.restarts@/a,2306000+1.refused@/crane=disarm",
			"the disarm turned back, and the node was armed again",
		},
		{
			"a disarm that no peer has heard when its instance restarts",
			"peers:2300000+1.wire cut for 3 s,2306000+1.restarts@/b",
			"the other instance stayed armed after the connection was back",
		},
		{
			"the same, and the journal is lost",
			"peers:2300000+1.wire cut for 3 s,2306000+1.restarts without journal@/b",
			"the other instance stayed armed after the connection was back",
		},
		{
			"a disarm that no peer has heard when its host ends",
			"peers:2307000+1.its host ends@/b,2307000+1.wire cut for 3 s",
			"the judge demanded that the other instance knew of what was on its way when the wire was cut",
		},
		{
			"a disarm that no peer has heard when its instance stalls",
			"peers:2300000+1.wire cut for 3 s,3402000+1.stalls@/b",
			"the judge demanded that the other instance knew at once of what the stalled one could not tell",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			story, err := Replay(c.id, true)
			if err != nil {
				t.Fatal(err)
			}
			if len(story.Missed) > 0 || len(story.Violations) > 0 {
				t.Errorf("%s: %v were not possible; it violates %v; once it was: %s", c.id, story.Missed,
					story.Violations, c.violated)
			}
		})
	}
}
