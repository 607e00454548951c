// Command fuzzhttp sends generated requests to the HTTP API of a real factory, with schemathesis. It reads the API's
// own OpenAPI document, sends valid and broken requests, and compares each answer with the document.
//
//	fuzzhttp -for 10m BINARY
//
// BINARY is rstate. The last line is "N passed, N failed", in requests and faults. schemathesis is installed into a
// folder below .ros the first time. It may import the standard library.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// requirements lists schemathesis and all that it needs, with their hashes.
const requirements = "tools/fuzzhttp/requirements.txt"

//go:embed schemathesis.toml
var config string

// experiments are what the factory can make. Their nodes are not there.
var experiments = map[string]string{
	"demo": "simulation: $(sim)\nmachine: nrp\nnodes: {/fuzz_$(sim): {deadline: {discover: 1ms}}}\n",
	"arm":  "simulation: $(sim)\nnodes: {/fuzz_$(sim): {arm: {}, deadline: {discover: 1ms}}}\n",
}

const (
	// most is how many simulations there are at a time: creations are refused beyond that.
	most = "20"
	// startsIn and endsIn are how long the factory has to serve, and to end.
	startsIn, endsIn = 30 * time.Second, 15 * time.Second
)

func main() {
	duration := flag.Duration("for", 10*time.Minute, "how long to send requests")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "fuzzhttp: name the binary of rstate")
		os.Exit(2)
	}
	passed, failed, err := fuzz(flag.Arg(0), *duration)
	if err != nil {
		fmt.Println("fuzzhttp: " + err.Error())
		failed = max(failed, 1)
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func fuzz(binary string, duration time.Duration) (passed, failed int, err error) {
	tool, err := install()
	if err != nil {
		return 0, 0, err
	}
	folder, err := os.MkdirTemp("", "rstate-fuzz-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(folder)
	f, err := startFactory(binary, folder)
	if err != nil {
		return 0, 0, err
	}
	passed, failed, err = run(tool, folder, f.address, duration)
	if ended := f.stop(); ended != nil {
		err = errors.Join(err, ended)
	}
	return passed, failed, err
}

// install returns schemathesis, in an environment of its own.
func install() (string, error) {
	list, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(list)
	folder := filepath.Join(".ros", "schemathesis-"+hex.EncodeToString(sum[:8]))
	tool := filepath.Join(folder, "bin", "schemathesis")
	if _, err := os.Stat(tool); err == nil {
		return filepath.Abs(tool)
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", folder},
		{filepath.Join(folder, "bin", "pip"), "install", "-q", "--disable-pip-version-check", "--require-hashes",
			"--only-binary", ":all:", "-r", requirements},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "PYTHONPATH=")
		if out, err := cmd.CombinedOutput(); err != nil {
			os.RemoveAll(folder)
			return "", fmt.Errorf("cannot install schemathesis: %w\n%s", err, out)
		}
	}
	return filepath.Abs(tool)
}

// factory is a running rstate factory.
type factory struct {
	cmd     *exec.Cmd
	address string
	log     *os.File
}

var served = regexp.MustCompile(`"address":"(http://[^"]+)"`)

func startFactory(binary, folder string) (*factory, error) {
	dir := filepath.Join(folder, "experiments")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	for name, text := range experiments {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	f := &factory{log: log}
	f.cmd = exec.Command(binary, "factory", "--experiments", dir, "--journal", filepath.Join(folder, "journal"),
		"--http", "0", "--most", most)
	f.cmd.Stderr = log
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(startsIn); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			return nil, err
		}
		if found := served.FindSubmatch(text); found != nil {
			f.address = string(found[1])
			return f, nil
		}
		if time.Now().After(end) {
			return nil, errors.Join(fmt.Errorf("the factory does not serve HTTP within %v:\n%s", startsIn, text),
				f.stop())
		}
	}
}

// stop ends the factory; one that has ended before, or ends uncleanly, is a fault.
func (f *factory) stop() error {
	if err := f.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the factory has ended: %w; its last words: %s", f.cmd.Wait(), f.lastWords())
	}
	ended := make(chan error, 1)
	go func() { ended <- f.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the factory ended uncleanly: %w; its last words: %s", err, f.lastWords())
		}
		return nil
	case <-time.After(endsIn):
		_ = f.cmd.Process.Kill()
		return fmt.Errorf("the factory did not end within %v; its last words: %s", endsIn, f.lastWords())
	}
}

func (f *factory) lastWords() string {
	const length = 4000
	text, _ := os.ReadFile(f.log.Name())
	return string(text[max(0, len(text)-length):])
}

var counted = regexp.MustCompile(`(\d+) generated, (\d+) passed`)

// run lets schemathesis send requests, prints what it says, and counts. Streams never end, so /events is left out; the
// tests of internal/httpapi have it.
func run(tool, folder, address string, duration time.Duration) (passed, failed int, err error) {
	settings := filepath.Join(folder, "schemathesis.toml")
	if err := os.WriteFile(settings, []byte(config), 0o600); err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), duration+2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "--config-file", settings, "run", address+"/openapi.json", "--exclude-path",
		"/events",
		"--max-time", strconv.Itoa(int(duration.Seconds())), "--continue-on-failure", "--warnings", "off")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "PYTHONPATH=", "NO_COLOR=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	generated := 0
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Println(lines.Text())
		if n := counted.FindStringSubmatch(strings.ReplaceAll(lines.Text(), ",  ", ", ")); n != nil {
			generated, _ = strconv.Atoi(n[1])
			passed, _ = strconv.Atoi(n[2])
		}
	}
	_, _ = io.Copy(io.Discard, out) // a line that is too long
	err = cmd.Wait()
	if err == nil && passed == 0 {
		err = errors.New("schemathesis sent no request")
	}
	if err != nil {
		err = fmt.Errorf("schemathesis: %w", err)
	}
	return passed, generated - passed, err
}
