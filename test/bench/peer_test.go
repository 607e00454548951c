//go:build ros

package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"testing"
	"time"

	"rstate/test/bed"
)

// peer is an rclpy process that answers requests, line by line.
type peer struct {
	b       *testing.B
	process *bed.Process
	in      io.Writer
	out     *bufio.Scanner
}

// startPeer starts a script of testdata and waits until it is ready.
func startPeer(b *testing.B, script string, args ...string) *peer {
	b.Helper()
	return startPeerIn(b, nil, script, args...)
}

// startPeerIn is startPeer with more environment.
func startPeerIn(b *testing.B, env []string, script string, args ...string) *peer {
	b.Helper()
	command := bed.Command{Args: append([]string{"python3", "testdata/" + script}, args...), Env: env}
	p := &peer{b: b}
	var out io.Reader
	p.process, p.in, out = bed.StartPiped(b, script, command)
	p.out = bufio.NewScanner(out)
	var hello string
	p.answer(&hello)
	return p
}

// ask sends the peer a request and decodes its answer.
func (p *peer) ask(op string, arguments map[string]any, answer any) {
	p.b.Helper()
	request := map[string]any{"op": op}
	for name, value := range arguments {
		request[name] = value
	}
	line, err := json.Marshal(request)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		p.b.Fatalf("cannot ask %s to %s: %v", p.process.Name, op, err)
	}
	p.answer(answer)
}

func (p *peer) answer(into any) {
	p.b.Helper()
	if !p.out.Scan() {
		p.b.Fatalf("%s has ended (%v); its log:\n%s", p.process.Name, p.out.Err(), p.process.Log())
	}
	if err := json.Unmarshal(p.out.Bytes(), into); err != nil {
		p.b.Fatalf("%s answered %q: %v", p.process.Name, p.out.Text(), err)
	}
}

// script is a client without a coordinator, over the nodes of a group.
type script struct{ *peer }

func startScript(b *testing.B, g group) script {
	b.Helper()
	return script{startPeer(b, "caller.py", g.prefix, strconv.Itoa(g.count))}
}

func (s script) atOnce(words ...string) time.Duration { return s.time("at_once", words) }
func (s script) readingFirst(words ...string) time.Duration {
	return s.time("reading_first", words)
}
func (s script) inSequence(words ...string) time.Duration { return s.time("in_sequence", words) }

func (s script) time(op string, words []string) (took time.Duration) {
	s.b.Helper()
	s.ask(op, map[string]any{"words": words}, &took)
	return took
}

// kind is the kind of nodes and how they share a process.
type kind string

// The kinds of processes with nodes.
const (
	ownNodes kind = "own nodes" // rstate node --count: each runs its callbacks concurrently with the others
	// one multi-threaded executor: work is concurrent, everything else shares an interpreter
	rclpyMulti  kind = "rclpy multi"
	rclpySingle kind = "rclpy single"
)

// group is the nodes of one process: /PREFIX_1, /PREFIX_2, …
type group struct {
	prefix string
	count  int
	rclpy  *peer  // nil for rstate's own nodes
	record string // the file to which their loop is recorded; empty: none
}

func (g group) names() (names []string) {
	for i := range g.count {
		names = append(names, fmt.Sprintf("/%s_%d", g.prefix, i+1))
	}
	return names
}

// startGroup starts nodes. Callbacks that raise them take that long; those that lower them take no
// time.
func startGroup(b *testing.B, k kind, count int, work time.Duration) group {
	b.Helper()
	g := group{prefix: bed.Unique(b, "n"), count: count}
	if k != ownNodes {
		g.rclpy = startPeer(b, "nodes.py", g.prefix, strconv.Itoa(count),
			map[kind]string{rclpyMulti: "multi", rclpySingle: "single"}[k])
		g.takes(work)
		return g
	}
	args := []string{"node", "--log-level", "error", "--configure-delay", work.String(), "--activate-delay",
		work.String()}
	if count > 1 {
		args = append(args, "--count", strconv.Itoa(count), g.prefix)
	} else {
		args = append(args, g.prefix+"_1")
	}
	bed.StartCommand(b, "nodes", shipped(append([]string{binary(b)}, args...)))
	return g
}

// takes sets how long raising callbacks take from now on. Only for groups in rclpy.
func (g group) takes(work time.Duration) {
	g.rclpy.b.Helper()
	g.rclpy.ask("work", map[string]any{"seconds": work.Seconds()}, new(any))
}

// shipped returns a command of rstate with the discovery profile that rstate ships.
func shipped(args []string) bed.Command {
	return bed.Command{Args: args, Env: []string{"FASTDDS_DEFAULT_PROFILES_FILE=", "FASTRTPS_DEFAULT_PROFILES_FILE="}}
}
