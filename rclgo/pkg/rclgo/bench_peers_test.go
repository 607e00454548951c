package rclgo_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// benchPeer is a process that is measured: rclpy, or C over rcl.
type benchPeer struct {
	in     io.Writer
	out    *bufio.Scanner
	prefix string
}

func startBenchPeer(b *testing.B, prefix string) *benchPeer {
	b.Helper()
	in, out := startProcess(b, exec.Command("python3", "testdata/bench.py"))
	p := &benchPeer{in, out, prefix}
	p.answer(b)
	return p
}

// startBenchFloor builds and starts the C program.
func startBenchFloor(b *testing.B, prefix string) *benchPeer {
	b.Helper()
	program := filepath.Join(b.TempDir(), "floor")
	args := []string{"-O2", "-o", program, "testdata/floor.c"}
	for _, root := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
		headers, err := filepath.Glob(filepath.Join(root, "include", "*"))
		if err != nil {
			b.Fatal(err)
		}
		for _, dir := range headers {
			args = append(args, "-I"+dir)
		}
		lib := filepath.Join(root, "lib")
		args = append(args, "-L"+lib, "-Wl,--disable-new-dtags", "-Wl,-rpath,"+lib)
	}
	for _, lib := range []string{"rcl", "rcl_action", "rmw", "rcutils", "rosidl_runtime_c"} {
		args = append(args, "-l"+lib)
	}
	for _, pkg := range []string{"std_msgs", "std_srvs", "test_msgs", "action_msgs"} {
		args = append(args, "-l"+pkg+"__rosidl_typesupport_c", "-l"+pkg+"__rosidl_generator_c")
	}
	compiler := cmp.Or(os.Getenv("CC"), "cc")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		b.Fatalf("cannot build the floor: %v\n%s", err, out)
	}
	in, out := startProcess(b, exec.Command(program))
	p := &benchPeer{in, out, prefix}
	p.answer(b)
	return p
}

// measure makes the peer repeat an operation and returns how long each took.
func (p *benchPeer) measure(b *testing.B, what string, count int) []time.Duration {
	b.Helper()
	line, err := json.Marshal(map[string]any{"what": what, "count": count, "prefix": p.prefix})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		b.Fatal(err)
	}
	return p.answer(b)
}

func (p *benchPeer) answer(b *testing.B) (took []time.Duration) {
	b.Helper()
	if !p.out.Scan() {
		b.Fatalf("the peer has ended: %v", p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &took); err != nil {
		b.Fatalf("the peer said %q", p.out.Text())
	}
	return took
}

// startProcess starts a process that ends with its input.
func startProcess(b *testing.B, cmd *exec.Cmd) (io.Writer, *bufio.Scanner) {
	b.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		kill := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v", cmd.Path, err)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return in, lines
}

// benchServerVariable makes the test binary the server, whose names start with its value.
const benchServerVariable = "RCLGO_BENCH_SERVER"

func startBenchServer(b *testing.B, prefix string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), benchServerVariable+"="+prefix)
	_, out := startProcess(b, cmd)
	if !out.Scan() {
		b.Fatal("the server does not start")
	}
}

// benchServer echoes messages, answers calls and reaches goals, until its input ends.
func benchServer(prefix string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	n, err := c.NewNode("bench_server", "")
	if err != nil {
		return err
	}
	ts, err := rclgo.LoadDynamicMessageTypeSupport("std_msgs", "String")
	if err != nil {
		return err
	}
	// separate topics, so that no peer receives another's echo
	for _, who := range []string{"/go", "/rclpy", "/floor"} {
		pub, err := n.NewPublisher(prefix+who+"/pong", ts, nil)
		if err != nil {
			return err
		}
		msg := ts.New()
		if _, err := n.NewSubscription(prefix+who+"/ping", ts, nil, func(s *rclgo.Subscription) {
			if _, err := s.TakeMessage(msg); err == nil {
				_ = pub.Publish(msg)
			}
		}); err != nil {
			return err
		}
	}
	srv, err := introspection.LoadDynamicService("std_srvs", "SetBool")
	if err != nil {
		return err
	}
	resp := srv.Response().New()
	if _, err := n.NewService(prefix+"/call", srv, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) { _ = s.SendResponse(resp) }); err != nil {
		return err
	}
	goals := rclgo.NewDefaultActionServerOptions()
	goals.ResultTimeout = 20 * time.Millisecond // or the status of thousands of old goals is sent with each
	if _, err := test_msgs_action.NewFibonacciServer(n, prefix+"/goal", test_msgs_action.NewFibonacciAction(
		func(_ context.Context, g *fibHandle) (*fibResult, error) {
			_, err := g.Accept()
			return sequenceOf(1), err
		}), goals); err != nil {
		return err
	}
	go c.Spin(ctx)
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
