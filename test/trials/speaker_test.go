//go:build ros

package trials

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"rstate/test/bed"
)

// line is what a script of testdata says.
type line struct {
	What      string
	At, Stamp moment
	Why       string // of a node
	Instance  string // and the following: what is shown on ~/state
	State     string
	Settled   bool
	Named     []string
}

// speaker is a process that says lines.
type speaker struct {
	process *bed.Process
	in      io.Writer
	ended   chan struct{} // closed when its last line was heard
}

// speak starts a script on a host, and returns when it is ready. heard is called for every other line,
// in a goroutine of the process.
func (r *robot) speak(name string, side int, heard func(line), args ...string) *speaker {
	r.t.Helper()
	folder, modules := scripts(r.t)
	args[0] = filepath.Join(folder, args[0])
	command := bed.Command{Args: append([]string{"python3"}, args...), On: r.sites[side].At.Do,
		Env: r.env(side, "PYTHONPATH="+modules+string(filepath.ListSeparator)+os.Getenv("PYTHONPATH"))}
	p, in, out := bed.StartPiped(r.t, name, command)
	s := &speaker{process: p, in: in, ended: make(chan struct{})}
	ready := make(chan struct{})
	go s.listen(out, heard, ready)
	select {
	case <-ready:
	case <-s.ended:
		r.t.Fatalf("%s has ended; its log:\n%s", name, p.Log())
	case <-time.After(bed.Deadline):
		r.t.Fatalf("%s is not ready; its log:\n%s", name, p.Log())
	}
	return s
}

// listen passes on the lines until the process has ended. A last line may be cut off by a kill.
func (s *speaker) listen(out io.Reader, heard func(line), ready chan<- struct{}) {
	defer close(s.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue
		}
		if l.What == "ready" {
			close(ready)
			continue
		}
		heard(l)
	}
}

// takes sets how long the node takes to arm.
func (s *speaker) takes(arming time.Duration) { fmt.Fprintf(s.in, "takes %f\n", arming.Seconds()) }
