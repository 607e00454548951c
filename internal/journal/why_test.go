package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// story writes lines as the engine does.
type story struct {
	lines []Line
	at    time.Time
	goal  string
	state string
	dead  bool          // no process writes it any more
	read  time.Duration // how long after the last line the story is read
}

func newStory(day string) *story {
	at, err := time.Parse(time.DateTime, day)
	if err != nil {
		panic(err)
	}
	return &story{at: at, state: "unknown"}
}

func (s *story) add(l Line) *story {
	l.N, l.At = uint64(len(s.lines)+1), s.at
	if l.State == "" {
		l.State = s.state
	}
	s.state = l.State
	s.lines = append(s.lines, l)
	return s
}

func (s *story) later(d time.Duration) *story {
	s.at = s.at.Add(d)
	return s
}

func (s *story) starts(as string) *story {
	s.goal = ""
	return s.add(Line{Kind: KindStart, State: "unknown", Sentence: "rstate starts as " + as})
}

func (s *story) asks(command, reason string) *story {
	s.goal = command + "/1"
	return s.add(Line{Kind: KindGoal, Event: EventAsked, Goal: s.goal, Command: command, Reason: reason})
}

func (s *story) begins(command, via, from, to, cause string) *story {
	return s.add(Line{
		Kind: KindState, Event: EventBegan, State: via, Command: command, From: from, To: to, Goal: s.goal,
		Sentence: fmt.Sprintf("%s: from %s to %s", command, from, to), Cause: cause,
	})
}

func (s *story) step(node, step, verdict, seen, cause string) *story {
	s.later(100 * time.Millisecond)
	return s.add(Line{Kind: KindStep, Event: EventDone, Node: node, Step: step, Verdict: verdict, Seen: seen, Cause: cause})
}

func (s *story) last(change func(*Line)) *story {
	change(&s.lines[len(s.lines)-1])
	return s
}

func (s *story) fails(why, from string) *story {
	return s.add(Line{Kind: KindState, Event: EventFailed, State: "errorprocessing", From: from, Sentence: why, Cause: why})
}

func (s *story) turns(state, sentence string) *story {
	return s.add(Line{Kind: KindState, Event: EventTurned, State: state, Sentence: sentence})
}

func (s *story) settles(state, cause string) *story {
	return s.add(Line{
		Kind: KindState, Event: EventSettled, State: state, Sentence: "the network is " + state, Cause: cause,
	})
}

func (s *story) finishes(outcome, sentence string) *story {
	return s.add(Line{Kind: KindGoal, Event: EventFinished, Goal: s.goal, Outcome: outcome, Sentence: sentence})
}

func (s *story) node(e Event, node, sentence, seen, cause string) *story {
	return s.add(Line{Kind: KindNode, Event: e, Node: node, Sentence: sentence, Seen: seen, Cause: cause})
}

func (s *story) refuses(command, sentence string) *story {
	return s.add(Line{Kind: KindRefusal, Command: command, Sentence: sentence})
}

// adopted begins most stories.
func adopted(state string) *story {
	return newStory("2026-03-02 05:57:00").starts("9f2c").later(time.Second).
		settles(state, "adopted: /lidar "+state+", /slam "+state)
}

// commanded continues with the begin of a command.
func (s *story) commanded(command, via, from, to string) *story {
	s.later(time.Minute).asks(command, "")
	return s.begins(command, via, from, to, command+" was asked for")
}

const refusedByOne = `
The network is inactive, not active, since 05:58:03: activate failed.
  active was asked for at 05:58:00: morning run
  /slam: activate refused at 05:58:02: answered no to activate; it is still inactive
    last seen inactive, 40ms before
    try: read what /slam logged at 05:58:02: its on_activate said no
  went well: /lidar
  the network is inactive (05:58:03)
  try: rstate send active, when that is put right
`

func TestWhy(t *testing.T) {
	cases := []struct {
		name  string
		story *story
		want  string
	}{
		{
			"a node says no",
			newStory("2026-03-02 05:58:00").asks("active", "morning run").
				begins("activate", "activating", "inactive", "active", "active was asked for: morning run").
				later(2500*time.Millisecond).
				step("/lidar", "activate", "done", "active", "active in 100ms").
				step("/slam", "activate", "refused", "inactive", "answered no to activate; it is still inactive").
				last(func(l *Line) { l.SeenAgo = 40 * time.Millisecond }).
				later(300*time.Millisecond).
				fails("activate failed: /slam answered no to activate; it is still inactive", "inactive").
				step("/lidar", "deactivate", "undone", "inactive", "inactive in 10ms").
				settles("inactive", "activate failed: /slam answered no to activate; it is still inactive").
				finishes("aborted restored", "active aborted"),
			refusedByOne,
		},
		{
			"the ladder to its end",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").later(10*time.Second).
				step("/slam", "activate", "late", "inactive", "no answer to activate in 10s").
				fails("activate failed: /slam no answer to activate in 10s", "inactive").later(10*time.Second).
				step("/slam", "", "late", "inactive", "no answer to activate in 20s").
				turns("errorprocessing", "inactive cannot be restored: every node to unconfigured").
				step("/slam", "", "late", "inactive", "no answer to activate in 20.1s").
				step("/lidar", "cleanup", "undone", "unconfigured", "unconfigured in 1ms").
				turns("shuttingdown", "neither inactive nor unconfigured can be reached: shutting down").
				step("/slam", "shutdown", "late", "inactive", "no answer to shutdown").
				settles("finalized", "activate failed: /slam no answer to activate in 10s").
				finishes("aborted finalized", "activate aborted").
				add(Line{Kind: KindEnd, Sentence: "rstate ended", Cause: "not finalized: /slam"}),
			`
The network was finalized, not active, at 05:58:21: activate failed. rstate ended at 05:58:21: not finalized: /slam.
  activate was asked for at 05:58:01
  /slam: activate late at 05:58:11: no answer to activate in 10s
    last seen inactive
    try: see whether /slam hangs in on_activate: ros2 lifecycle get /slam gets no answer then
    try: if it only takes longer, give it more in the network file: deadline: {activate: …}
  /slam: late at 05:58:21: no answer to activate in 20s
    last seen inactive
    try: see whether /slam hangs: ros2 lifecycle get /slam; if it does, start its process again
  inactive cannot be restored: every node to unconfigured (05:58:21)
    /slam: late at 05:58:21: no answer to activate in 20.1s
      last seen inactive
      try: see whether /slam hangs: ros2 lifecycle get /slam; if it does, start its process again
  neither inactive nor unconfigured can be reached: shutting down (05:58:21)
    /slam: shutdown late at 05:58:21: no answer to shutdown
      last seen inactive
      try: see whether /slam hangs in on_shutdown: ros2 lifecycle get /slam gets no answer then
      try: if it only takes longer, give it more in the network file: deadline: {shutdown: …}
  the network is finalized (05:58:21)
  try: start again, as nothing else leaves finalized: the processes of /slam
  try: rstate run FILE, when they are there
`,
		},
		{
			"a node lost while armed, and arming refused since",
			adopted("active").commanded("arm", "arming", "active", "armed").settles("armed", "arm was asked for").
				finishes("succeeded done", "arm succeeded").later(time.Hour).
				node(EventGone, "/slam", "/slam is gone", "", "left the graph").
				node(EventStrayed, "/slam", "/slam is lost: left the graph", "", "").
				last(func(l *Line) { l.State, l.Verdict = "armed", "gone" }).
				forgetGoal().
				begins("disarm", "disarming", "armed", "active", "disarm: /slam is lost: left the graph").
				step("/arm_driver", "disarm", "done", "active", "active in 1ms").
				settles("active", "disarm: /slam is lost: left the graph").later(time.Minute).
				refuses("arm", "arm was rejected: the network is not intact").later(time.Minute).
				refuses("arm", "arm was rejected: the network is not intact"),
			`
The network is active, not armed, since 06:58:01: disarm, without a command. It is not intact.
  disarm: /slam is lost: left the graph (06:58:01)
  /slam is lost: left the graph, since 06:58:01
    try: start the process of /slam again, and read why it ended
  arm was rejected: the network is not intact (07:00:01, the last of 2 times)
  try: rstate send active brings every node that is there back to its place
  try: rstate send armed, when that is put right
`,
		},
		{
			"nodes became unresponsive, and some answer again or are gone",
			adopted("active").later(time.Hour).forgetGoal().
				node(EventSilent, "/a", "/a is unresponsive: it left 2 reads of its state without an answer", "active", "").
				node(EventSilent, "/b", "/b is unresponsive: it left 2 reads of its state without an answer", "active", "").
				node(EventSilent, "/c", "/c is unresponsive: it left 2 reads of its state without an answer", "active", "").
				node(EventAnswers, "/b", "/b answers again", "active", "").
				node(EventGone, "/c", "/c is gone", "", "left the graph"),
			`
The network is active since 05:57:01, as rstate found it when it started.
  rstate starts as 9f2c at 05:57:00
    adopted: /lidar active, /slam active
  /a is unresponsive: it left 2 reads of its state without an answer, since 06:57:01
    try: see whether /a hangs: ros2 lifecycle get /a; if it does, start its process again
`,
		},
		{
			"a policy calls a loss a failure",
			adopted("active").later(time.Hour).forgetGoal().
				node(EventStrayed, "/b", "/b is lost: left the graph", "", "").
				fails("/b is lost: left the graph", "active").last(func(l *Line) { l.Node, l.Verdict = "/b", "gone" }).
				step("/b", "", "gone", "", "left the graph").
				turns("errorprocessing", "active cannot be restored: every node to unconfigured").
				step("/a", "cleanup", "undone", "unconfigured", "unconfigured in 2ms").
				settles("unconfigured", "/b is lost: left the graph").
				node(EventFits, "/b", "/b is as unconfigured says", "", ""),
			`
The network is unconfigured, not active, since 06:57:01: /b is lost: left the graph.
  /b is lost: left the graph (06:57:01)
    try: start the process of /b again, and read why it ended
  active cannot be restored: every node to unconfigured (06:57:01)
  the network is unconfigured (06:57:01)
  try: rstate send active, when that is put right
`,
		},
		{
			"a peer's change is followed",
			adopted("active").later(time.Minute).forgetGoal().
				begins("arm", "arming", "active", "armed", "arm: mirrored from /base/rstate").last(func(l *Line) { l.Node = "/base/rstate" }).
				step("/driver", "arm", "done", "active", "armed").
				settles("armed", "arm: mirrored from /base/rstate"),
			`
The network is armed since 05:58:01: arm, as /base/rstate did.
  arm: mirrored from /base/rstate (05:58:01)
`,
		},
		{
			"a peer's change fails here",
			adopted("inactive").later(time.Minute).forgetGoal().
				begins("activate", "activating", "inactive", "active", "activate: mirrored from /base/rstate").last(func(l *Line) { l.Node = "/base/rstate" }).
				step("/slam", "activate", "refused", "inactive", "answered no to activate; it is still inactive").
				fails("activate failed: /slam answered no to activate; it is still inactive", "inactive").
				settles("inactive", "activate failed: /slam answered no to activate; it is still inactive"),
			`
The network is inactive, not active, since 05:58:01: activate failed.
  activate: mirrored from /base/rstate (05:58:01)
  /slam: activate refused at 05:58:01: answered no to activate; it is still inactive
    last seen inactive
    try: read what /slam logged at 05:58:01: its on_activate said no
  the network is inactive (05:58:01)
  try: rstate send active, when that is put right
`,
		},
		{
			"cancelled",
			adopted("unconfigured").commanded("configure", "configuring", "unconfigured", "inactive").
				step("/lidar", "configure", "done", "inactive", "inactive in 1ms").later(2*time.Second).
				add(Line{Kind: KindGoal, Event: EventCanceled, Goal: "configure/1", Sentence: "configure is cancelled"}).
				turns("configuring", "cancelled: back to unconfigured").
				step("/lidar", "cleanup", "undone", "unconfigured", "unconfigured in 1ms").
				settles("unconfigured", "configure was asked for").
				finishes("canceled canceled", "configure was cancelled"),
			`
The network is unconfigured, not inactive, since 05:58:03: configure was cancelled.
  configure was asked for at 05:58:01
  cancelled: back to unconfigured (05:58:03)
    its caller cancelled it at 05:58:03
  the network is unconfigured (05:58:03)
  try: rstate send configure, if it is still wanted
`,
		},
		{
			"killed in the middle, and lowered by the next start",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").
				step("/lidar", "activate", "done", "active", "active in 1ms").later(9*time.Hour).
				starts("b771").later(time.Second).
				turns("unknown", "lowering what is higher than inactive").
				step("/lidar", "deactivate", "done", "inactive", "inactive in 1ms").
				settles("inactive", "the nodes were found in different states: /lidar active, /slam inactive"),
			`
The network is inactive since 14:58:02, to which rstate lowered it when it started.
  rstate ended without a word some time after 05:58:01: killed, crashed, or the power went
  rstate starts as b771 at 14:58:01
    the nodes were found in different states: /lidar active, /slam inactive
  lowering what is higher than inactive (14:58:02)
  before that activate was under way since 05:58:01, from inactive to active
    activate was asked for at 05:58:01
    went well: /lidar
  try: rstate send activate, if it is still wanted
`,
		},
		{
			"restarted after a failure of the day before",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").
				step("/slam", "activate", "errored", "finalized", "activate erred; it is now finalized").
				fails("activate failed: /slam activate erred; it is now finalized", "inactive").
				settles("inactive", "activate failed").finishes("aborted restored", "activate aborted").
				add(Line{Kind: KindEnd, Sentence: "rstate ends", Cause: "rstate stops: SIGTERM"}).
				later(24*time.Hour).starts("b771").later(time.Second).
				settles("inactive", "adopted: /lidar inactive, /slam finalized").
				node(EventStrayed, "/slam", "/slam is finalized, not inactive", "finalized", ""),
			`
The network is inactive since 05:58:02, as rstate found it when it started. It is not intact.
  rstate starts as b771 at 05:58:01
    adopted: /lidar inactive, /slam finalized
  before that the network was inactive, not active, since 2026-03-02 05:58:01: activate failed
    activate was asked for at 2026-03-02 05:58:01
    /slam: activate errored at 2026-03-02 05:58:01: activate erred; it is now finalized
      last seen finalized
      try: read what /slam logged at 2026-03-02 05:58:01: its on_activate ended in an error
      try: start the process of /slam again: nothing else leaves finalized
    the network is inactive (2026-03-02 05:58:01)
  /slam is finalized, not inactive, since 05:58:02
    try: start the process of /slam again: nothing else leaves finalized
  try: rstate send inactive brings every node that is there back to its place, but none that is finalized, and none that comes after such a node
`,
		},
		{
			"nodes of which the same is to be told, and one of which more is",
			adopted("inactive").later(time.Second).
				node(EventStrayed, "/lidar", "/lidar is driven by /base too", "inactive", "").
				node(EventStrayed, "/slam", "/slam is driven by /base too", "inactive", "").
				node(EventStrayed, "/arm", "/arm is finalized, not inactive", "finalized", "").
				node(EventStrayed, "/camera", "/camera is driven by /base too", "inactive", "").
				node(EventStrayed, "/wheels", "/wheels is finalized, not inactive", "finalized", ""),
			`
The network is inactive since 05:57:01, as rstate found it when it started. It is not intact.
  rstate starts as 9f2c at 05:57:00
    adopted: /lidar inactive, /slam inactive
  /lidar, /slam, /camera: is driven by /base too, since 05:57:02
  /arm is finalized, not inactive, since 05:57:02
    try: start the process of /arm again: nothing else leaves finalized
  /wheels is finalized, not inactive, since 05:57:02
    try: start the process of /wheels again: nothing else leaves finalized
  try: rstate send inactive brings every node that is there back to its place, but none that is finalized, and none that comes after such a node
`,
		},
		{
			"pre-empted by shutdown",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").later(time.Second).
				finishes("aborted preempted", "activate aborted: pre-empted by shutdown").
				asks("shutdown", "smoke").
				begins("shutdown", "shuttingdown", "inactive", "finalized", "shutdown was asked for: smoke").
				settles("finalized", "shutdown was asked for: smoke").finishes("succeeded done", "every node is finalized"),
			`
The network is finalized since 05:58:02: shutdown took it there.
  shutdown was asked for at 05:58:02: smoke
  shutdown pre-empted activate, under way since 05:58:01
    activate aborted: pre-empted by shutdown (05:58:02)
`,
		},
		{
			"the way to a state ends before the state",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").later(time.Second).
				settles("active", "activate was asked for").
				finishes("aborted done", "armed aborted: the network is active; arm was not begun: not known to be disarmed: /arm"),
			`
The network is active since 05:58:02: activate took it there.
  activate was asked for at 05:58:01
  armed aborted: the network is active; arm was not begun: not known to be disarmed: /arm (05:58:02)
`,
		},
		{
			"under way",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").
				step("/lidar", "activate", "done", "active", "active in 1ms").
				add(Line{Kind: KindStep, Event: EventSent, Node: "/slam", Step: "activate"}),
			`
The network is activating since 05:58:01: activate is under way from inactive to active.
  activate was asked for at 05:58:01
  /slam: activate since 05:58:01
  went well: /lidar
  try: rstate status shows what it waits for
`,
		},
		{
			"still starting",
			newStory("2026-03-02 05:57:00").starts("9f2c").node(EventThere, "/lidar", "/lidar is there", "", ""),
			`
The network is unknown since 05:57:00: rstate has started and has not read every node yet.
  rstate starts as 9f2c at 05:57:00
  try: rstate status shows what it waits for
`,
		},
		{
			"two processes of one name, and a disarm without confirmation",
			adopted("armed").commanded("disarm", "disarming", "armed", "active").
				step("/arm", "disarm", "late", "active", "no answer to disarm in 2s").
				settles("active", "disarm was asked for").
				node(EventStrayed, "/slam", "/slam is there 2 times: end all but one", "active", "").
				last(func(l *Line) { l.Count = 2 }).
				node(EventStrayed, "/arm", "/arm may be armed", "active", "").last(func(l *Line) { l.Step = "disarm" }).
				finishes("aborted held", "disarm aborted: /arm no answer to disarm in 2s"),
			`
The network is active since 05:58:01: disarm took it there. It is not intact.
  disarm was asked for at 05:58:01
  /arm: disarm late at 05:58:01: no answer to disarm in 2s
    last seen active
    try: take /arm to be armed and keep away until it confirms; rstate asks it every second
  disarm aborted: /arm no answer to disarm in 2s (05:58:01)
  /slam is there 2 times: end all but one, since 05:58:01
    try: end all but one of the 2 processes that are called /slam
  /arm may be armed, since 05:58:01
    try: take /arm to be armed and keep away until it confirms; rstate asks it every second
  try: rstate send active brings every node that is there back to its place
`,
		},
		{
			"a silent node, an optional one that is missing, and a process that died in the middle",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").
				step("/camera", "activate", "gone", "", "is not there").last(func(l *Line) { l.Optional = true }).
				node(EventGone, "/lidar", "/lidar is gone", "", "its liveliness ended").
				step("/lidar", "activate", "gone", "activating", "its liveliness ended").
				last(func(l *Line) { l.SeenAgo = 95 * time.Second }).
				step("/slam", "", "unknown", "inactive", "does not answer get_state").
				fails("activate failed: /lidar its liveliness ended; /slam does not answer get_state", "inactive"),
			`
The network is error processing since 05:58:01: activate failed, which is being put right.
  activate was asked for at 05:58:01
  /lidar: activate gone at 05:58:01: its liveliness ended
    it went at 05:58:01: its liveliness ended
    last seen activating, 1m35s before
    try: start the process of /lidar again, and read why it ended
  /slam: unknown at 05:58:01: does not answer get_state
    last seen inactive
    try: see whether /slam hangs: ros2 lifecycle get /slam; if it does, start its process again
  /camera: activate gone at 05:58:01: is not there (optional)
    try: start the process of /camera again, and read why it ended
  try: rstate status shows what it waits for
`,
		},
		{
			"nothing written yet",
			newStory("2026-03-02 05:57:00"),
			`
The journal says nothing yet.
  try: rstate status
`,
		},
		{
			"only the end is left",
			newStory("2026-03-02 05:57:00").settles("active", "activate was asked for"),
			`
The network is active since 05:57:00: activate was asked for.
`,
		},
		{
			"a stall while armed",
			armedStory().later(time.Minute).stalls().later(time.Second).
				step("/driver", "disarm", "done", "active", "disarmed in 1ms").
				settles("active", "adopted: /driver active"),
			`
The network is active, not armed, since 05:59:02: the process did not run for 2.0 s.
  the process did not run for 2.0 s, until 05:59:01
    so rstate read its nodes anew, and disarmed those that may have been armed: /driver
    adopted: /driver active
  before that the network was armed since 05:58:01: arm took it there
  try: rstate send armed, if it is still wanted
`,
		},
		{
			"a stall while armed, and nodes are still being read",
			armedStory().later(time.Minute).stalls(),
			`
The network is unknown since 05:59:01: the process did not run for 2.0 s, and rstate has not read every node since.
  the process did not run for 2.0 s at 05:59:01
  before that the network was armed since 05:58:01: arm took it there
  try: rstate status shows what it waits for
`,
		},
		{
			"a stall while nothing is armed",
			adopted("active").later(time.Minute).stalls().later(time.Second).settles("active", "adopted: /driver active"),
			`
The network is active since 05:58:02: the process did not run for 2.0 s.
  the process did not run for 2.0 s at 05:58:01
    adopted: /driver active
  before that the network was active since 05:57:01, as rstate found it when it started
    rstate starts as 9f2c at 05:57:00
      adopted: /lidar active, /slam active
`,
		},
		{
			"a stall, and the process is killed",
			armedStory().later(time.Minute).stalls().killed(),
			`
The network was unknown at 05:59:01: the process did not run for 2.0 s, and rstate has not read every node since. rstate ended without a word some time after 05:59:01: killed, crashed, or the power went.
  the process did not run for 2.0 s at 05:59:01
  before that the network was armed since 05:58:01: arm took it there
  try: rstate run FILE starts it again, and it adopts what is there
`,
		},
		{
			"a late loop while armed",
			armedStory().later(time.Minute).add(Line{Kind: KindStall, Event: EventLate, Sentence: "the loop was busy for 0.7 s"}),
			`
The network is armed since 05:58:01: arm took it there.
  arm was asked for at 05:58:01
`,
		},
		{
			"a stall as a former version recorded it",
			armedStory().formerStall(),
			`
The network is active, not armed, since 05:59:02: rstate stood still for 2s.
  rstate stood still for 2s at 05:59:01
    adopted: /driver active
  before that the network was armed since 05:58:01: arm took it there
  try: rstate send armed, if it is still wanted
`,
		},
		{
			"read on the next day",
			armedStory().readAfter(24 * time.Hour),
			`
The network is armed since 2026-03-02 05:58:01: arm took it there.
  arm was asked for at 2026-03-02 05:58:01
`,
		},
		{
			"read a year later, on the same day of the year",
			adopted("active").readAfter(365 * 24 * time.Hour),
			`
The network is active since 2026-03-02 05:57:01, as rstate found it when it started.
  rstate starts as 9f2c at 2026-03-02 05:57:00
    adopted: /lidar active, /slam active
`,
		},
		{
			"read right after midnight",
			newStory("2026-03-02 23:59:59").settles("active", "activate was asked for").readAfter(2 * time.Second),
			`
The network is active since 2026-03-02 23:59:59: activate was asked for.
`,
		},
		{
			"killed, and not started again",
			adopted("inactive").commanded("activate", "activating", "inactive", "active").
				add(Line{Kind: KindStep, Event: EventSent, Node: "/slam", Step: "activate"}).killed(),
			`
The network was activating at 05:58:01: activate is under way from inactive to active. rstate ended without a word some time after 05:58:01: killed, crashed, or the power went.
  activate was asked for at 05:58:01
  /slam: activate since 05:58:01
  try: rstate run FILE starts it again, and it adopts what is there
`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, want := Why(c.story.lines, !c.story.dead, c.story.at.Add(c.story.read)).String(), strings.TrimPrefix(c.want, "\n"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// readAfter sets how long after the last line the story is read.
func (s *story) readAfter(d time.Duration) *story {
	s.read = d
	return s
}

// stalls continues with a process that was suspended for 2 s.
func (s *story) stalls() *story {
	s.goal = ""
	return s.add(Line{Kind: KindStall, Event: EventStalled, State: "unknown", Sentence: "the process did not run for 2.0 s"})
}

// armedStory is the story of a network that was armed by command.
func armedStory() *story {
	return adopted("active").commanded("arm", "arming", "active", "armed").
		step("/driver", "arm", "done", "active", "armed").settles("armed", "arm was asked for").finishes("succeeded done", "arm succeeded")
}

func (s *story) killed() *story {
	s.dead = true
	return s
}

// formerStall continues as an earlier version of rstate recorded a stall: as a start of the same instance.
func (s *story) formerStall() *story {
	for i := range s.lines {
		s.lines[i].Instance = "9f2c"
	}
	s.later(time.Minute).starts("9f2c").last(func(l *Line) { l.Instance, l.Sentence = "9f2c", "rstate stood still for 2s" })
	return s.later(time.Second).settles("active", "adopted: /driver active").last(func(l *Line) { l.Instance = "9f2c" })
}

// forgetGoal removes the goal from the following lines.
func (s *story) forgetGoal() *story {
	s.goal = ""
	return s
}

// Any part of a journal gives an answer.
func TestWhyOfAnyPart(t *testing.T) {
	s := adopted("inactive").commanded("activate", "activating", "inactive", "active").
		step("/slam", "activate", "refused", "inactive", "answered no").fails("activate failed", "inactive").
		turns("errorprocessing", "inactive cannot be restored").settles("unconfigured", "").finishes("aborted unconfigured", "x").
		later(time.Hour).starts("b").settles("unconfigured", "adopted").refuses("arm", "arm was rejected")
	for from := range s.lines {
		for to := from; to <= len(s.lines); to++ {
			if text := Why(s.lines[from:to], from%2 == 0, s.at).String(); strings.TrimSpace(text) == "" || strings.Contains(text, "%!") {
				t.Errorf("lines %d to %d: %q", from, to, text)
			}
		}
	}
}

func TestLastSettled(t *testing.T) {
	began := func(s *story) *story { return s.commanded("activate", "activating", "inactive", "active") }
	passing := func() *story {
		return adopted("unconfigured").commanded("active", "configuring", "unconfigured", "inactive").settles("inactive", "").
			last(func(l *Line) { l.Goal, l.Then = "active/1", "activate" })
	}
	for _, c := range []struct {
		name  string
		lines []Line
		want  string
	}{
		{"empty", nil, ""},
		{"settled", adopted("inactive").lines, "inactive"},
		{"a goal that changed nothing yet", adopted("inactive").asks("activate", "").lines, "inactive"},
		{"on the way", began(adopted("inactive")).lines, ""},
		{"arrived", began(adopted("inactive")).settles("active", "").lines, "active"},
		{"passed through", passing().lines, ""},
		{"passed through, and the goal ended there", passing().finishes("aborted done", "x").lines, "inactive"},
		{"passed through, and another goal ended", passing().add(Line{Kind: KindGoal, Event: EventFinished, Goal: "other"}).lines, ""},
		{"in error processing", began(adopted("inactive")).fails("x", "inactive").lines, ""},
		{"a start that came no further", adopted("inactive").starts("b").lines, "inactive"},
		{"lines missing after it", append(adopted("inactive").lines, Line{N: 9, Kind: KindRefusal}), ""},
		{"lines missing before it", []Line{{N: 1, Kind: KindGoal}, {N: 9, Kind: KindState, Event: EventSettled, State: "active"}}, "active"},
		{"the next run's first lines missing", append(adopted("inactive").lines, Line{N: 2, Instance: "b", Kind: KindNode}), ""},
		{"the next run came no further", append(adopted("inactive").lines, Line{N: 1, Instance: "b", Kind: KindStart}), "inactive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := LastSettled(c.lines); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
