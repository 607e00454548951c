//go:build ros

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rmwchoice"
	"go.uber.org/zap"

	"rstate/internal/doctor"
	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/rosnet"
)

// NoROS is the error of a process that cannot take part in ROS: no middleware, no interfaces,
// another distro.
type NoROS struct{ Cause error }

func (e *NoROS) Error() string {
	return fmt.Sprintf("cannot use ROS: %v (from a clone of rstate: source setup.bash)", e.Cause)
}

func (e *NoROS) Unwrap() error { return e.Cause }

// NoDomain is the error of a process that is to use a ROS domain which cannot be.
type NoDomain struct{ Fault string }

func (e *NoDomain) Error() string {
	return fmt.Sprintf("cannot use ROS: %s, and there is no such domain; give it a number from 0 to 101, or unset it", e.Fault)
}

// BadArgs is the error of ROS arguments that ROS does not take.
type BadArgs struct{ Cause error }

func (e *BadArgs) Error() string {
	return fmt.Sprintf("cannot read what follows --ros-args: %v; write it like --ros-args -r __node:=name -p autostart:=active", e.Cause)
}

func (e *BadArgs) Unwrap() error { return e.Cause }

// OwnName is the error of a network that lists the instance that is to drive it, as a node or as a
// peer.
type OwnName struct{ File, Name, Under string }

func (e *OwnName) Error() string {
	return fmt.Sprintf("cannot drive the network of %q: it lists %s, which is its own name here; take that out of %s, or name the daemon otherwise with --ros-args -r __node:=NAME", e.File, e.Name, e.Under)
}

// LoadUsable reads a network file and also finds what a daemon here would refuse of it: types that are
// not installed. Its error is network.Faults.
func LoadUsable(file string) (*network.Network, error) {
	return network.LoadUsable(file, rosnet.TypeFault)
}

// listsItself says under which key a network lists a name of its own.
func listsItself(net *network.Network, name string) error {
	under := ""
	switch {
	case net.Index(name) >= 0:
		under = "nodes"
	case slices.Contains(net.Peers.Required, name):
		under = "peers.required"
	case slices.Contains(net.Peers.Plain, name):
		under = "peers.plain"
	default:
		return nil
	}
	return &OwnName{File: net.File, Name: name, Under: under}
}

// session is one use of ROS: a context that is being served.
type session struct {
	ctx  *rclgo.Context
	log  *zap.Logger
	done cleanups
	met  bool // a node has been made
	soon bool // the middleware meets others quickly
	near bool // and only participants that the loopback interface reaches

	inner string      // the namespace of a simulation that shares the context of a factory; empty: it is our own
	args  *rclgo.Args // of its node
	turns *turns      // in which those of one context close

	alone  place   // of the only participant to discover; zero: discover all
	before sockets // that were open before the participant was made
}

// How long a start listens for another of its name; see engine.Listen.
const (
	listenLeast = 500 * time.Millisecond
	listenSoon  = time.Second
	listenLate  = 3 * time.Second
)

// listen returns how long a start listens for another daemon of its name. If the name is claimed in
// this network namespace and discovery reaches nothing beyond it, no other daemon can have the
// name.
func (s *session) listen(claimed bool) engine.Listen {
	if s.inner != "" { // the factory has looked for the name, and never uses it again
		return engine.Listen{Most: time.Millisecond}
	}
	if claimed && s.near {
		return engine.Listen{Most: listenSoon}
	}
	if s.soon {
		return engine.Listen{Least: listenLeast, Most: listenSoon}
	}
	return engine.Listen{Least: listenLeast, Most: listenLate}
}

// willBe returns the full name that a node will have, and the domain that it will be in. No node is
// made.
func (s *session) willBe(name string) (full string, domain uint, err error) {
	if full = path.Join(s.inner, name); s.inner == "" {
		full, err = s.ctx.RemapNode(name, "")
	}
	if err == nil {
		domain, err = s.ctx.DomainID()
	}
	if err != nil {
		return "", 0, &NoROS{err}
	}
	return full, domain, nil
}

// open makes a context. Nothing is served before serve.
func open(args []string, log *zap.Logger) (*session, error) {
	if fault := rosLogFault(); fault != "" {
		log.Warn("the ROS libraries of this process keep no log file: " + fault)
		args = slices.Concat(args, noLogFile)
	}
	return openWith(args, log)
}

// openToAsk is open for a process that only asks. It leaves no log file behind.
func openToAsk(args []string, log *zap.Logger) (*session, error) {
	return openWith(slices.Concat(args, noLogFile), log)
}

func openWith(args []string, log *zap.Logger) (*session, error) {
	parsed, _, err := rclgo.ParseArgs(args)
	if err != nil {
		return nil, &BadArgs{err}
	}
	if unknown := parsed.Unknown(); len(unknown) > 0 {
		return nil, &BadArgs{fmt.Errorf("ROS does not know the arguments %q", strings.Join(unknown, " "))}
	}
	// Fast DDS would end the process over a number that is too high.
	if fault := doctor.NoDomain(map[string]string{"ROS_DOMAIN_ID": os.Getenv("ROS_DOMAIN_ID")}); fault != "" {
		return nil, &NoDomain{fault}
	}
	if wanted, linked, refused := rmwchoice.Refused(); refused {
		return nil, &NoROS{fmt.Errorf("RMW_IMPLEMENTATION asks for %s, and this rstate is built with %s; unset it, or build rstate in a terminal in which a ROS with %s is sourced", wanted, linked, wanted)}
	}
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, parsed)
	if err != nil {
		return nil, &NoROS{err}
	}
	s := &session{ctx: ctx, log: log, done: cleanups{log: log}, turns: newTurns()}
	s.done.add("ROS context", ctx.Close)
	return s, nil
}

// node makes a node, which closes with the session.
func (s *session) node(name, namespace string) (*rclgo.Node, error) {
	return s.nodeWith(name, namespace, rclgo.NewDefaultNodeOptions())
}

// daemonNode makes a node whose parameters others can reach. Those of a simulation in a factory are
// not for others, because six services for each would slow down a hundred.
func (s *session) daemonNode(name string) (*rclgo.Node, error) {
	options := rclgo.NewDefaultNodeOptions()
	options.StartParameterServices = s.inner == ""
	if s.inner != "" { // names given on the command line are those of the factory
		options.UseGlobalArguments, options.Arguments = false, s.args
	}
	return s.nodeWith(name, s.inner, options)
}

// share returns the session of a simulation in the same context. It is served as long as s is.
func (s *session) share(namespace string, simTime bool, log *zap.Logger) (*session, error) {
	args, _, err := rclgo.ParseArgs([]string{"--ros-args", "-p", fmt.Sprintf("%s:=%v", paramSimTime, simTime)})
	if err != nil {
		return nil, &BadArgs{err}
	}
	return &session{ctx: s.ctx, log: log, done: cleanups{log: log}, met: true, soon: s.soon, near: s.near, inner: namespace, args: args, turns: s.turns}, nil
}

// close closes what the session has made, for so long at the most. One that shares a context waits for
// its turn first.
func (s *session) close(limit time.Duration) {
	if s.inner != "" {
		s.turns.run(&s.done)
		return
	}
	s.done.run(limit)
}

func (s *session) nodeWith(name, namespace string, options *rclgo.NodeOptions) (*rclgo.Node, error) {
	if !s.met {
		s.met, s.before = true, openSockets()
		found, err := s.ctx.Discovery()
		if err != nil {
			return nil, &NoROS{err}
		}
		reach := reachOf(found)
		restore, soon, err := configureFastDDS(s.ctx, reach, s.alone)
		if err != nil {
			return nil, err
		}
		defer restore()
		s.soon, s.near = soon, soon && reach.name == rangeLocalhost && len(reach.peers) == 0 && os.Getenv(serverVariable) == ""
	}
	node, err := s.ctx.NewNodeWithOpts(name, namespace, options)
	if errors.Is(err, rclgo.ErrParameterGiven) { // the only one that a node declares by itself
		return nil, &BadParameter{paramSimTime, fmt.Errorf("%w; write true or false", rclgo.ErrParameterGiven)}
	}
	if err != nil {
		return nil, &NoROS{err}
	}
	s.done.add("node "+name, node.Close)
	return node, nil
}

// serve begins to call handlers; it ends with the session, after everything that was made later.
func (s *session) serve() {
	if s.inner != "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.ctx.Spin(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("ROS is not served any more", zap.Error(err))
		}
	}()
	s.done.add("serving of ROS", func() error {
		cancel()
		<-ended
		return nil
	})
}

// where tells a person in which part of ROS the session looks around.
func (s *session) where() string {
	domain := "?"
	if id, err := s.ctx.DomainID(); err == nil {
		domain = fmt.Sprint(id)
	}
	reach := os.Getenv("ROS_AUTOMATIC_DISCOVERY_RANGE")
	if reach == "" {
		reach = "SUBNET"
	}
	return fmt.Sprintf("domain %s, discovery range %s", domain, reach)
}
