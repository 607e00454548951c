//go:build ros

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"rstate/internal/network"
	"rstate/internal/patient"
	"rstate/internal/sdnotify"
	"rstate/internal/session"
)

const (
	// daemonIn is how long up waits for the end of the daemon, which takes at most 5 s.
	daemonIn = 6 * time.Second * patient.Factor
	// nodesIn is how long up waits for the end of the demo nodes.
	nodesIn = 3 * time.Second * patient.Factor
)

// A child dies with the thread that started it (see start), so the main thread starts it.
func init() { runtime.LockOSThread() }

// upVerb runs the daemon and a demo node for each node of the file, each in a process of its own.
func upVerb(e *env, f *options) action {
	http := f.String("http", "", "serve HTTP and the page on that `address`; a port alone means this host only")
	return func(words []string) int {
		page := ""
		if *http != "" {
			at, err := pageAt(*http)
			if err != nil {
				return e.fail(exitBadInput, "%v", err)
			}
			page = at
		}
		net, ok := load(e, words[0])
		if !ok {
			return exitBadInput
		}
		if err := session.Usable(); err != nil {
			return e.fail(exitNoROS, "%v", err)
		}
		self, err := os.Executable()
		if err != nil {
			return e.fail(exitFailed, "cannot find this program to start it again: %v", err)
		}
		stop, quiet := serviceSignals()
		defer quiet()
		u := &up{env: e, self: self, names: newPrefixer(e.out, net), http: *http, page: page}
		if u.manager, err = sdnotify.NewRelay(); err != nil {
			u.names.line("rstate", err.Error())
		}
		defer u.manager.Close()
		if err := u.startAll(net, e.ros); err != nil {
			u.stopNodes()
			return e.fail(exitFailed, "%v", err)
		}
		return u.mind(net, stop)
	}
}

// up holds the processes of one network.
type up struct {
	env    *env
	self   string
	names  *prefixer
	nodes  []*child
	daemon *child
	ready  *os.File
	http   string // the address on which the daemon serves HTTP; empty: it does not
	page   string // for a browser on this host

	manager *sdnotify.Relay // for what the daemon tells the service manager
}

// child is one process.
type child struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and its output is printed
}

func (u *up) startAll(net *network.Network, ros []string) error {
	daemon := daemonName(ros)
	for _, n := range net.Nodes {
		args := append([]string{"node", n.Name, "--log", "text"}, armFlags(armOf(net, n), daemon)...)
		args = append(args, checkFlags(n)...)
		args = append(args, stepFlagsOf(net, n.Name)...)
		if !n.Lifecycle {
			args = append(args, "--plain")
		}
		node, err := u.start(n.Name, nil, args...)
		if err != nil {
			return err
		}
		u.nodes = append(u.nodes, node)
	}
	for _, n := range serversBeside(net) {
		args := append([]string{"node", n.ServerOf(), "--plain", "--log", "text"}, armFlags(n, daemon)...)
		server, err := u.start(n.ServerOf(), nil, args...)
		if err != nil {
			return err
		}
		u.nodes = append(u.nodes, server)
	}
	if flags := buttonFlags(net); len(flags) > 0 {
		button, err := u.start(demoButton, nil, append([]string{"node", demoButton, "--plain", "--log", "text"}, flags...)...)
		if err != nil {
			return err
		}
		u.nodes = append(u.nodes, button)
	}
	ready, told, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	defer told.Close()
	u.ready = ready
	// The first of ExtraFiles is number 3 in the child.
	args := []string{"run", net.File, "--log", "text", "--ready-fd", "3"}
	if u.http != "" {
		args = append(args, "--http", u.http)
	}
	u.daemon, err = u.startWith("rstate", []*os.File{told}, u.manager.Env(), append(args, ros...)...)
	return err
}

// daemonName returns the name that the daemon will have. If the arguments are invalid, the daemon
// reports it.
func daemonName(ros []string) string {
	if name, err := session.DaemonName(ros); err == nil {
		return name
	}
	return "/" + session.NodeName
}

// armOf returns the node whose arm the demo node of n serves: n itself, or the first node that names n as its server.
func armOf(net *network.Network, n network.Node) network.Node {
	switch {
	case n.Arm != nil && n.ServerOf() == n.Name:
		return n
	case len(n.Serves) > 0:
		return net.Nodes[net.Index(n.Serves[0])]
	}
	return network.Node{}
}

// serversBeside returns the nodes whose arm no demo node of the network serves, so that another process has to.
func serversBeside(net *network.Network) (list []network.Node) {
	served := map[string]bool{}
	for _, n := range net.Nodes {
		served[armOf(net, n).Name] = true
	}
	for _, n := range net.Nodes {
		if n.Arm != nil && !served[n.Name] {
			list = append(list, n)
		}
	}
	return list
}

// armFlags returns the options of a demo node for the key arm of the network file.
func armFlags(n network.Node, daemon string) []string {
	switch {
	case n.Arm == nil:
		return nil
	case n.Arm.DeadMan == network.DeadManNone:
		return []string{"--arm-service", n.Arm.Service, "--no-lease"}
	}
	return []string{"--arm-service", n.Arm.Service, "--lease", session.LeaseOf(daemon)}
}

// stepFlagsOf returns the options of a demo node for its part in the loop of the network.
func stepFlagsOf(net *network.Network, name string) []string {
	if net.Loop == nil || !slices.ContainsFunc(net.Loop.Participants,
		func(p network.Participant) bool { return p.Node == name }) {
		return nil
	}
	if net.Loop.Record != nil {
		return []string{"--step", "--step-data"}
	}
	return []string{"--step"}
}

// demoButton is the node that stands for all stop buttons.
const demoButton = "/demo_stop_button"

// buttonFlags returns the options of a demo node that says of each stop input that it is clear. An empty message
// says so unless its value is the one that stops.
func buttonFlags(net *network.Network) []string {
	var flags []string
	for _, s := range net.Stop {
		switch s.Value {
		case network.Truth(false), network.Number(0), network.Text(""):
			continue // no demo button is clear there
		}
		rate := strconv.FormatFloat(min(10/s.Silent.Seconds(), fastest), 'f', 3, 64)
		flags = append(flags, "--topic", s.Topic+":"+s.Type+":"+rate+"Hz")
	}
	return flags
}

// checkFlags returns the options of a demo node that passes its checks of topics, services and parameters. Its topics
// are a fifth faster than required. A file is nothing that a node has.
func checkFlags(n network.Node) []string {
	var flags []string
	for _, topic := range checkedTopics(n) {
		rate := strconv.FormatFloat(min(1.2*topic.Rate, fastest), 'f', 3, 64)
		flags = append(flags, "--topic", topic.Topic+":"+topic.Type+":"+rate+"Hz")
	}
	for _, c := range n.Checks {
		switch c.Kind() {
		case network.CheckField:
			flags = append(flags, "--say", c.Topic+":"+c.Field+"="+c.Bound.Example().String())
		case network.CheckParameter:
			flags = append(flags, "--parameter", c.Parameter+"="+c.Bound.Example().String())
		case network.CheckService:
			flags = append(flags, "--service", c.Service+":"+c.Type)
		}
	}
	return flags
}

// checkedTopics returns what the node publishes for its checks: each topic once, at the highest rate.
func checkedTopics(n network.Node) []network.Check {
	var topics []network.Check
	for _, c := range n.Checks {
		if !c.Counted() {
			continue
		}
		if c.Rate == 0 {
			c.Rate = 4 / c.Age.Seconds()
		}
		if c.Type == "" {
			c.Type = usualType(c)
		}
		k := slices.IndexFunc(topics, func(t network.Check) bool { return t.Topic == c.Topic })
		if k < 0 {
			topics = append(topics, c)
			continue
		}
		topics[k].Rate = max(topics[k].Rate, c.Rate)
		if c.Field != "" {
			topics[k].Type = c.Type
		}
	}
	return topics
}

// usualType is the type of a topic of which the file does not say one.
func usualType(c network.Check) string {
	if c.Field == "" {
		return "std_msgs/msg/Empty"
	}
	switch c.Bound.Example().Kind {
	case network.TruthScalar:
		return "std_msgs/msg/Bool"
	case network.TextScalar:
		return "std_msgs/msg/String"
	}
	return "std_msgs/msg/Float64"
}

// start starts one process in a group of its own. Ctrl-C on the terminal then reaches up alone,
// which ends the children in order. If up is killed, the kernel ends them.
func (u *up) start(name string, files []*os.File, args ...string) (*child, error) {
	return u.startWith(name, files, nil, args...)
}

// startWith is start with more in the environment of the process.
func (u *up) startWith(name string, files []*os.File, env []string, args ...string) (*child, error) {
	cmd := exec.Command(u.self, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.ExtraFiles = files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	err = cmd.Start()
	in.Close()
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	c := &child{name: name, cmd: cmd, done: make(chan struct{})}
	go func() {
		u.names.copy(name, out)
		out.Close()
		_ = cmd.Wait() // ProcessState has the result
		close(c.done)
	}()
	return c, nil
}

// mind waits for the end of the daemon or for a signal, and stops the nodes.
func (u *up) mind(net *network.Network, stop <-chan os.Signal) int {
	go u.welcome(net)
	for _, n := range u.nodes {
		go func() {
			<-n.done
			u.names.line(n.name, "the process has ended: "+n.cmd.ProcessState.String())
		}()
	}
	select {
	case <-u.daemon.done:
	case <-stop:
		u.names.line("rstate", "stopping")
		end(u.daemon, daemonIn, stop)
	}
	code := u.daemon.cmd.ProcessState.ExitCode()
	u.stopNodes()
	if code < 0 {
		return u.env.fail(exitUnclean, "the daemon did not end by itself: %v", u.daemon.cmd.ProcessState)
	}
	return code
}

// welcome prints the next commands for the user as soon as the daemon takes commands.
func (u *up) welcome(net *network.Network) {
	defer u.ready.Close()
	line, err := bufio.NewReader(u.ready).ReadString('\n')
	if err != nil {
		return
	}
	words := []string{"", "The network is ready. In another terminal:", ""}
	if u.page != "" {
		words = []string{"", "The network is ready. In a browser:", "", "    " + u.page, "", "In another terminal:", ""}
	}
	for _, h := range hints(net, strings.TrimSpace(strings.TrimPrefix(line, readyAs))) {
		words = append(words, "    "+os.Args[0]+" "+h)
	}
	u.names.lines("rstate", append(words, "", "Press Ctrl-C here to disarm and end everything.", ""))
}

// hints returns the commands that a user can give to a daemon of that name, as far as the network
// can do them.
func hints(net *network.Network, daemon string) []string {
	named := ""
	if daemon != "/"+session.NodeName {
		named = " --node " + daemon
	}
	list := []string{"status" + named}
	for _, word := range net.Machine.WordsUp(net.Machine.Initial) {
		list = append(list, "send "+word+named)
	}
	for _, t := range net.Machine.Transitions {
		for _, end := range net.Machine.Targets(t.Name) {
			if to, _ := net.Machine.State(end); to.Armed.Any() && net.Unarmable(to) == "" {
				list = append(list, "send "+t.Name+named)
			}
		}
	}
	return list
}

func (u *up) stopNodes() {
	var all sync.WaitGroup
	for _, n := range u.nodes {
		all.Go(func() { end(n, nodesIn, nil) })
	}
	all.Wait()
}

// end stops a child with SIGTERM. It kills the child after the limit, or when hurry receives a
// signal.
func end(c *child, limit time.Duration, hurry <-chan os.Signal) {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // fails if the child has ended
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.done:
		return
	case <-timer.C:
	case <-hurry:
	}
	_ = c.cmd.Process.Kill()
	<-c.done
}

// prefixer prints whole lines of several processes, each after the name of its process.
type prefixer struct {
	mu    sync.Mutex
	out   io.Writer
	width int
}

func newPrefixer(out io.Writer, net *network.Network) *prefixer {
	p := &prefixer{out: out, width: len("rstate")}
	for _, n := range net.Nodes {
		p.width = max(p.width, len(n.Name))
	}
	return p
}

func (p *prefixer) copy(name string, from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			p.line(name, line)
		}
		if err != nil {
			return
		}
	}
}

func (p *prefixer) line(name, text string) { p.lines(name, []string{text}) }

func (p *prefixer) lines(name string, texts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range texts {
		fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf("%-*s | %s", p.width, name, text), " "))
	}
}
