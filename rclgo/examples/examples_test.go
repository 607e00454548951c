// Package examples tests the programs of the folders below it as a user runs them.
package examples

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/ownshm"
	_ "github.com/tiiuae/rclgo/internal/roscheck" // the tests need ROS 2
)

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	if code, ran := ownshm.Enter(); ran {
		os.Exit(code)
	}
	os.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	if os.Getenv("ROS_DOMAIN_ID") == "" {
		os.Setenv("ROS_DOMAIN_ID", strconv.Itoa(1+os.Getpid()%99))
	}
	os.Exit(m.Run())
}

// copied copies an example to a folder of the test's own and makes its module use this library.
func copied(t *testing.T, example, module string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	library, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	run(t, filepath.Join(dir, module), nil,
		"rm -rf msgs cgo-flags.env; go mod edit -replace github.com/tiiuae/rclgo="+library)
	return dir
}

// run runs a script in a shell in which only ROS 2 is sourced.
func run(t *testing.T, dir string, env []string, script string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CGO_") }),
		"GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// program is a running program.
type program struct {
	name  string
	lines chan string
}

// start starts a program, which must exit with code 0 when the end of the test interrupts it.
func start(t *testing.T, env []string, name string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{filepath.Base(name), make(chan string, 1000)}
	ended := make(chan error, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.lines <- lines.Text()
		}
		close(p.lines)
		ended <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		defer kill.Stop()
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	})
	return p
}

// says waits until the program prints a line, and skips others.
func (p *program) says(t *testing.T, want string) {
	t.Helper()
	var seen []string
	deadline := time.After(patience)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				t.Fatalf("%s has ended without %q; it printed %q", p.name, want, seen)
			}
			if line == want {
				return
			}
			seen = append(seen, line)
		case <-deadline:
			t.Fatalf("%s has not printed %q, but %q", p.name, want, seen)
		}
	}
}

const pythonListener = `
import importlib, sys, rclpy
from rclpy.signals import SignalHandlerOptions
topic, package, name, field = sys.argv[1:]
kind = getattr(importlib.import_module(package + '.msg'), name)
rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
node = rclpy.create_node('listener')
node.create_subscription(kind, topic, lambda m: print('heard', getattr(m, field), flush=True), 10)
try:
    while True:
        rclpy.spin_once(node, timeout_sec=0.1)
except KeyboardInterrupt:
    pass
node.destroy_node()
rclpy.shutdown()
`

const pythonSpeaker = `
import rclpy
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
node = rclpy.create_node('speaker')
pub = node.create_publisher(String, '/hello', 10)
node.create_timer(0.1, lambda: pub.publish(String(data='python')))
try:
    while True:
        rclpy.spin_once(node, timeout_sec=0.1)
except KeyboardInterrupt:
    pass
node.destroy_node()
rclpy.shutdown()
`

const pythonAsker = `
import rclpy
from rclpy.action import ActionClient
from test_msgs.action import Fibonacci
rclpy.init()
node = rclpy.create_node('python_asker')
for action in '/fibonacci', '/fibonacci_untyped':
    client = ActionClient(node, Fibonacci, action)
    client.wait_for_server()
    sent = client.send_goal_async(Fibonacci.Goal(order=5))
    rclpy.spin_until_future_complete(node, sent)
    result = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, result)
    print(action, result.result().status, list(result.result().result.sequence), flush=True)
    client.destroy()
node.destroy_node()
rclpy.shutdown()
`

func TestPublisherSubscriber(t *testing.T) {
	dir := copied(t, "publisher_subscriber", ".")
	run(t, dir, nil, "go generate; . ./cgo-flags.env; go vet ./...; go build -o publish ./publisher; go build -o subscribe ./subscriber")
	subscriber := start(t, nil, filepath.Join(dir, "subscribe"))
	listener := start(t, nil, "python3", "-c", pythonListener, "/hello", "std_msgs", "String", "data")
	start(t, nil, filepath.Join(dir, "publish"), "badger", "--ros-args", "-r", "__node:=mouth")
	subscriber.says(t, "received badger")
	listener.says(t, "heard badger")
	start(t, nil, filepath.Join(dir, "publish"))
	subscriber.says(t, "received gopher")
	start(t, nil, "python3", "-c", pythonSpeaker)
	subscriber.says(t, "received python")
}

func TestActionClientServer(t *testing.T) {
	dir := copied(t, "action_client_server", ".")
	run(t, dir, nil, "go generate; . ./cgo-flags.env; go vet ./...; go build -o serve ./server; go build -o ask ./client")
	start(t, nil, filepath.Join(dir, "serve"))
	client := start(t, nil, filepath.Join(dir, "ask"))
	for _, want := range []string{"result Succeeded [0 1 1 2 3 5]", "untyped result [0 1 1 2 3 5]", "rejected: true"} {
		client.says(t, want)
	}
	asker := start(t, nil, "python3", "-c", pythonAsker)
	for _, action := range []string{"/fibonacci", "/fibonacci_untyped"} {
		asker.says(t, action+" 4 [0, 1, 1, 2, 3]")
	}
	for range asker.lines { // it ends by itself
	}
}

func TestCustomMessagePackage(t *testing.T) {
	dir := copied(t, "custom_message_package", "greeter")
	// The same commands as colcon.
	run(t, filepath.Join(dir, "greeting_msgs"), nil,
		`cmake -S . -B build -DCMAKE_INSTALL_PREFIX=install -DBUILD_TESTING=OFF `+
			`-DPython3_EXECUTABLE="$(command -v python3)"; cmake --build build --target install -j 2`)
	install := filepath.Join(dir, "greeting_msgs", "install")
	site, err := filepath.Glob(filepath.Join(install, "lib", "python3*", "site-packages"))
	if err != nil || len(site) != 1 {
		t.Fatalf("%q, %v", site, err)
	}
	front := func(name, value string) string { return fmt.Sprintf("%s=%s:%s", name, value, os.Getenv(name)) }
	env := []string{front("AMENT_PREFIX_PATH", install), front("LD_LIBRARY_PATH", filepath.Join(install, "lib")),
		front("PYTHONPATH", site[0])}
	greeter := filepath.Join(dir, "greeter")
	run(t, greeter, env, "go generate; . ./cgo-flags.env; go vet ./...; go build -o greeter .")
	listener := start(t, env, "python3", "-c", pythonListener, "/greeter/hello", "greeting_msgs", "Hello", "name")
	start(t, env, filepath.Join(greeter, "greeter"))
	listener.says(t, "heard gopher")
}
