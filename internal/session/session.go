//go:build ros

package session

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
	"rstate/internal/host"
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
	return fmt.Sprintf("cannot use ROS: %s, and there is no such domain; give it a number from 0 to 101, or unset it",
		e.Fault)
}

// BadArgs is the error of ROS arguments that ROS does not take.
type BadArgs struct{ Cause error }

func (e *BadArgs) Error() string {
	return fmt.Sprintf("cannot read what follows --ros-args: %v; write it like --ros-args -r __node:=name -p autostart:=active", e.Cause)
}

func (e *BadArgs) Unwrap() error { return e.Cause }

// ParamSimTime is the parameter that every node has by itself.
const ParamSimTime = "use_sim_time"

// BadParameter is the error of a parameter that the daemon cannot start with.
type BadParameter struct {
	Name  string
	Cause error
}

func (e *BadParameter) Error() string {
	return fmt.Sprintf("cannot start with the parameter %s: %v", e.Name, e.Cause)
}

func (e *BadParameter) Unwrap() error { return e.Cause }

// Session is one use of ROS: a context that is being served.
type Session struct {
	ctx  *rclgo.Context
	log  *zap.Logger
	done Cleanups
	met  bool // a node has been made
	soon bool // the middleware meets others quickly
	near bool // and only participants that the loopback interface reaches

	tested *tested // shared by all sessions of a context

	inner string      // the namespace of a simulation that shares the context of a factory; empty: it is our own
	args  *rclgo.Args // of its node
	turns *turns      // in which those of one context close

	alone  host.Place   // of the only participant to discover; zero: discover all
	before host.Sockets // that were open before the participant was made
}

// How long a start listens for another of its name.
const (
	listenLeast = 500 * time.Millisecond
	listenSoon  = time.Second
	listenLate  = 3 * time.Second
)

// Listen returns how long a start listens for another daemon of its name, at least and at most. If the name is claimed
// in this network namespace and discovery reaches nothing beyond it, no other daemon can have the name.
func (s *Session) Listen(claimed bool) (least, most time.Duration) {
	if s.inner != "" { // the factory has looked for the name, and never uses it again
		return 0, time.Millisecond
	}
	if claimed && s.near {
		return 0, listenSoon
	}
	if s.soon {
		return listenLeast, listenSoon
	}
	return listenLeast, listenLate
}

// WillBe returns the full name that a node will have, and the domain that it will be in. No node is
// made.
func (s *Session) WillBe(name string) (full string, domain uint, err error) {
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

// Open makes a context. Nothing is served before serve.
func Open(args []string, log *zap.Logger) (*Session, error) {
	if fault := rosLogFault(); fault != "" {
		log.Warn("the ROS libraries of this process keep no log file: " + fault)
		args = slices.Concat(args, noLogFile)
	}
	return openWith(args, log)
}

// OpenToAsk is open for a process that only asks. It leaves no log file behind.
func OpenToAsk(args []string, log *zap.Logger) (*Session, error) {
	return openWith(slices.Concat(args, noLogFile), log)
}

func openWith(args []string, log *zap.Logger) (*Session, error) {
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
	if err := Usable(); err != nil {
		return nil, err
	}
	if notice := rmwchoice.Notice(); notice != "" {
		log.Warn(notice)
	}
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, parsed)
	if err != nil {
		return nil, &NoROS{err}
	}
	s := &Session{ctx: ctx, log: log, done: Cleanups{Log: log}, turns: newTurns(), tested: &tested{}}
	s.done.Add("ROS context", ctx.Close)
	return s, nil
}

// Usable says why no process of this environment can use ROS: the middleware that it asks for is not there. A
// program that starts others asks before it does.
func Usable() error {
	if err := rmwchoice.Problem(); err != nil {
		return &NoROS{err}
	}
	return nil
}

// Node makes a node, which closes with the session.
func (s *Session) Node(name, namespace string) (*rclgo.Node, error) {
	return s.NodeWith(name, namespace, rclgo.NewDefaultNodeOptions())
}

// DaemonNode makes a node whose parameters others can reach. Those of a simulation in a factory are
// not for others, because six services for each would slow down a hundred.
func (s *Session) DaemonNode(name string) (*rclgo.Node, error) {
	options := rclgo.NewDefaultNodeOptions()
	options.StartParameterServices = s.inner == ""
	if s.inner != "" { // names given on the command line are those of the factory
		options.UseGlobalArguments, options.Arguments = false, s.args
	}
	return s.NodeWith(name, s.inner, options)
}

// Share returns the session of a simulation in the same context. It is served as long as s is.
func (s *Session) Share(namespace string, simTime bool, log *zap.Logger) (*Session, error) {
	args, _, err := rclgo.ParseArgs([]string{"--ros-args", "-p", fmt.Sprintf("%s:=%v", ParamSimTime, simTime)})
	if err != nil {
		return nil, &BadArgs{err}
	}
	return &Session{ctx: s.ctx, log: log, done: Cleanups{Log: log}, met: true, soon: s.soon, near: s.near,
		inner: namespace, args: args, turns: s.turns, tested: s.tested}, nil
}

// Close closes what the session has made, for so long at the most. One that shares a context waits for
// its turn first.
func (s *Session) Close(limit time.Duration) {
	if s.inner != "" {
		s.turns.run(&s.done)
		return
	}
	s.done.Run(limit)
}

// NodeWith is Node with options. The first node of a session decides how far its participant looks.
func (s *Session) NodeWith(name, namespace string, options *rclgo.NodeOptions) (*rclgo.Node, error) {
	if !s.met {
		s.met, s.before = true, host.OpenSockets()
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
		s.soon, s.near = soon, soon && reach.name == rangeLocalhost && len(reach.peers) == 0 &&
			os.Getenv(serverVariable) == ""
	}
	node, err := s.ctx.NewNodeWithOpts(name, namespace, options)
	if errors.Is(err, rclgo.ErrParameterGiven) { // the only one that a node declares by itself
		return nil, &BadParameter{ParamSimTime, fmt.Errorf("%w; write true or false", rclgo.ErrParameterGiven)}
	}
	if err != nil {
		return nil, &NoROS{err}
	}
	s.done.Add("node "+name, node.Close)
	return node, nil
}

// Serve begins to call handlers; it ends with the session, after everything that was made later.
func (s *Session) Serve() {
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
	s.done.Add("serving of ROS", func() error {
		cancel()
		<-ended
		return nil
	})
}

// Every has a function called again and again while ROS is served, by the loop that serves it. Calls that are due while
// the function runs are skipped.
func (s *Session) Every(period time.Duration, do func()) error {
	clock, err := s.ctx.NewClock(rclgo.ClockTypeSteadyTime)
	if err != nil {
		return &NoROS{err}
	}
	s.done.Add("clock", clock.Close)
	if _, err := clock.NewTimer(period, func(*rclgo.Timer) { do() }); err != nil {
		return &NoROS{err}
	}
	return nil
}

// End closes what the session has made, within letGo.
func (s *Session) End() { s.done.Run(LetGo) }

// AtEnd has something closed when the session ends, before what was made earlier.
func (s *Session) AtEnd(name string, close func() error) { s.done.Add(name, close) }

// Domain is the ROS domain.
func (s *Session) Domain() (uint, error) { return s.ctx.DomainID() }

// ListensAt is where this session's participant listens.
func (s *Session) ListensAt(domain uint) host.Place { return host.OwnPlace(domain, s.before) }

// LookOnlyFor has the participant discover only the process of that name on this host. If no such process runs, it
// discovers all.
func (s *Session) LookOnlyFor(name string) {
	domain, err := s.Domain()
	if err != nil {
		return
	}
	if by, has, err := host.WhoHolds(name, domain); err == nil && has {
		s.alone = by.Place
	}
}

// LooksAtOnePlace reports whether the participant discovers that of lookOnlyFor alone, and quickly.
func (s *Session) LooksAtOnePlace() bool { return s.soon && s.alone.IsNear() }

// Where tells a person in which part of ROS the session looks around.
func (s *Session) Where() string {
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

// DaemonName returns the full name that a daemon has which is started with these ROS arguments.
func DaemonName(rosArgs []string) (string, error) {
	s, err := Open(rosArgs, zap.NewNop())
	if err != nil {
		return "", err
	}
	defer s.End()
	name, _, err := s.WillBe(NodeName)
	return name, err
}
