package daemon

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/journal"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

const demo = `
simulation: demo
nodes:
  /lidar: {}
  /slam: {after: [/lidar]}
  /camera: {optional: true}
  /arm_driver: {after: [/slam], arm: {}}
`

func parseDemo() (*network.Network, error) { return network.Parse("test.yaml", []byte(demo)) }

// must is for calls that cannot fail, where no test can receive the error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// tale is a history of a network, and the reason for its state. Times are written T, durations D.
type tale struct {
	name    string
	keys    string // of the network file, in front
	scripts map[string]simnet.Script
	options simnet.Options
	goals   []string // one after another, to where the tale begins
	tell    []simnet.Beat
	want    string
}

// lines plays a tale and returns its journal.
func (c tale) lines(t *testing.T) []journal.Line {
	t.Helper()
	c.options.Seed, c.options.Scripts = 1, c.scripts
	w := simnet.New(must(network.Parse("test.yaml", []byte(c.keys+demo))), c.options)
	beats := []simnet.Beat{{When: simnet.Settled(), Do: simnet.Nothing{}}}
	for _, g := range c.goals {
		beats = append(beats, simnet.Beat{When: simnet.Then(), Do: simnet.Send{Command: g}},
			simnet.Beat{When: simnet.Ended(g), Do: simnet.Nothing{}})
	}
	trace := w.Tell(append(beats, c.tell...)...).Run()
	if len(trace.Faults) > 0 {
		t.Fatalf("what must never be:\n%v", trace)
	}
	var lines []journal.Line
	for i, e := range trace.Entries {
		l := lineOf(e)
		l.N = uint64(i + 1)
		lines = append(lines, l)
	}
	return lines
}

var (
	clockTime = regexp.MustCompile(`\d\d:\d\d:\d\d`)
	duration  = regexp.MustCompile(`\b\d+(\.\d+)?(ms|s|µs|m\d+s)\b`)
)

func timeless(text string) string {
	return duration.ReplaceAllString(clockTime.ReplaceAllString(text, "T"), "D")
}

func on(node, step string, how simnet.On) map[string]simnet.Script {
	how.Do = step
	return map[string]simnet.Script{node: {On: []simnet.On{how}}}
}

func then(do simnet.Act) simnet.Beat { return simnet.Beat{When: simnet.Then(), Do: do} }

func send(command, reason string) simnet.Beat {
	return then(simnet.Send{Command: command, Reason: reason})
}

// TestWhy compares the engine's own records of typical histories with the text that the user gets.
func TestWhy(t *testing.T) {
	long := simnet.Options{Rest: 20 * time.Second}
	for _, c := range []tale{
		{
			name: "a refused goal", tell: []simnet.Beat{send("arm", "")},
			want: `
The network is unconfigured since T, as rstate found it when it started.
  rstate starts as instance 1 at T
    adopted: /lidar unconfigured, /slam unconfigured, /camera unconfigured, /arm_driver unconfigured
  arm was rejected: arm is not legal in unconfigured (first: configure, activate); legal now: configure, shutdown (T)
`,
		},
		{
			name: "a node refuses", scripts: on("/slam", "activate", simnet.On{End: simnet.Refuse}),
			goals: []string{"configure"},
			tell:  []simnet.Beat{send("activate", "morning run")},
			want: `
The network is inactive, not active, since T: activate failed.
  activate was asked for at T: morning run
  /slam: activate refused at T: answered no to activate; it is still inactive
    last seen inactive
    try: read what /slam logged at T: its on_activate said no
  went well: /camera, /lidar
  the network is inactive (T)
  try: rstate send activate, when that is put right
`,
		},
		{
			name:    "a node hangs, and the others rest in unconfigured",
			scripts: on("/slam", "activate", simnet.On{End: simnet.Hang}), goals: []string{"configure"},
			tell: []simnet.Beat{send("activate", "")},
			want: `
The network is unconfigured, not active, since T: activate failed. It is not intact.
  activate was asked for at T
  /slam: activate late at T: no answer to activate in D
    last seen activating, D before
    try: see whether /slam hangs in on_activate: ros2 lifecycle get /slam gets no answer then
    try: if it only takes longer, give it more in the network file: deadline: {activate: …}
  went well: /camera, /lidar
  /slam: late at T: no answer to activate in D
    last seen activating, D before
    try: see whether /slam hangs: ros2 lifecycle get /slam; if it does, start its process again
  inactive cannot be restored: every node to unconfigured (T)
  the network is unconfigured (T)
  /slam is activating, not unconfigured, since T
  try: rstate send unconfigured brings every node that is there back to its place
  try: rstate send activate, when that is put right
`,
		},
		{
			name: "a node dies on the way", scripts: on("/slam", "activate", simnet.On{End: simnet.Die}),
			goals: []string{"configure"},
			tell:  []simnet.Beat{send("activate", "")},
			want: `
The network is unconfigured, not active, since T: activate failed. It is not intact.
  activate was asked for at T
  /slam: activate gone at T: left the graph
    it went at T: left the graph
    try: start the process of /slam again, and read why it ended
  went well: /camera, /lidar
  inactive cannot be restored: every node to unconfigured (T)
  the network is unconfigured (T)
  /slam is lost: left the graph, since T
    try: start the process of /slam again, and read why it ended
  try: rstate send unconfigured brings every node that is there back to its place
  try: rstate send activate, when that is put right
`,
		},
		{
			name: "a node dies while armed", goals: []string{"armed"},
			tell: []simnet.Beat{then(simnet.Kill{Node: "/lidar"})}, options: long,
			want: `
The network is active, not armed, since T: disarm, without a command. It is not intact.
  disarm: /lidar is lost: left the graph (T)
  /lidar is lost: left the graph, since T
    try: start the process of /lidar again, and read why it ended
  try: rstate send active brings every node that is there back to its place
  try: rstate send armed, when that is put right
`,
		},
		{
			name: "cancelled", scripts: on("/slam", "configure", simnet.On{Takes: time.Second}),
			tell: []simnet.Beat{send("configure", ""),
				{When: simnet.Begun("configure", "/slam"), Do: simnet.Cancel{Handle: "configure"}}},
			want: `
The network is unconfigured, not inactive, since T: configure was cancelled.
  configure was asked for at T
  cancelled: back to unconfigured (T)
    its caller cancelled it at T
  the network is unconfigured (T)
  try: rstate send configure, if it is still wanted
`,
		},
		{
			name:    "pre-empted by disarm before anything was armed",
			scripts: on("/slam", "activate", simnet.On{Takes: time.Second}), goals: []string{"configure"},
			tell: []simnet.Beat{send("armed", ""),
				{When: simnet.Begun("activate", "/slam"), Do: simnet.Send{Command: "disarm"}}},
			want: `
The network is inactive, not active, since T: activate was taken back.
  armed was asked for at T
  cancelled: back to inactive (T)
  the network is inactive (T)
  armed aborted: pre-empted by disarm (T)
  try: rstate send armed, if it is still wanted
`,
		},
		{
			name: "pre-empted by shutdown", scripts: on("/slam", "activate", simnet.On{Takes: time.Second}),
			goals: []string{"configure"},
			tell: []simnet.Beat{send("activate", ""),
				{When: simnet.Begun("activate", "/slam"), Do: simnet.Send{Command: "shutdown", Reason: "smoke"}}},
			want: `
The network was finalized at T: shutdown took it there. rstate ends at T: the network is finalized.
  shutdown was asked for at T: smoke
  shutdown pre-empted activate, under way since T
    activate aborted: pre-empted by shutdown (T)
  try: start again, as nothing else leaves finalized: the processes of /arm_driver, /camera, /lidar, /slam
  try: rstate run FILE, when they are there
`,
		},
		{
			name: "a node strayed and was brought back", keys: "defaults: {on_drift: restore}",
			goals: []string{"active"},
			tell:  []simnet.Beat{then(simnet.Move{Node: "/slam", To: lifecycle.Inactive})}, options: long,
			want: `
The network is active since T: activate took it there.
  active was asked for at T
  /slam is inactive, not active at T, and is back in its place since T
    /slam: activate done at T: active in D
`,
		},
		{
			name: "a node strayed and will not come back", keys: "defaults: {on_drift: restore}",
			goals: []string{"active"}, options: long,
			scripts: map[string]simnet.Script{"/slam": {On: []simnet.On{{Do: "activate", Times: 1},
				{Do: "activate", End: simnet.Refuse}}}},
			tell: []simnet.Beat{then(simnet.Move{Node: "/slam", To: lifecycle.Inactive})},
			want: `
The network is active since T: activate took it there. It is not intact.
  active was asked for at T
  /slam is inactive, not active, since T
    /slam: activate refused at T: answered no to activate; it is still inactive, the last of 3 tries
      last seen inactive
      try: read what /slam logged at T: its on_activate said no
  try: rstate send active brings every node that is there back to its place
`,
		},
		{
			name: "the disk is full where a journal is required", keys: "journal: required", goals: []string{"active"},
			tell: []simnet.Beat{then(simnet.SetDisk{Disk: simnet.Disk{Silent: true}}), send("arm", "")},
			want: `
The network is active, not armed, since T: arm failed.
  arm was asked for at T
  /arm_driver: skipped at T: was not asked to arm: the network file says journal: required, and the journal was not safe within D: its disk does not answer; see to that disk (put that right first)
    last seen active, D before
  the network is active (T)
  try: rstate send arm, when that is put right
`,
		},
		{
			name: "a stall while armed", goals: []string{"armed"},
			tell: []simnet.Beat{then(simnet.Stall{For: 2 * time.Second})}, options: long,
			want: `
The network is active, not armed, since T: the process did not run for 2.0 s.
  the process did not run for 2.0 s, until T
    so rstate read its nodes anew, and disarmed those that may have been armed: /arm_driver
    adopted: /lidar active, /slam active, /camera active, /arm_driver active
  before that the network was armed since T: arm took it there
  try: rstate send armed, if it is still wanted
`,
		},
		{
			name: "killed in the middle", scripts: on("/slam", "activate", simnet.On{Takes: time.Second}),
			goals:   []string{"configure"},
			tell:    []simnet.Beat{send("activate", ""), {When: simnet.Begun("activate", "/slam"), Do: simnet.Crash{}}},
			options: long,
			want: `
The network is inactive since T, to which rstate lowered it when it started.
  rstate ended without a word some time after T: killed, crashed, or the power went
  rstate starts as instance 3 at T
    the nodes were found in different states: /lidar active, /slam active, /camera active, /arm_driver inactive
  lowering what is higher than inactive (T)
  before that activate was under way since T, from inactive to active
    activate was asked for at T
    /slam: activate since T
    went well: /camera, /lidar
  try: rstate send activate, if it is still wanted
`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := c.lines(t)
			got := timeless(journal.Why(lines, true, lines[len(lines)-1].At).String())
			if want := strings.TrimPrefix(c.want, "\n"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestA8TheStallIsTold: rstate why names the stall as the cause, right after it and after the nodes
// were read.
func TestA8TheStallIsTold(t *testing.T) {
	lines := tale{goals: []string{"armed"}, tell: []simnet.Beat{then(simnet.Stall{For: 2 * time.Second})},
		options: simnet.Options{Rest: 20 * time.Second}}.lines(t)
	stall := slices.IndexFunc(lines, func(l journal.Line) bool { return l.Kind == journal.KindStall })
	if stall < 0 {
		t.Fatalf("the journal has no stall: %+v", lines)
	}
	for end, want := range map[int]string{
		stall + 1:  "The network is unknown since T: the process did not run for 2.0 s, and rstate has not read every node since.\n",
		len(lines): "The network is active, not armed, since T: the process did not run for 2.0 s.\n",
	} {
		if got := timeless(journal.Why(lines[:end], true, lines[end-1].At).String()); !strings.HasPrefix(got, want) {
			t.Errorf("lines to %d: got:\n%s\nwant:\n%s", end, got, want)
		}
	}
}
