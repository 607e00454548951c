package rclgo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/middleware"
	"github.com/tiiuae/rclgo/internal/ownshm"
	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/internal/rmwfault"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// fastDiscovery makes participants announce themselves often; the stock profile may
// take seconds on a loopback interface. Contexts of this process discover each other over the
// network too: what Fast DDS does instead can lock up (see "Things to know" in the README).
const fastDiscovery = `<?xml version="1.0" encoding="UTF-8" ?>
<dds xmlns="http://www.eprosima.com">
  <library_settings><intraprocess_delivery>USER_DATA_ONLY</intraprocess_delivery></library_settings>
  <profiles><participant profile_name="fast" is_default_profile="true"><rtps><builtin><discovery_config>
    <leaseAnnouncement><sec>0</sec><nanosec>200000000</nanosec></leaseAnnouncement>
    <initialAnnouncements><count>20</count><period><sec>0</sec><nanosec>50000000</nanosec></period></initialAnnouncements>
  </discovery_config></builtin></rtps></participant></profiles>
</dds>
`

func TestMain(m *testing.M) {
	if prefix := os.Getenv(benchServerVariable); prefix != "" {
		if err := benchServer(prefix); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if code, ran := ownshm.Enter(); ran {
		os.Exit(code)
	}
	dir, err := os.MkdirTemp("", "rclgo-test")
	if err != nil {
		panic(err)
	}
	profile := filepath.Join(dir, "fastdds.xml")
	if err := os.WriteFile(profile, []byte(fastDiscovery), 0o600); err != nil {
		panic(err)
	}
	if variable := ours().ProfilesVariable; variable != "" {
		os.Setenv(variable, profile)
	}
	os.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	os.Setenv("ROS_LOG_DIR", dir)
	if os.Getenv("ROS_DOMAIN_ID") == "" {
		os.Setenv("ROS_DOMAIN_ID", strconv.Itoa(20+os.Getpid()%80))
	}
	code := m.Run()
	if n := rmwfault.Duplicates(); n > 0 {
		fmt.Fprintf(os.Stderr, "%d times something was twice in a wait set, which newer releases of ROS 2 refuse\n", n)
		code = max(code, 1)
	}
	stopHost()
	if err := clean(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.RemoveAll(dir)
	report(os.Stdout)
	os.Exit(code)
}

// ours are the facts of the middleware in use.
func ours() middleware.Facts { return middleware.Of(rclgo.MiddlewareIdentifier()) }

// supports skips a test of events that the middleware does not have, or does not report.
func supports(t *testing.T, kinds ...rclgo.EventType) {
	t.Helper()
	for _, k := range kinds {
		if !rclgo.EventSupported(k) {
			t.Skipf("%s has no event %q", rclgo.MiddlewareIdentifier(), k)
		}
	}
	if !ours().FiresEvents {
		t.Skipf("%s does not report its events", rclgo.MiddlewareIdentifier())
	}
}

// unlessUnsupported is nil if the middleware does not have the event.
func unlessUnsupported(err error) error {
	if errors.Is(err, &rclgo.Unsupported{}) {
		return nil
	}
	return err
}

// clean waits until everything that the package has made in this process is closed.
func clean() error {
	deadline := time.Now().Add(patience)
	for {
		left := leftovers()
		if left == "" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("left behind: %s", left)
		}
		runtime.Gosched()
	}
}

// leftovers names what is not closed; it is empty if everything is.
func leftovers() string {
	var left []string
	if n := rcl.LiveHandles(); n != 0 {
		left = append(left, fmt.Sprintf("%d rcl handles", n))
	}
	if n := introspection.LiveMessages(); n != 0 {
		left = append(left, fmt.Sprintf("%d C messages", n))
	}
	if files := sharedMemory(os.Getpid()); len(files) > 0 {
		left = append(left, "the shared memory "+strings.Join(files, ", "))
	}
	return strings.Join(append(left, ownGoroutines()...), "\n")
}

// sharedMemory returns the files of the middleware that a process has mapped.
func sharedMemory(pid int) []string {
	mapped, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil // not Linux
	}
	pattern := ours().SharedMemory
	if pattern == "" {
		return nil
	}
	files := map[string]bool{}
	for line := range strings.Lines(string(mapped)) {
		if i := strings.Index(line, "/dev/shm/"+strings.TrimSuffix(pattern, "*")); i >= 0 {
			files[strings.TrimSpace(line[i:])] = true
		}
	}
	return slices.Sorted(maps.Keys(files))
}

// ownGoroutines returns the stacks that the package under test started.
func ownGoroutines() (own []string) {
	buf := make([]byte, 1<<22)
	buf = buf[:runtime.Stack(buf, true)]
	for _, stack := range strings.Split(string(buf), "\n\n") {
		if _, by, ok := strings.Cut(stack, "created by "); ok &&
			strings.HasPrefix(by, "github.com/tiiuae/rclgo/pkg/rclgo.") {
			own = append(own, stack)
		}
	}
	return own
}

// eventually fails the test unless ok becomes true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// await fails the test unless c delivers.
func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("not in %v: %s", patience, what)
		panic("unreachable")
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// closeContext closes c. It is no failure if c is closed already.
func closeContext(c *rclgo.Context) error {
	if err := c.Close(); !errors.Is(err, &rclgo.AlreadyShutdown{}) {
		return err
	}
	return nil
}

// newContext returns a context that is closed with the test.
func newContext(t *testing.T) *rclgo.Context {
	t.Helper()
	c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
	t.Cleanup(func() {
		if err := closeContext(c); err != nil {
			t.Error(err)
		}
	})
	return c
}

var nodeCount atomic.Int64

// newNode returns a node of a name of its own in a new context.
func newNode(t *testing.T) *rclgo.Node {
	t.Helper()
	return must[*rclgo.Node](t)(newContext(t).NewNode(unique("node"), "/t"))
}

func unique(what string) string { return fmt.Sprintf("%s%d", what, nodeCount.Add(1)) }

// spin serves until the test ends, and waits for Spin to return.
func spin(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); await(t, "spin ends", ended) }) }
	t.Cleanup(stop)
	return stop
}

// within bounds a call.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func messageType(t *testing.T, pkg, name string) types.MessageTypeSupport {
	t.Helper()
	return must[types.MessageTypeSupport](t)(rclgo.LoadDynamicMessageTypeSupport(pkg, name))
}

func stringType(t *testing.T) types.MessageTypeSupport { return messageType(t, "std_msgs", "String") }

func setBool(t *testing.T) types.ServiceTypeSupport {
	t.Helper()
	return must[*introspection.ServiceType](t)(introspection.LoadDynamicService("std_srvs", "SetBool"))
}

// message returns a new message with fields set: name, value, name, value.
func message(t *testing.T, ts types.MessageTypeSupport, fields ...any) types.Message {
	t.Helper()
	m := ts.New().(*introspection.DynamicMessage)
	for i := 0; i < len(fields); i += 2 {
		check(t, m.Set(fields[i].(string), fields[i+1]))
	}
	return m
}

func text(t *testing.T, s string) types.Message { return message(t, stringType(t), "data", s) }

// field reads a field of a dynamic message.
func field[T any](t *testing.T, m types.Message, name string) T {
	t.Helper()
	v, err := m.(*introspection.DynamicMessage).Get(name)
	check(t, err)
	out, ok := v.(T)
	if !ok {
		t.Fatalf("field %s is a %T", name, v)
	}
	return out
}

// deep is a profile with room for all that a test sends.
func deep() rclgo.QosProfile {
	q := rclgo.NewDefaultQosProfile()
	q.Depth = 1000
	return q
}

// listen subscribes and returns the received messages.
func listen(t *testing.T, n *rclgo.Node, topic string, opts *rclgo.SubscriptionOptions) (*rclgo.Subscription,
	<-chan string) {
	t.Helper()
	heard := make(chan string, 1000)
	ts := stringType(t)
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, opts, func(s *rclgo.Subscription) {
		m := ts.New()
		if _, err := s.TakeMessage(m); err == nil {
			heard <- field[string](t, m, "data")
		}
	}))
	return sub, heard
}

func connected(t *testing.T, pub *rclgo.Publisher) {
	t.Helper()
	eventually(t, "the publisher finds its subscription", func() bool {
		n, err := pub.GetSubscriptionCount()
		check(t, err)
		return n > 0
	})
}

func available(t *testing.T, c *rclgo.Client) {
	t.Helper()
	eventually(t, "the client finds its service", func() bool {
		yes, err := c.Available()
		check(t, err)
		return yes
	})
}
