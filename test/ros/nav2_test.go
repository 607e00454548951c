//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// managed is a bring-up written for nav2's lifecycle manager, whose executable is rstate under the manager's name.
type managed struct {
	*daemon.Daemon
	t     testing.TB
	host  *bed.Host // of the client, which has nav2_msgs
	space string
	names []string
	nodes map[string]*bed.Node
	keys  string
	env   []string
}

// The commands of ~/manage_nodes.
const (
	startUp = iota
	pause
	resume
	reset
	shutDown
	configure
	cleanUp
)

// newManaged makes the client and the names of a bring-up. keys are further parameters of the manager.
func newManaged(t *testing.T, keys string, names ...string) *managed {
	t.Helper()
	t.Parallel()
	env := bed.Nav2Interfaces(t)
	return managedBy(t, bed.NewHost(t, env...), env, keys, names...)
}

// managedBy is newManaged with a host that several of them share.
func managedBy(t testing.TB, host *bed.Host, env []string, keys string, names ...string) *managed {
	t.Helper()
	return &managed{t: t, host: host.In(t), space: "/" + bed.Unique(t, "robot"), names: names,
		nodes: map[string]*bed.Node{}, keys: keys, env: env}
}

// appear starts a node of the bring-up.
func (m *managed) appear(host *bed.Host, name string, spec bed.NodeSpec) {
	m.t.Helper()
	spec.Name = m.space + "/" + name
	m.nodes[name] = host.Node(spec)
}

// start starts the executable as ros2 launch does: under the name of nav2's, with a parameter file.
func (m *managed) start() {
	m.t.Helper()
	folder := m.t.TempDir()
	program := filepath.Join(folder, "lifecycle_manager")
	if err := os.Symlink(binary, program); err != nil {
		m.t.Fatal(err)
	}
	file := filepath.Join(folder, "nav2_params.yaml")
	params := fmt.Sprintf("/**:\n  ros__parameters:\n    node_names: [%s]\n    %s\n", strings.Join(m.names, ", "), m.keys)
	if err := os.WriteFile(file, []byte(params), 0o600); err != nil {
		m.t.Fatal(err)
	}
	name := "lifecycle_manager_navigation"
	p := bed.StartCommand(m.t, name, bed.Command{Env: m.env, Args: []string{program, "--ros-args", "-r", "__node:=" + name,
		"-r", "__ns:=" + m.space, "--params-file", file}})
	m.Daemon = daemon.Watch(m.t, m.host, m.space+"/"+name, m.space[1:]+"_"+name, p)
}

// manage calls ~/manage_nodes as nav2's tools do.
func (m *managed) manage(command int) bool {
	m.t.Helper()
	var answer struct{ Success bool }
	if err := m.host.Call("nav2_msgs/srv/ManageLifecycleNodes", m.Name+"/manage_nodes",
		map[string]any{"command": command}, bed.Deadline, &answer); err != nil {
		m.t.Fatal(err)
	}
	return answer.Success
}

// wants calls ~/manage_nodes, and checks the answer and the states of the nodes after it.
func (m *managed) wants(command int, success bool, states string) {
	m.t.Helper()
	if got := m.manage(command); got != success {
		m.t.Errorf("command %d answers %v, want %v", command, got, success)
	}
	if got := m.where(); got != states {
		m.t.Errorf("after command %d the nodes are %q, want %q", command, got, states)
	}
}

// where lists the states of the nodes themselves.
func (m *managed) where() string {
	m.t.Helper()
	var list []string
	for _, name := range m.names {
		if n := m.nodes[name]; n != nil {
			list = append(list, n.Truth().State)
		} else {
			list = append(list, "-")
		}
	}
	return strings.Join(list, " ")
}

// awaitWhere waits until the nodes themselves are in these states.
func (m *managed) awaitWhere(states string) {
	m.t.Helper()
	bed.Eventually(m.t, "the nodes are "+states, func() (string, bool) { got := m.where(); return got, got == states })
}

// active asks ~/is_active.
func (m *managed) active() (is bool, message string) {
	m.t.Helper()
	var answer struct {
		Success bool
		Message string
	}
	if err := m.host.Call("std_srvs/srv/Trigger", m.Name+"/is_active", nil, bed.Deadline, &answer); err != nil {
		m.t.Fatal(err)
	}
	return answer.Success, answer.Message
}

// each is a state of every node.
func (m *managed) each(state string) string {
	return strings.TrimSpace(strings.Repeat(state+" ", len(m.names)))
}

// TestB1ABringUpOfNav2Runs with the name of its executable changed, and nothing else: each command of ~/manage_nodes, in the
// states in which nav2 and people call them, and ~/is_active beside it.
func TestB1ABringUpOfNav2Runs(t *testing.T) {
	m := newManaged(t, "bond_timeout: 0.0", "map_server", "amcl", "planner_server")
	for _, name := range m.names {
		m.appear(m.host, name, bed.NodeSpec{})
	}
	m.start()
	active := m.host.Subscribe(bed.Topic{Kind: "std_msgs/msg/Bool", Name: m.Name + "/is_active", Latched: true})
	m.Intact("unconfigured")
	if is, why := m.active(); is || !strings.Contains(why, "unconfigured") {
		t.Errorf("before STARTUP: %v %q", is, why)
	}
	m.wants(pause, false, m.each("unconfigured"))
	m.wants(resume, false, m.each("unconfigured"))
	m.wants(startUp, true, m.each("active"))
	if is, why := m.active(); !is {
		t.Errorf("after STARTUP: %v %q", is, why)
	}
	m.wants(startUp, true, m.each("active"))
	m.wants(cleanUp, false, m.each("active"))
	m.wants(pause, true, m.each("inactive"))
	m.wants(resume, true, m.each("active"))
	m.wants(reset, true, m.each("unconfigured"))
	m.wants(configure, true, m.each("inactive"))
	m.wants(cleanUp, true, m.each("unconfigured"))
	m.wants(99, false, m.each("unconfigured"))
	m.wants(shutDown, true, m.each("finalized"))
	var said []bool
	for _, message := range active.Messages() {
		var b struct{ Data bool }
		m.host.Decode(message.Message, &b)
		said = append(said, b.Data)
	}
	if !slices.Equal(said, []bool{false, true, false, true, false}) {
		t.Errorf("~/is_active says %v", said)
	}
	if words := m.nodes["amcl"].Truth().Words(); !slices.Equal(words, []string{"configure", "activate", "deactivate",
		"activate", "deactivate", "cleanup", "configure", "cleanup", "shutdown"}) {
		t.Errorf("a node was asked for %v", words)
	}
}

// TestB2TheOrderOfTheNamesIsKept on the way up and, reversed, on the way down.
func TestB2TheOrderOfTheNamesIsKept(t *testing.T) {
	m := newManaged(t, "bond_timeout: 0\n    autostart: true", "one", "two", "three")
	m.appear(m.host, "one", bed.NodeSpec{})
	m.appear(m.host, "three", bed.NodeSpec{})
	m.start()
	m.Await("it waits for the node that is missing", func(v daemon.View) bool {
		return slices.ContainsFunc(v.Nodes, func(n daemon.NodeView) bool { return n.Name == m.space+"/three" && n.Present })
	})
	m.appear(m.host, "two", bed.NodeSpec{}) // autostart waits for it, as nav2's manager does
	m.Intact("active")
	m.wants(reset, true, m.each("unconfigured"))
	began := map[string][]int64{}
	for _, name := range m.names {
		for _, call := range m.nodes[name].Truth().Calls {
			began[call.What] = append(began[call.What], call.Begin)
		}
	}
	for _, up := range []string{"configure", "activate"} {
		if !slices.IsSorted(began[up]) || len(began[up]) != 3 {
			t.Errorf("%s came at %v", up, began[up])
		}
	}
	for _, down := range []string{"deactivate", "cleanup"} {
		if slices.Reverse(began[down]); !slices.IsSorted(began[down]) || len(began[down]) != 3 {
			t.Errorf("%s came, the last node first, at %v", down, began[down])
		}
	}
}

// TestB1WhereNav2Hangs: each row is a fault in which nav2's manager hangs, or leaves nodes half way. Its clients get an answer
// here, no node is left half way, and the next command works.
func TestB1WhereNav2Hangs(t *testing.T) {
	t.Parallel()
	env := bed.Nav2Interfaces(t)
	host := bed.NewHost(t, env...)
	refuses, errs := bed.Behaviour{Result: bed.Failure}, bed.Behaviour{Result: bed.Fault}
	row := func(name string, keys string, scripts map[string][]bed.Behaviour, run func(m *managed)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := managedBy(t, host, env, keys, "one", "two", "three", "four", "five")
			for _, n := range m.names {
				spec := bed.NodeSpec{}
				if n == "three" {
					spec.Script = scripts
				}
				m.appear(m.host, n, spec)
			}
			m.start()
			run(m)
		})
	}
	once := func(b bed.Behaviour) []bed.Behaviour { return []bed.Behaviour{b, {}} }
	noBonds := "bond_timeout: 0.0"
	row("on_configure fails", noBonds, map[string][]bed.Behaviour{"configure": once(refuses)}, func(m *managed) {
		m.wants(startUp, false, m.each("unconfigured"))
		m.wants(reset, true, m.each("unconfigured"))
		m.wants(startUp, true, m.each("active"))
	})
	row("on_activate errs", noBonds, map[string][]bed.Behaviour{"activate": once(errs)}, func(m *managed) {
		m.wants(startUp, false, m.each("inactive"))
		m.wants(startUp, true, m.each("active"))
	})
	row("a node hangs in on_configure", noBonds,
		map[string][]bed.Behaviour{"configure": once(bed.Behaviour{Result: bed.Frozen})}, func(m *managed) {
			m.Intact("unconfigured")
			answer := make(chan bool, 1)
			go func() { answer <- m.manage(startUp) }()
			bed.Eventually(m.t, "the node is in its on_configure", func() (string, bool) {
				truth := m.nodes["three"].Truth()
				return fmt.Sprintf("%+v", truth), running(truth, "configure")
			})
			if is, why := m.active(); is || why != "the network is configuring" {
				m.t.Errorf("is_active: %v %q", is, why)
			}
			m.nodes["three"].Thaw()
			if !<-answer {
				m.t.Error("STARTUP answers false")
			}
			m.Intact("active")
		})
	row("SHUTDOWN while a STARTUP hangs", noBonds+"\n    service_timeout: 60.0",
		map[string][]bed.Behaviour{"configure": once(bed.Behaviour{Result: bed.Frozen})}, func(m *managed) {
			m.Intact("unconfigured")
			started, ended := make(chan bool, 1), make(chan bool, 1)
			go func() { started <- m.manage(startUp) }()
			bed.Eventually(m.t, "the node is in its on_configure", func() (string, bool) {
				truth := m.nodes["three"].Truth()
				return fmt.Sprintf("%+v", truth), running(truth, "configure")
			})
			go func() { ended <- m.manage(shutDown) }()
			bed.Eventually(m.t, "the nodes after it are finalized", func() (string, bool) {
				got := m.where()
				return got, strings.HasSuffix(got, " finalized finalized")
			})
			if <-started {
				m.t.Error("STARTUP answers true")
			}
			m.nodes["three"].Thaw()
			if !<-ended {
				m.t.Error("SHUTDOWN answers false")
			}
			m.awaitWhere(m.each("finalized"))
		})
	row("one node is active already, and the manager is restarted", noBonds, nil, func(m *managed) {
		m.Intact("unconfigured")
		two := m.space + "/two"
		for _, label := range []string{"configure", "activate"} {
			if ok, err := m.host.ChangeState(two, label, bed.Deadline); err != nil || !ok {
				m.t.Fatal(ok, err)
			}
		}
		m.Await("it has noticed", func(v daemon.View) bool { return strings.Contains(v.Deviation(two), "active") })
		m.wants(startUp, true, m.each("active"))
		m.Process.Signal(syscall.SIGINT)
		m.Process.Wait(m.t)
		m.start()
		m.Intact("active")
		if is, why := m.active(); !is {
			m.t.Errorf("after a restart: %s", why)
		}
		m.wants(pause, true, m.each("inactive"))
	})
}

// TestB4Bonds: nodes bond while they are active. One whose heartbeats cease is lost, the nodes after it go down with it, and
// what comes back is raised again.
func TestB4Bonds(t *testing.T) {
	m := newManaged(t, "autostart: true", "one", "two", "three")
	topic := m.space + "/bond"
	away := bed.NewHost(t, append(m.env, bed.LongLease(t)...)...)
	m.appear(m.host, "one", bed.NodeSpec{Bonds: topic})
	m.appear(away, "two", bed.NodeSpec{Bonds: topic})
	m.appear(m.host, "three", bed.NodeSpec{Bonds: topic})
	m.start()
	bonded := func(names ...string) {
		t.Helper()
		bed.Eventually(t, fmt.Sprint(names, " are bonded"), func() (seen string, all bool) {
			all = true
			for _, name := range names {
				truth := m.nodes[name].Truth()
				seen, all = seen+name+" "+truth.State+" "+truth.Bond+" ", all && truth.Bond == "alive"
			}
			return seen, all
		})
	}
	said := func(what string) {
		t.Helper()
		bed.Eventually(t, "the log says "+what, func() (string, bool) { return "", strings.Contains(m.Process.Log(), what) })
	}
	m.Intact("active")
	bonded(m.names...)
	for _, name := range m.names {
		said(m.space + "/" + name + " has bonded")
	}

	two := m.nodes["two"]
	delete(m.nodes, "two") // it is not asked while it is stopped
	away.Process().Signal(syscall.SIGSTOP)
	m.Await("the network says why the node is lost", func(v daemon.View) bool {
		return strings.Contains(v.Deviation(m.space+"/two"), "its bond broke: no heartbeat for 4s")
	})
	m.awaitWhere("active - inactive")
	if is, why := m.active(); is || !strings.Contains(why, "/two") {
		t.Errorf("is_active: %v %q", is, why)
	}
	bonded("one")
	away.Process().Signal(syscall.SIGCONT)
	m.nodes["two"] = two
	m.awaitWhere(m.each("active"))
	m.Intact("active")
	bonded("one", "three")

	away.Process().Kill() // its process ends, which needs no bond to be noticed
	delete(m.nodes, "two")
	m.awaitWhere("active - inactive")
	m.appear(m.host, "two", bed.NodeSpec{Bonds: topic})
	m.awaitWhere(m.each("active"))
	m.Intact("active")
	bonded(m.names...)
	m.wants(reset, true, m.each("unconfigured"))
	said(m.space + "/two is lost: its bond broke: no heartbeat for 4s")
}

// TestB5WithoutThePackages of nav2 everything else works, and the log says what is missing.
func TestB5WithoutThePackages(t *testing.T) {
	m := newManaged(t, "autostart: true", "one", "two")
	m.env = nil
	for _, name := range m.names {
		m.appear(m.host, name, bed.NodeSpec{})
	}
	m.start()
	m.Intact("active")
	if is, why := m.active(); !is {
		t.Error(why)
	}
	for _, want := range []string{"there are no bonds; rstate watches the nodes without them",
		"~/manage_nodes is not offered; rstate send commands the network"} {
		if log := m.Process.Log(); !strings.Contains(log, want) {
			t.Errorf("the log does not say %q", want)
		}
	}
}
