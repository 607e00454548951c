//go:build ros

package faults

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/stall"
)

// stock is an environment that leaves the middleware's settings to rstate, as on a user's machine.
func stock(reach string) []string {
	return []string{"ROS_AUTOMATIC_DISCOVERY_RANGE=" + reach, "FASTDDS_BUILTIN_TRANSPORTS=",
		"FASTDDS_DEFAULT_PROFILES_FILE=", "FASTRTPS_DEFAULT_PROFILES_FILE="}
}

// segments lists the shared-memory files of the middleware that a process has mapped.
func segments(t *testing.T, p *bed.Process) (files []string) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "/dev/shm/"); ok && strings.Contains(name, "fast") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func run(t *testing.T, env []string, args ...string) *bed.Process {
	t.Helper()
	return bed.StartCommand(t, "rstate "+args[0], bed.Command{Args: append([]string{binary(t)}, args...), Env: env})
}

// rstate's processes use UDP only, and work with nodes and clients that have the stock settings,
// which prefer shared memory.
func TestNoSharedMemory(t *testing.T) {
	for _, reach := range []string{"LOCALHOST", "SUBNET"} {
		t.Run(reach, func(t *testing.T) {
			env := stock(reach)
			n := newNetwork(t, "")
			demo := n.rear + "_demo"
			n.text += fmt.Sprintf("  %s: {}\n", demo)
			host := bed.NewHost(t, env...)
			host.Node(bed.NodeSpec{Name: n.front, Threads: 2})
			host.Node(bed.NodeSpec{Name: n.rear, Threads: 2, Arm: n.rear + "/arm"})
			node := run(t, env, "node", demo)
			d := daemon.Start(t, host, daemon.Config{Binary: binary(t), Network: n.text, Env: env})
			guard := run(t, env, "guard", n.rear+"/arm", "--node", d.Name)
			watch := run(t, env, "watch", "--node", d.Name)
			d.Intact("unconfigured")
			d.Do("active", "succeeded done active") // a goal of the stock client, over stock nodes
			for _, command := range []string{"inactive", "active"} {
				if client := run(t, env, "send", command, "--node", d.Name); client.Wait(t) != 0 {
					t.Errorf("send %s failed", command)
				}
			}
			bed.Eventually(t, "watch shows active", func() (string, bool) {
				return watch.Log(), strings.Contains(watch.Log(), "active")
			})
			for _, p := range []*bed.Process{d.Process, node, guard, watch} {
				if files := segments(t, p); len(files) > 0 {
					t.Errorf("%s has mapped %v", p.Name, files)
				}
			}
			if reach == "LOCALHOST" && len(segments(t, host.Process())) == 0 {
				t.Error("the stock process has no shared memory: the test shows nothing")
			}
		})
	}
}

// A static peer without an address is reported, as rmw reports it; ROS_STATIC_PEERS is not dropped
// silently.
func TestStaticPeersAreKept(t *testing.T) {
	env := append(stock("LOCALHOST"), "ROS_STATIC_PEERS=nobody.invalid")
	p := run(t, env, "node", "/"+bed.Unique(t, "lonely"))
	if code := p.Wait(t); code != 4 || !strings.Contains(p.Log(), "nobody.invalid") {
		t.Errorf("code %d; its output:\n%s", code, p.Log())
	}
}

// A client for one goal is discovered by the daemon only. Other processes do not discover it; they
// do discover rstate watch.
func TestABriefClientIsDiscoveredByTheDaemonAlone(t *testing.T) {
	for _, reach := range []string{"LOCALHOST", "SUBNET"} {
		t.Run(reach, func(t *testing.T) {
			env := stock(reach)
			node := "/" + bed.Unique(t, "slow")
			host := bed.NewHost(t, env...)
			slow := host.Node(bed.NodeSpec{Name: node, Threads: 2})
			d := daemon.Start(t, host, daemon.Config{Binary: binary(t),
				Network: fmt.Sprintf("nodes:\n  %s: {}\n", node), Env: env})
			d.Intact("unconfigured")
			// every process publishes it
			logs := host.Subscribe(bed.Topic{Kind: "rcl_interfaces/msg/Log", Name: "/rosout"})
			bed.Eventually(t, "the daemon is discovered", func() (string, bool) {
				return fmt.Sprint(logs.Nodes()), slices.Contains(logs.Nodes(), d.Name)
			})
			bed.Eventually(t, "a client finds the daemon where it listens", func() (string, bool) {
				slow.Script("configure", bed.Behaviour{Delay: 2 * time.Second})
				client := run(t, env, "send", "active", "--node", d.Name)
				seen := whileOpen(client, logs, isClient)
				code, said := client.Wait(t), client.Log()
				wide := strings.Contains(said, "looking everywhere") // it had no processor for 2 s
				stalled := stall.Refused(said)
				if len(seen) > 0 && !wide {
					t.Fatalf("another process has discovered the client: %v", seen)
				}
				if code != 0 && !stalled {
					t.Errorf("send ended with %d; it said:\n%s", code, said)
				}
				if !wide && !stalled {
					return "", true
				}
				if r := d.End(d.Goal("unconfigured")); r.Ended != "succeeded" {
					t.Fatalf("unconfigured: %+v", r)
				}
				bed.Eventually(t, "the client has left", func() (string, bool) {
					return fmt.Sprint(logs.Nodes()), !slices.ContainsFunc(logs.Nodes(), isClient)
				})
				return said, false
			})
			run(t, env, "watch", "--node", d.Name)
			bed.Eventually(t, "the other process has discovered rstate watch", func() (string, bool) {
				return fmt.Sprint(logs.Nodes()), slices.ContainsFunc(logs.Nodes(), isClient)
			})
		})
	}
}

// whileOpen returns the nodes of that kind that are discovered before a process has ended.
func whileOpen(p *bed.Process, logs *bed.Subscription, is func(node string) bool) (seen []string) {
	for open := true; open; {
		select {
		case <-p.Done():
			open = false
		case <-time.After(20 * time.Millisecond):
		}
		for _, node := range logs.Nodes() {
			if is(node) {
				seen = append(seen, node)
			}
		}
	}
	return seen
}

func isClient(node string) bool { return strings.HasPrefix(node, "/rstate_client") }

// mayBeClient also holds for a node whose name is not known yet.
func mayBeClient(node string) bool { return isClient(node) || strings.Contains(node, "UNKNOWN") }

// A brief client reports a daemon that is suspended or was killed in the same way as any other
// client.
func TestABriefClientOfADaemonThatDoesNotAnswer(t *testing.T) {
	env := stock("LOCALHOST")
	node := "/" + bed.Unique(t, "node")
	host := bed.NewHost(t, env...)
	host.Node(bed.NodeSpec{Name: node, Threads: 2})
	d := daemon.Start(t, host, daemon.Config{Binary: binary(t), Network: fmt.Sprintf("nodes:\n  %s: {}\n", node),
		Env: env})
	d.Intact("unconfigured")
	d.Process.Freeze()
	p := run(t, env, "send", "active", "--node", d.Name, "--timeout", "3s")
	if code := p.Wait(t); code != 4 || !strings.Contains(p.Log(), "runs on this host as process") {
		t.Errorf("suspended: code %d; its output:\n%s", code, p.Log())
	}
	d.Process.Kill()
	p = run(t, env, "status", "--node", d.Name, "--timeout", "3s")
	if code := p.Wait(t); code != 4 {
		t.Errorf("killed: code %d; its output:\n%s", code, p.Log())
	}
	d = d.Again() // the lock file has the address of the killed process until the new one has written its own
	d.Await("the daemon is running again", func(v daemon.View) bool { return v.State.Label == "unconfigured" })
	p = run(t, env, "send", "active", "--node", d.Name)
	if code := p.Wait(t); code != 0 {
		t.Errorf("started again: code %d; its output:\n%s", code, p.Log())
	}
	d.Process.Signal(syscall.SIGTERM)
	d.Process.Wait(t)
}

// A client that is interrupted at any time leaves ROS before it ends: other processes drop it at once, and before a
// node that was killed earlier, whose lease has to end first.
func TestAnInterruptedClientLeavesNothing(t *testing.T) {
	env := stock("LOCALHOST")
	host := bed.NewHost(t, env...)
	logs := host.Subscribe(bed.Topic{Kind: "rcl_interfaces/msg/Log", Name: "/rosout"})
	discovered := func() (string, bool) {
		return fmt.Sprint(logs.Nodes()), slices.ContainsFunc(logs.Nodes(), isClient)
	}
	nobody := "/" + bed.Unique(t, "nobody") // not on this host, so that the others discover the client
	for _, args := range [][]string{{"send", "active"}, {"status"}, {"peers"}, {"watch", "--wait"}} {
		killed := "/" + bed.Unique(t, "killed")
		node := run(t, env, "node", killed)
		bed.Eventually(t, "the node is discovered", func() (string, bool) {
			return fmt.Sprint(logs.Nodes()), slices.Contains(logs.Nodes(), killed)
		})
		for after := range 6 {
			if after == 5 {
				node.Kill() // so late that all of the rest is within its lease
			}
			p := run(t, env, append(args, "--node", nobody)...)
			if after == 5 {
				bed.Eventually(t, "a client is discovered", discovered)
			}
			signalWhenReady(t, p, time.Duration(after)*40*time.Millisecond)
			p.Wait(t)
		}
		bed.Eventually(t, "all clients have left", func() (string, bool) {
			return fmt.Sprint(logs.Nodes()), !slices.ContainsFunc(logs.Nodes(), mayBeClient)
		})
		if now := logs.Nodes(); !slices.Contains(now, killed) {
			t.Errorf("other processes knew the clients of %s for as long as a node that was killed before; "+
				"now they know %v", args[0], now)
		}
	}
}

// signalWhenReady sends SIGINT some time after the process has opened a socket of its own.
func signalWhenReady(t *testing.T, p *bed.Process, after time.Duration) {
	t.Helper()
	bed.Eventually(t, p.Name+" has a socket", func() (string, bool) {
		files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Pid()))
		for _, f := range files {
			if to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p.Pid(), f.Name())); strings.HasPrefix(to,
				"socket:") {
				return "", true
			}
		}
		return fmt.Sprint(len(files)), false
	})
	time.Sleep(after)
	p.Signal(syscall.SIGINT)
}

// TestS1ANameThatIsClaimedIsRefusedToOthers: in the range LOCALHOST a start that gets the socket of
// its name does not listen for other daemons. A start that does not get the socket listens, finds
// the owner of the name, and ends, also if the two share no lock file.
func TestS1ANameThatIsClaimedIsRefusedToOthers(t *testing.T) {
	env := stock("LOCALHOST")
	node := "/" + bed.Unique(t, "node")
	host := bed.NewHost(t, env...)
	host.Node(bed.NodeSpec{Name: node, Threads: 2})
	config := daemon.Config{Binary: binary(t), Name: "/" + bed.Unique(t, "rstate"),
		Network: fmt.Sprintf("nodes:\n  %s: {}\n", node), Env: env}
	first := daemon.Start(t, host, config)
	first.Intact("unconfigured")
	config.Env = append(slices.Clone(env), "XDG_RUNTIME_DIR="+t.TempDir())
	second := daemon.Start(t, host, config)
	if code := second.Process.Wait(t); code != 3 ||
		!strings.Contains(second.Process.Log(), "another rstate has the name "+first.Name) {
		t.Errorf("the second daemon ended with %d; its log:\n%s", code, second.Process.Log())
	}
	first.Do("active", "succeeded done active")
	first.Process.Kill() // the kernel frees the socket
	third := daemon.Start(t, host, config)
	third.Intact("active")
}

// A start that does not listen for its name discovers its peers afterwards, and follows them like
// any other instance: up to their state, but never to armed.
func TestAStartWithoutListeningFollowsItsPeers(t *testing.T) {
	env := stock("LOCALHOST")
	host := bed.NewHost(t, env...)
	simulation := bed.Unique(t, "sim")
	var daemons []*daemon.Daemon
	for range 2 {
		node := "/" + bed.Unique(t, "node")
		host.Node(bed.NodeSpec{Name: node, Threads: 2, Arm: node + "/arm"})
		d := daemon.Start(t, host, daemon.Config{Binary: binary(t), Simulation: simulation,
			Network: fmt.Sprintf("proof: 10s\nnodes:\n  %s: {arm: {dead_man: none}}\n", node), Env: env})
		daemons = append(daemons, d)
		if len(daemons) == 1 {
			d.Intact("unconfigured")
			d.Do("armed", "succeeded done armed")
		}
	}
	daemons[1].Intact("active")
	daemons[0].Await("the first daemon stays armed", func(v daemon.View) bool {
		return v.State.Label == "armed" || daemon.Stalls(daemons[0].Process) > 0 // a stall disarms
	})
	daemons[0].Do("inactive", "succeeded done inactive")
	daemons[1].Intact("inactive")
}
