package rclgo_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func TestParseArgs(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		ros  string
		rest []string
		kind error
	}{
		"none":   {nil, "", []string{}, nil},
		"no ROS": {[]string{"run", "-v"}, "", []string{"run", "-v"}, nil},
		"mixed": {[]string{"run", "--ros-args", "-r", "__node:=x", "--", "file"}, "-r __node:=x",
			[]string{"run", "file"}, nil},
		"two parts": {[]string{"--ros-args", "-p", "a:=1", "--", "x", "--ros-args", "-r", "b:=c"}, "-p a:=1 -r b:=c",
			[]string{"x"}, nil},
		"broken": {[]string{"--ros-args", "-r", "no rule"}, "", nil, &rclgo.InvalidRosArgs{}},
	} {
		t.Run(name, func(t *testing.T) {
			args, rest, err := rclgo.ParseArgs(tc.args)
			if tc.kind != nil {
				if !errors.Is(err, tc.kind) {
					t.Fatalf("%v (%T), want %T", err, err, tc.kind)
				}
				return
			}
			check(t, err)
			if args.String() != tc.ros || !reflect.DeepEqual(rest, tc.rest) {
				t.Errorf("ROS %q, rest %q", args, rest)
			}
		})
	}
}

func TestArgumentsReachNodesAndNames(t *testing.T) {
	args, _, err := rclgo.ParseArgs([]string{"--ros-args", "-r", "__node:=renamed", "-r", "__ns:=/moved", "-r",
		"in:=out"})
	check(t, err)
	c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, args))
	t.Cleanup(func() { check(t, c.Close()) })
	if full := must[string](t)(c.RemapNode("plain", "")); full != "/moved/renamed" {
		t.Errorf("a node would be %s", full)
	}
	n := must[*rclgo.Node](t)(c.NewNode("plain", ""))
	if n.Name() != "renamed" || n.Namespace() != "/moved" || n.FullyQualifiedName() != "/moved/renamed" {
		t.Errorf("node %s %s %s", n.Name(), n.Namespace(), n.FullyQualifiedName())
	}
	pub := must[*rclgo.Publisher](t)(n.NewPublisher("in", stringType(t), nil))
	if pub.TopicName != "/moved/out" {
		t.Errorf("topic %s", pub.TopicName)
	}
	own, _, err := rclgo.ParseArgs([]string{"--ros-args", "-r", "__node:=own"})
	check(t, err)
	opts := rclgo.NewDefaultNodeOptions()
	opts.UseGlobalArguments, opts.Arguments = false, own
	if n := must[*rclgo.Node](t)(c.NewNodeWithOpts("plain", "", opts)); n.FullyQualifiedName() != "/own" {
		t.Errorf("node %s", n.FullyQualifiedName())
	}
	opts.Arguments = nil
	if n := must[*rclgo.Node](t)(c.NewNodeWithOpts("plain", "", opts)); n.FullyQualifiedName() != "/plain" {
		t.Errorf("node %s", n.FullyQualifiedName())
	}
}

func TestExpandTopicName(t *testing.T) {
	for name, tc := range map[string]struct {
		in, want string
		kind     error
	}{
		"relative": {"a/b", "/ns/a/b", nil},
		"private":  {"~/a", "/ns/node/a", nil},
		"absolute": {"/a", "/a", nil},
		"known":    {"{node}/a", "/ns/node/a", nil},
		"own":      {"{robot}/a", "/ns/r2/a", nil},
		"unknown":  {"{x}/a", "", &rclgo.UnknownSubstitution{}},
		"invalid":  {"a b", "", &rclgo.TopicNameInvalid{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rclgo.ExpandTopicName(tc.in, "node", "/ns", map[string]string{"robot": "r2"})
			if got != tc.want || (tc.kind == nil) != (err == nil) || (tc.kind != nil && !errors.Is(err, tc.kind)) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestDefaultContext(t *testing.T) {
	if err := second(rclgo.NewNode("n", "")); !errors.Is(err, &rclgo.NotInit{}) {
		t.Errorf("before Init: %v", err)
	}
	check(t, rclgo.Uninit()) // nothing to do
	check(t, rclgo.Init(nil))
	t.Cleanup(func() { check(t, rclgo.Uninit()) })
	spin(t, rclgo.Spin)
	n := must[*rclgo.Node](t)(rclgo.NewNode("n", ""))
	if n.Context() != rclgo.DefaultContext() {
		t.Error("another context")
	}
	fired := make(chan struct{}, 100)
	must[*rclgo.Timer](t)(rclgo.NewTimer(time.Millisecond, func(*rclgo.Timer) { fired <- struct{}{} }))
	await(t, "the timer fires", fired)
	must[*rclgo.Clock](t)(rclgo.NewClock(rclgo.ClockTypeSteadyTime))
	must[*rclgo.WaitSet](t)(rclgo.NewWaitSet())
}

func TestTimerFollowsItsClock(t *testing.T) {
	c := newContext(t)
	spin(t, c.Spin)
	start := time.Unix(1000, 0)
	check(t, c.Clock().SetROSTimeOverride(start))
	fired := make(chan time.Time, 100)
	timer := must[*rclgo.Timer](t)(c.NewTimer(time.Second, func(timer *rclgo.Timer) {
		now, err := timer.Context().Clock().Now()
		if err == nil {
			fired <- now
		}
	}))
	if ns := must[int64](t)(timer.GetTimeUntilNextCall()); ns != int64(time.Second) {
		t.Errorf("until next call %d", ns)
	}
	for i := range 3 {
		at := start.Add(time.Duration(i+1) * time.Second)
		check(t, c.Clock().SetROSTimeOverride(at))
		if now := await(t, "the timer fires", fired); !now.Equal(at) {
			t.Errorf("fired at %v, want %v", now, at)
		}
	}
	check(t, c.Clock().SetROSTimeOverride(start.Add(3500*time.Millisecond)))
	check(t, timer.Reset())
	if ns := must[int64](t)(timer.GetTimeUntilNextCall()); ns != int64(time.Second) {
		t.Errorf("after Reset %d", ns)
	}
	if len(fired) > 0 {
		t.Error("fired while the clock stood")
	}
	check(t, c.Clock().ClearROSTimeOverride())
	if now := must[time.Time](t)(c.Clock().Now()); time.Since(now) > time.Minute {
		t.Errorf("the clock stays at %v", now)
	}
	steady := must[*rclgo.Clock](t)(c.NewClock(rclgo.ClockTypeSteadyTime))
	c.SetClock(steady)
	if err := steady.SetROSTimeOverride(start); err == nil {
		t.Error("steady time was overridden")
	}
	must[*rclgo.Timer](t)(c.NewTimer(time.Millisecond, func(*rclgo.Timer) { fired <- time.Now() }))
	await(t, "the steady timer fires", fired)
	check(t, steady.Close())
}

func TestTimerPeriodHolds(t *testing.T) {
	c := newContext(t)
	c.SetClock(must[*rclgo.Clock](t)(c.NewClock(rclgo.ClockTypeSteadyTime)))
	spin(t, c.Spin)
	fired := make(chan time.Time, 100)
	start := time.Now() // a callback may be late, and the next one in time
	timer := must[*rclgo.Timer](t)(c.NewTimer(20*time.Millisecond, func(*rclgo.Timer) { fired <- time.Now() }))
	var last time.Time
	for range 10 {
		last = await(t, "the timer fires", fired)
	}
	if d := last.Sub(start); d < 180*time.Millisecond {
		t.Errorf("ten periods in %v", d)
	}
	check(t, timer.Close())
}

func TestLoggerLevels(t *testing.T) {
	parent := rclgo.GetLogger(unique("robot"))
	child := parent.Child("arm")
	if child.Name() != parent.Name()+".arm" || child.Parent() != parent ||
		rclgo.GetLogger("a.b").Parent().Name() != "a" {
		t.Errorf("names %q %q", child.Name(), rclgo.GetLogger("a.b").Parent().Name())
	}
	check(t, parent.SetLevel(rclgo.LogSeverityError))
	if child.IsEnabledFor(rclgo.LogSeverityWarn) || !child.IsEnabledFor(rclgo.LogSeverityFatal) {
		t.Error("the child does not follow its parent")
	}
	check(t, child.SetLevel(rclgo.LogSeverityDebug))
	own := must[rclgo.LogSeverity](t)(child.Level())
	effective := must[rclgo.LogSeverity](t)(child.EffectiveLevel())
	if own != rclgo.LogSeverityDebug || effective != own || own.String() != "DEBUG" {
		t.Errorf("level %v, effective %v", own, effective)
	}
	if err := parent.Log(17, "x"); !errors.Is(err, &rclgo.InvalidArgument{}) {
		t.Errorf("odd severity: %v", err)
	}
	if err := parent.SetLevel(17); err == nil {
		t.Error("odd level was set")
	}
}

func TestLoggingOutputHandler(t *testing.T) {
	newContext(t) // configures logging
	var mu sync.Mutex
	seen := map[string]int{}
	rclgo.SetLoggingOutputHandler(func(location unsafe.Pointer, severity int, name unsafe.Pointer,
		stamp int64, format, args unsafe.Pointer) {
		mu.Lock()
		seen[goString(name)] = severity
		mu.Unlock()
		rclgo.DefaultLoggingOutputHandler(location, severity, name, stamp, format, args)
	})
	t.Cleanup(func() { rclgo.SetLoggingOutputHandler(nil) })
	log := rclgo.GetLogger("handled")
	check(t, log.Warnln("100 %", "sure"))
	check(t, log.Child("quiet").Debug("not written"))
	mu.Lock()
	defer mu.Unlock()
	if seen["handled"] != int(rclgo.LogSeverityWarn) || len(seen) != 1 {
		t.Errorf("seen %v", seen)
	}
	if rclgo.GetLoggingOutputHandler() == nil {
		t.Error("no handler")
	}
}

func goString(p unsafe.Pointer) string {
	var b strings.Builder
	for ; *(*byte)(p) != 0; p = unsafe.Add(p, 1) {
		b.WriteByte(*(*byte)(p))
	}
	return b.String()
}

func TestLogFileIsWritten(t *testing.T) {
	prefix := unique("special")
	args, _, err := rclgo.ParseArgs([]string{"--ros-args", "--log-file-name", prefix, "--log-level", "filed:=debug"})
	check(t, err)
	check(t, rclgo.InitLogging(args))
	c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
	check(t, rclgo.GetLogger("filed").Debugf("half %d", 50))
	check(t, c.Close()) // flushes
	files, err := filepath.Glob(filepath.Join(os.Getenv("ROS_LOG_DIR"), prefix+"_*"))
	check(t, err)
	if len(files) != 1 {
		t.Fatalf("log files %v", files)
	}
	if b := must[[]byte](t)(os.ReadFile(files[0])); !strings.Contains(string(b), "half 50") {
		t.Errorf("log file: %s", b)
	}
}

func TestErrorsMatchByCode(t *testing.T) {
	c := newContext(t)
	_, err := c.NewNode("not valid", "")
	var typed *rclgo.NodeInvalidName
	if !errors.As(err, &typed) || !errors.Is(err, &rclgo.NodeInvalidName{}) || errors.Is(err, &rclgo.Timeout{}) {
		t.Errorf("%v (%T)", err, err)
	}
	if !strings.HasPrefix(err.Error(), `cannot create node "/not valid": `) || strings.Contains(err.Error(), ".c:") {
		t.Errorf("text %q", err)
	}
}

// TestTwinsShareRosout: rcl has one publisher for each logger name, whichever node of
// the name closes first.
func TestTwinsShareRosout(t *testing.T) {
	ear := newNode(t)
	spin(t, ear.Spin)
	ts, heard := messageType(t, "rcl_interfaces", "Log"), make(chan string, 1000)
	must[*rclgo.Subscription](t)(ear.NewSubscription("/rosout", ts, &rclgo.SubscriptionOptions{Qos: deep()},
		func(s *rclgo.Subscription) {
			m := ts.New()
			if _, err := s.TakeMessage(m); err == nil {
				heard <- field[string](t, m, "msg")
			}
		}))
	for leaver := range 2 {
		name := unique("twin")
		var twins [2]*rclgo.Node
		for i := range twins {
			twins[i] = must[*rclgo.Node](t)(newContext(t).NewNode(name, ""))
		}
		check(t, twins[leaver].Context().Close())
		left := twins[1-leaver]
		eventually(t, "the other one has a publisher", func() bool {
			m, err := left.GetPublisherNamesAndTypesByNode(true, name, "/")
			if err != nil || m["/rosout"] == nil {
				return false
			}
			infos, err := ear.GetPublishersInfoByTopic("/rosout", true)
			return err == nil && slices.ContainsFunc(infos,
				func(i rclgo.TopicEndpointInfo) bool { return i.NodeName == name })
		})
		said := unique("still here ")
		eventually(t, "the other one is heard", func() bool {
			check(t, left.Logger().Info(said))
			select {
			case got := <-heard:
				return got == said
			default:
				return false
			}
		})
	}
}
