//go:build ros && !patient

package peers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/conformance"
)

// sideBySide is how many cases run concurrently: they mostly wait.
const sideBySide = 4

// quiet is how long the test listens for messages that must not arrive: longer than a status waits
// for its change.
const quiet = 1500 * time.Millisecond

// slow is how long a slow node takes, as in the cases.
const slow = 3 * time.Second

// TestConformance measures the daemon over ROS, with rclpy programs as peers. All are on one host.
func TestConformance(t *testing.T) {
	t.Parallel()
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan conformance.Case, len(cases))
	for _, c := range cases {
		waiting <- c
	}
	close(waiting)
	var all sync.WaitGroup
	for range sideBySide {
		// A program of peers for each case that runs: creating one peer must not delay those of
		// other cases, which must renew their liveliness.
		v := startVoices(t)
		all.Go(func() {
			for c := range waiting {
				t.Run(c.Rule+" "+c.Name, func(t *testing.T) { measure(t, c, v) })
			}
		})
	}
	all.Wait()
}

func measure(t *testing.T, c conformance.Case, v *voices) {
	s := &subject{t: t, voices: v, host: bed.StartHost(t)}
	t.Cleanup(func() { // the peers of this case are done
		if err := v.ask("hush", map[string]any{}); err != nil {
			t.Error(err)
		}
	})
	wrong, err := conformance.Measure(c, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// voices is a program that plays the peers of one case after another.
type voices struct {
	p   *bed.Process
	in  io.Writer
	out *bufio.Reader
}

func startVoices(t *testing.T) *voices {
	t.Helper()
	p, in, out := bed.StartPiped(t, "voices", bed.Command{Args: []string{"python3", "testdata/voices.py"}})
	v := &voices{p: p, in: in, out: bufio.NewReader(out)}
	if err := v.ask("hush", map[string]any{}); err != nil { // answered when it is ready
		t.Fatal(err)
	}
	return v
}

func (v *voices) ask(op string, request map[string]any) error {
	request["op"] = op
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err = v.in.Write(append(line, '\n')); err == nil {
		_, err = v.out.ReadString('\n')
	}
	if err != nil {
		return fmt.Errorf("the program that plays peers has ended; its log:\n%s", v.p.Log())
	}
	return nil
}

// subject is a daemon in a simulation of its own. The names of a case get that simulation as a
// prefix, so that cases do not meet.
type subject struct {
	t          *testing.T
	voices     *voices
	host       *bed.Host
	simulation string
	daemon     *daemon.Daemon
	node       *bed.Node
	topic      *bed.Subscription
	me, hash   string
	plain      bool   // follows plain peers
	asked      int    // the number of the node's calls that were reported
	made       uint64 // the number of changes that were reported
}

func (s *subject) name(of string) string { return "/" + s.simulation + of }

func (s *subject) names(of []string) []string {
	list := []string{}
	for _, n := range of {
		list = append(list, s.name(n))
	}
	return list
}

func (s *subject) Begin(setup conformance.Setup) error {
	s.simulation = bed.Unique(s.t, "case")
	s.plain = len(setup.Plain) > 0
	script := map[string][]bed.Behaviour{}
	if setup.Refuses != "" {
		script[setup.Refuses] = []bed.Behaviour{{Result: bed.Failure}}
	}
	if setup.Slow != "" {
		script[setup.Slow] = []bed.Behaviour{{Delay: slow}}
	}
	s.node = s.host.Node(bed.NodeSpec{Name: s.name("/n0"), Arm: s.name("/n0/arm"), Threads: 2, Script: script})
	s.host.Ready(s.node)
	for _, step := range map[string][]string{"inactive": {"configure"},
		"active": {"configure", "activate"}}[setup.State] {
		if ok, err := s.host.ChangeState(s.node.Name, step, bed.Deadline); !ok {
			return fmt.Errorf("the node does not %s: %v", step, err)
		}
	}
	keys := fmt.Sprintf("proof: 20s\npeers: {required: [%s], plain: [%s]}\n",
		strings.Join(s.names(setup.Required), ", "), strings.Join(s.names(setup.Plain), ", "))
	if setup.Secret {
		secret := filepath.Join(s.t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("the word is not said\n"), 0o600); err != nil {
			return err
		}
		keys += "arming: {secret_file: " + secret + "}\n"
	}
	s.topic = s.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState",
		Name: "/simulation/" + s.simulation + "/lifecycle", Latched: true})
	s.daemon = daemon.Start(s.t, s.host, daemon.Config{Binary: binary, Name: s.name("/me"), Simulation: s.simulation,
		Network: keys + "nodes:\n  " + s.node.Name + ": {arm: {}}\n"})
	v := s.daemon.Intact(setup.State)
	s.me, s.hash = v.InstanceID, v.MachineHash
	s.asked = len(s.node.Truth().Words()) // a start disarms nodes that may be armed
	return nil
}

func (s *subject) Command(name string) (bool, error) { return s.daemon.Goal(name).Accepted, nil }

func (s *subject) hashOf(alien bool) string {
	if alien {
		return "another"
	}
	return s.hash
}

// listeners returns how many subscriptions a change reaches: that of the test, that of the daemon
// for writers that renew their liveliness and, if the daemon follows plain peers, one more.
func (s *subject) listeners(instance string) int {
	n := 1
	if instance != "" {
		n++
	}
	if s.plain {
		n++
	}
	return n
}

func (s *subject) Hear(c conformance.Change) error {
	change := map[string]any{"source_state": c.Source, "event": c.Event, "target_state": c.Target}
	if c.Instance != "" {
		state := c.State
		if state == "" {
			state = c.Target
		}
		change["state"], change["settled"], change["seen"] = state, c.State == "", s.seen(c.Seen)
		change["machine"], change["machine_hash"] = "rstate", s.hashOf(c.Alien)
	}
	return s.voices.ask("change", map[string]any{"simulation": s.simulation, "name": s.name(c.Name),
		"instance": c.Instance,
		"change":   change, "listeners": s.listeners(c.Instance)})
}

func (s *subject) Tell(c conformance.Status) error {
	target := c.Target
	if target == "" {
		target = c.State
	}
	return s.voices.ask("tell", map[string]any{"simulation": s.simulation, "name": s.name(c.Name),
		"instance": c.Instance,
		"status": map[string]any{"state": c.State, "settled": !c.Moving, "intact": !c.Broken, "target": target,
			"seen":    s.seen(c.Seen),
			"machine": "rstate", "machine_hash": s.hashOf(c.Alien), "nodes": s.names(c.Nodes),
			"requires": s.names(c.Requires),
			"behind":   c.Behind, "leaving": c.Leaving}})
}

func (s *subject) Lose(name, instance string) error {
	return s.voices.ask("lose", map[string]any{"name": s.name(name), "instance": instance})
}

func (s *subject) Wait(d time.Duration) error {
	<-time.After(d) // the case lets that much time pass
	return nil
}

func (s *subject) Rest(d time.Duration) (conformance.Seen, error) {
	<-time.After(d + quiet) // the case lets that much time pass
	v := s.daemon.Await("the network has settled", func(v daemon.View) bool { return v.Settled })
	seen := conformance.Seen{State: v.State.Label, Seen: s.counts(v.ChangesSeen), Target: v.Common.Label, Behind: v.Behind}
	words := s.node.Truth().Words()
	for _, word := range words[s.asked:] {
		if n := len(seen.Asked); n == 0 || word != "disarm" || seen.Asked[n-1] != word {
			seen.Asked = append(seen.Asked, word)
		}
	}
	s.asked = len(words)
	for _, m := range s.topic.Messages() {
		var c struct {
			InstanceID  string `json:"instance_id"`
			Event       string
			TargetState string `json:"target_state"`
			Seen        []daemon.Seen
		}
		s.host.Decode(m.Message, &c)
		own := slices.IndexFunc(c.Seen, func(e daemon.Seen) bool { return e.Instance == s.me })
		if c.InstanceID == s.me && own >= 0 && c.Seen[own].N > s.made {
			s.made = c.Seen[own].N
			seen.Made = append(seen.Made,
				conformance.Made{Event: c.Event, Target: c.TargetState, Seen: s.counts(c.Seen)})
		}
	}
	return seen, nil
}

// seen converts the seen entries of a case to the ids in use here.
func (s *subject) seen(of map[string]uint64) map[string]uint64 {
	list := map[string]uint64{}
	for instance, n := range of {
		if instance == conformance.Me {
			instance = s.me
		}
		list[instance] = n
	}
	return list
}

// counts converts seen entries to the ids of a case.
func (s *subject) counts(of []daemon.Seen) map[string]uint64 {
	list := map[string]uint64{}
	for _, e := range of {
		name := e.Instance
		if name == s.me {
			name = conformance.Me
		}
		name = strings.Replace(name, "/"+s.simulation, "", 1) // a plain peer's entry has its name
		if e.N > 0 {
			list[name] = e.N
		}
	}
	return list
}
