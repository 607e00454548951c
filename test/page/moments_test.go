package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

// moment is what a person sees at one time of a robot's life. Pictures are made of them, and each is checked for
// accessibility and with large text.
type moment struct {
	name, list string // the list that is open
	sims       []httpapi.Simulation
	story      func() ([]httpapi.Entry, httpapi.Why)
	act        func(b *tab, w *world) // what a person does, or what happens, once the page is there
}

var moments = []moment{
	{"inactive", "timeline", one(robot("inactive")), risen, nil},
	{"activating", "why", one(activating()), rising, nil},
	{"failed", "why", one(failed()), story, nil},
	{"failed-timeline", "timeline", one(failed()), story, nil},
	{"recovering", "history", one(recovering()), story, nil},
	{"ready", "history", one(robot("active")), risen, func(b *tab, _ *world) {
		b.do(chromedp.Click(".grounds summary"))
		b.until(`document.querySelector(".grounds").open`)
	}},
	{"holding", "timeline", one(robot("active")), risen, func(b *tab, _ *world) {
		b.again(func() bool {
			b.script(`document.querySelector(".arm-button").focus()`)
			b.key(input.DispatchKeyEventTypeKeyDown, false)
			if b.held() {
				return true
			}
			b.key(input.DispatchKeyEventTypeKeyUp, false)
			return false
		})
	}},
	{"armed", "timeline", one(armed()), risen, nil},
	{"drifted", "why", one(drifted()), lost, nil},
	{"stopped", "why", one(stopped()), pressed, nil},
	{"gone", "why", one(armed()), risen, func(b *tab, w *world) {
		w.stop()
		b.shows(".link", "No news")
		b.shows(".stale-note", "cannot be heard")
	}},
	{"peers", "peers", one(withPeers()), risen, nil},
	{"loop", "loop", one(looping()), risen, nil},
	{"factory", "simulations", factory(), risen, nil},
	{"what-if", "what-if", one(armed()), risen, func(b *tab, _ *world) {
		b.do(chromedp.Click(".what-if button.plain"))
		b.until(`document.querySelector(".what-if tbody, .what-if .bad")`)
	}},
	{needsToken, "why", one(robot("active")), risen, func(b *tab, _ *world) {
		b.clicks(commandButton)
		b.until(`document.querySelector("dialog[open]")`)
	}},
	{"ending", "timeline", one(robot("active")), risen, func(b *tab, _ *world) {
		b.clicks(endButton)
		b.shows(".ending-step", "no command leads back")
	}},
	{"long-names", "timeline", one(longNames()), longStory, nil},
	{"many", "why", one(many(200)), risen, nil},
}

// needsToken is the moment at which the server has a token.
const needsToken = "token"

func one(s httpapi.Simulation) []httpapi.Simulation { return []httpapi.Simulation{s} }

// opens opens a page of its own at the moment.
func (m moment) opens(t testing.TB, b *tab, w *world) {
	t.Helper()
	w.becomes(m.sims...)
	w.mu.Lock()
	w.answer = nil
	w.entries, w.why = m.story()
	w.mu.Unlock()
	if m.name == needsToken {
		w.stop()
		w.token = "sixteen_letters_or_more"
		w.start(t, w.address)
	}
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+w.address+"/#"+m.sims[0].ID+"/"+m.list))
	b.shows(".state", m.sims[0].State)
	b.shows(".link", "Live")
	b.until(`!document.querySelector("#list").innerText.includes("Loading")`)
	if m.act != nil {
		m.act(b, w)
	}
}

// closes makes good what happened at the moment.
func (m moment) closes(t testing.TB, w *world) {
	if m.name == "gone" {
		w.start(t, w.address)
	}
	if w.token != "" {
		w.stop()
		w.token = ""
		w.start(t, w.address)
	}
}

// recovering is the robot while nodes are rolled back.
func recovering() httpapi.Simulation {
	s := activating()
	s.State, s.Target = "deactivating", "inactive"
	left := 12.0
	s.Progress = &httpapi.Progress{Command: "activate", Origin: "goal", Client: "rstate send on pc7", From: "inactive",
		Via: "deactivating", Recovery: "restore", Done: 1, Total: 2, Elapsed: 3.4, TimeLeft: &left,
		WaitingFor: []string{"/lidar to deactivate"}}
	for i := range s.Nodes {
		s.Nodes[i].State, s.Nodes[i].Expected, s.Nodes[i].Running, s.Nodes[i].TimeLeft = "inactive", "inactive", "", nil
	}
	s.Nodes[0].State, s.Nodes[0].Running = "active", "deactivate"
	return s
}

// withPeers is a robot of three hosts, one of which is silent.
func withPeers() httpapi.Simulation {
	s := robot("active")
	s.Peers = []httpapi.Peer{
		{Name: "/base/rstate", Required: true, Alive: true, State: "active", Target: "active", Intact: true},
		{Name: "/arm/rstate", Required: true, State: "inactive", Target: "inactive", Intact: true, Cause: "its liveliness was lost"},
		{Name: "/camera/rstate", Alive: true, State: "inactive", Target: "active", Intact: true, Behind: true,
			Cause: "/camera/driver refused to activate"}}
	return s
}

// looping is a stepped simulation that runs.
func looping() httpapi.Simulation {
	s := robot("active")
	s.State, s.Target, s.Machine, s.Cause = "running", "running", "cle", "start was asked for by rstate send on pc7"
	s.Commands = []httpapi.Command{{Name: "pause", To: "paused"}, {Name: "stop", To: "stopped"}}
	s.AllCommands = slices.Concat([]httpapi.Command{{Name: "start", To: "running", WhyNot: "legal in: paused, stopped"}}, s.Commands,
		[]httpapi.Command{{Name: "shutdown", To: "released", Ends: true, Role: "shutdown", WhyNot: "the loop runs"}})
	s.Disarm, s.Readiness, s.Obstacles, s.Stops, s.Checks = "", "", nil, nil, nil
	s.Nodes = s.Nodes[:2]
	s.Nodes[0].Name, s.Nodes[1].Name, s.Nodes[1].After = "/physics", "/pilot", []string{"/physics"}
	s.Loop = &httpapi.Loop{Phase: "step_simulator", Step: 48210, Time: 964.2, Rate: 49.7, Overruns: 3,
		Participants: []httpapi.Participant{{Node: "/physics", Phase: "step_simulator", Count: 48210, Mean: 0.0092, Max: 0.031},
			{Node: "/pilot", Phase: "step_controller", Count: 48209, Mean: 0.0041, Max: 0.0052}}}
	return s
}

// factory is five simulations, one of which has a lost node, and one is armed.
func factory() (list []httpapi.Simulation) {
	for i, s := range []httpapi.Simulation{robot("active"), armed(), drifted(), robot("inactive"), robot("unconfigured")} {
		s.ID, s.Name, s.Owner = fmt.Sprint(7000+i), fmt.Sprintf("/cell_%d/rstate", i+1), []string{"nightly", "anna"}[i%2]
		list = append(list, s)
	}
	return list
}

// longNames is a robot whose nodes have long names, in a long order.
func longNames() httpapi.Simulation {
	s := robot("active")
	name := func(i int) string {
		return fmt.Sprintf("/warehouse_%d/%s/controller_manager_of_the_left_gripper", i, strings.Repeat("very_", 8)+"long")
	}
	s.Nodes = nil
	for i := range 7 {
		n := httpapi.Node{Name: name(i), Lifecycle: true, Present: true, State: "active", Expected: "active"}
		if i > 0 {
			n.After = []string{name(i - 1)}
		}
		s.Nodes = append(s.Nodes, n)
	}
	s.Nodes[0].Armable = true
	s.Nodes[6].Present, s.Nodes[6].State, s.Nodes[6].Cause = false, "unknown", "is lost: its process has ended"
	s.Deviations = []httpapi.Deviation{{Name: name(6), Expected: "active", Found: "lost", Cause: s.Nodes[6].Cause}}
	s.Readiness, s.Obstacles = "not ready", []httpapi.Obstacle{{Name: name(6), Why: "is lost, not active", Do: "start it again"}}
	s.Intact, s.Name = false, "/warehouse_of_the_northern_branch/"+strings.Repeat("very_", 8)+"long/rstate"
	return s
}

// ago is when the stories of moments end.
const ago = 20 * time.Second

// teller writes entries of a history; times are seconds since the story begins.
type teller struct {
	begin   time.Time
	entries []httpapi.Entry
}

func tell(lasts float64) *teller {
	return &teller{begin: time.Now().Add(-ago - time.Duration(lasts*float64(time.Second)))}
}

func (t *teller) at(s float64) time.Time { return t.begin.Add(time.Duration(s * float64(time.Second))) }

func (t *teller) add(at float64, e httpapi.Entry) {
	e.Stamp, e.Run, e.N = t.at(at), "1", uint64(len(t.entries)+1)
	t.entries = append(t.entries, e)
}

func (t *teller) step(node, step, verdict string, ends, took float64, text string) {
	t.add(ends, httpapi.Entry{Kind: "step", Node: node, Step: step, Verdict: verdict, Took: &took, Text: text})
}

func (t *teller) asks(at float64, command string) {
	t.add(at, httpapi.Entry{Kind: "command", Command: command, Client: "rstate send on pc7", Text: command + " was asked for"})
}

func (t *teller) ends(at float64, command, verdict string, took float64, text string) {
	t.add(at, httpapi.Entry{Kind: "command", Command: command, Verdict: verdict, Took: &took, Text: text})
}

// raises tells how all nodes were configured and activated, one after the other where the order says so.
func raises() *teller {
	t := tell(7)
	t.asks(0, "configure")
	t.step("/camera", "configure", "done", .3, .3, "/camera inactive")
	t.step("/lidar", "configure", "done", 1.1, 1.1, "/lidar inactive")
	t.step("/slam", "configure", "done", 2.3, 1.2, "/slam inactive")
	t.step("/arm_driver", "configure", "done", 2.8, .5, "/arm_driver inactive")
	t.ends(2.8, "configure", "succeeded", 2.8, "configure succeeded: the network is inactive")
	t.asks(3, "activate")
	t.step("/camera", "activate", "done", 3.8, .8, "/camera active")
	t.step("/lidar", "activate", "done", 4.9, 1.9, "/lidar active")
	t.step("/slam", "activate", "done", 6.3, 1.4, "/slam active")
	t.step("/arm_driver", "activate", "done", 6.32, .012, "/arm_driver active")
	t.ends(6.33, "activate", "succeeded", 3.33, "activate succeeded: the network is active")
	return t
}

// risen is the story of a robot that came up as it was asked to.
func risen() ([]httpapi.Entry, httpapi.Why) {
	t := raises()
	return t.entries, httpapi.Why{Text: "The network is as it was commanded since " + t.at(6.33).Format(time.TimeOnly) + ".",
		Because: []httpapi.Why{{At: t.at(3), Text: "activate was asked for by rstate send on pc7."}}}
}

// rising is the story of a robot that is on its way up.
func rising() ([]httpapi.Entry, httpapi.Why) {
	t := raises()
	return t.entries[:8], httpapi.Why{Text: "The network goes from inactive to active.",
		Because: []httpapi.Why{{At: t.at(3), Text: "activate was asked for by rstate send on pc7."},
			{Node: "/lidar", Text: "/lidar is being activated; /slam and /arm_driver wait for it."}}}
}

// lost is the story of a robot that was disarmed because a node was lost.
func lost() ([]httpapi.Entry, httpapi.Why) {
	t := raises()
	t.asks(8, "arm")
	t.add(20, httpapi.Entry{Kind: "drift", Node: "/lidar", Text: "/lidar is lost: its process has ended"})
	t.step("/arm_driver", "disarm", "done", 20.02, .011, "/arm_driver disarmed")
	return t.entries, httpapi.Why{Text: "The network is active, not armed, since " + t.at(20).Format(time.TimeOnly) + ": rstate disarmed it.",
		Try: []string{"rstate history --about /lidar"}, Because: []httpapi.Why{{At: t.at(20), Node: "/lidar",
			Text: "/lidar is lost: its process has ended.", Because: []httpapi.Why{
				{At: t.at(19.9), Text: "It logged: read of the serial port failed: device not configured"}}}}}
}

// pressed is the story of a robot whose stop button was pressed.
func pressed() ([]httpapi.Entry, httpapi.Why) {
	t := raises()
	t.asks(8, "arm")
	t.add(20, httpapi.Entry{Kind: "state", Text: "stop input /estop: /stop_button says stop"})
	return t.entries, httpapi.Why{Text: "The network is active, not armed, since " + t.at(20).Format(time.TimeOnly) + ": rstate disarmed it.",
		Because: []httpapi.Why{{At: t.at(20), Text: "Stop input /estop: /stop_button says stop."}}}
}

// longStory is a history with long names.
func longStory() ([]httpapi.Entry, httpapi.Why) {
	t := tell(5)
	t.asks(0, "activate")
	for i, n := range longNames().Nodes[:3] {
		t.step(n.Name, "activate", "done", float64(i+1), 1, n.Name+" active")
	}
	t.ends(3, "activate", "succeeded", 3, "activate succeeded")
	return t.entries, httpapi.Why{Text: "The network is not intact."}
}
