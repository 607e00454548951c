package journal

import (
	"strings"
	"testing"
	"time"
)

// latches writes that a run has been stopped so often, and how many of these stops are acknowledged.
func (s *story) latches(run string, latched, acknowledged uint64, cause string) *story {
	return s.add(Line{Kind: KindStop, Event: EventLatched, Node: "/rstate", StopRun: run, Latched: latched,
		Acknowledged: acknowledged, StopWhy: "/estop: /button says stop", StopAt: s.at, Sentence: "stopped", Cause: cause})
}

// acknowledges writes that a person has acknowledged all stops of a run.
func (s *story) acknowledges(run string, latched uint64, who, cause string) *story {
	return s.add(Line{Kind: KindStop, Event: EventAcknowledged, Node: "/rstate", StopRun: run, Latched: latched,
		Acknowledged: latched, Client: who, StopWhy: "/estop: /button says stop", StopAt: s.at, Sentence: "acknowledged",
		Cause: cause})
}

// gapLine is a line of a stop because nothing listened.
func gapLine(run string, latched, acknowledged uint64, event Event) Line {
	return Line{Kind: KindStop, Event: event, Node: "/rstate", StopRun: run, Latched: latched, Acknowledged: acknowledged,
		StopWhy: "rstate did not listen from 05:50:00Z to 05:57:01Z", Sentence: "stopped"}
}

// gapHeadline begins what the journal says of it.
const gapHeadline = `The network is active since 05:57:01, as rstate found it when it started.
  rstate starts as 9f2c at 05:57:00
    adopted: /lidar active, /slam active
`

// pressed is a network that a stop button has disarmed.
func pressed() *story {
	return adopted("active").commanded("arm", "arming", "active", "armed").settles("armed", "arm was asked for").
		finishes("succeeded done", "arm succeeded").later(time.Hour).
		latches("1", 1, 0, "").
		forgetGoal().
		begins("disarm", "disarming", "armed", "active", "disarm: stop input /estop: /button says stop").
		step("/arm_driver", "disarm", "done", "active", "active in 1ms").
		settles("active", "disarm: stop input /estop: /button says stop").later(time.Minute)
}

// TestA12WhyTellsOfAStop: which input has stopped the network, when, what to do, and the person that has acknowledged.
func TestA12WhyTellsOfAStop(t *testing.T) {
	const (
		headline = `The network is active, not armed, since 06:58:01: disarm, without a command.
  disarm: stop input /estop: /button says stop (06:58:01)
`
		stop = "  stopped at 06:58:01 by /rstate: stop input /estop: /button says stop"
		open = stop + `; nothing is armed until a person acknowledges
    try: release the stop, then run rstate acknowledge
    try: rstate status shows whether the stop input is clear
`
		again = "  try: rstate send armed, when that is put right\n"
		now   = "  try: rstate send armed, if it is still wanted\n"
	)
	refusal := "acknowledge was rejected: stop input /estop: /button says stop"
	for _, c := range []struct {
		name  string
		story *story
		want  string
	}{
		{"it is open", pressed(), headline + open + again},
		{"an acknowledgement was refused", pressed().refuses("acknowledge", refusal),
			headline + open + "  " + refusal + " (06:59:01)\n" + again},
		{"the journal repeats it", pressed().latches("1", 1, 0, "told by /other"), headline + open + again},
		{"it is acknowledged", pressed().acknowledges("1", 1, "ann", ""),
			headline + stop + "\n    ann has acknowledged it at 06:59:01\n" + now},
		{"it is acknowledged at a peer", pressed().acknowledges("1", 1, "", "told by /base"),
			headline + stop + "\n    a person has acknowledged it at 06:59:01: told by /base\n" + now},
		{"it is stopped again", pressed().acknowledges("1", 1, "ann", "").later(time.Minute).latches("1", 2, 1, ""),
			headline + strings.Replace(open, "06:58:01", "07:00:01", 1) + again},
		{"one of two runs is acknowledged", pressed().latches("2", 1, 0, "").acknowledges("1", 1, "ann", ""),
			headline + stop + "\n    ann has acknowledged it at 06:59:01\n" +
				strings.Replace(open, "06:58:01", "06:59:01", 1) + again},
		{"nothing listened", adopted("active").add(gapLine("1", 1, 0, EventLatched)), gapHeadline +
			"  stopped at 05:57:01 by /rstate: rstate did not listen from 05:50:00Z to 05:57:01Z; nothing is armed until a " +
			"person acknowledges\n    try: make sure that nothing has to stop, then run rstate acknowledge\n" +
			"    try: rstate status shows whether the stop input is clear\n"},
		{"that became part of a newer stop", adopted("active").add(gapLine("1", 1, 0, EventLatched)).
			add(gapLine("1", 1, 1, EventExtended)), gapHeadline},
		{"it is past", pressed().acknowledges("1", 1, "ann", "").commanded("deactivate", "deactivating", "active", "inactive").
			settles("inactive", "deactivate was asked for").finishes("succeeded done", "deactivate succeeded"),
			`The network is inactive since 07:00:01: deactivate took it there.
  deactivate was asked for at 07:00:01
`},
		{"a start knows it", adopted("active").latches("1", 1, 0, "").later(time.Hour).starts("a01b").
			add(Line{Kind: KindStop, Event: EventLatched, Node: "/rstate", StopRun: "1", Latched: 1,
				StopWhy: "/estop: /button says stop", StopAt: adopted("active").at, Cause: "known from the journal"}).
			settles("active", "adopted: /lidar active"),
			`The network is active since 06:57:01, as rstate found it when it started.
  rstate ended without a word some time after 05:57:01: killed, crashed, or the power went
  rstate starts as a01b at 06:57:01
    adopted: /lidar active
  before that the network was active since 05:57:01, as rstate found it when it started
    rstate starts as 9f2c at 05:57:00
      adopted: /lidar active, /slam active
  stopped at 05:57:01 by /rstate: stop input /estop: /button says stop; nothing is armed until a person acknowledges
    try: release the stop, then run rstate acknowledge
    try: rstate status shows whether the stop input is clear
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Why(c.story.lines, true, c.story.at).String(); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}
