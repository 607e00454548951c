//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"rstate/config"
	"rstate/internal/client"
	"rstate/internal/demo"
	"rstate/internal/narrate"
	"rstate/internal/network"
	"rstate/internal/rehearse"
	"rstate/internal/session"
	"rstate/internal/strict"
)

func demoVerb(e *env, f *options) action {
	pace := f.Duration("pace", 1500*time.Millisecond, "`time` to read the text before each scene: --pace 3s")
	return func(words []string) int {
		played, err := demoNamed(append(words, demos()[0].name)[0])
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		if *pace < 0 || *pace > 5*time.Second {
			return e.fail(exitBadInput, "cannot wait %v before each scene: write --pace with a time from 0s to 5s",
				*pace)
		}
		domain := os.Getenv("ROS_DOMAIN_ID")
		stop, quiet := signals()
		defer quiet()
		folder, err := demo.Place()
		if err != nil {
			return e.fail(exitFailed, "%v", err)
		}
		defer os.RemoveAll(folder)
		stopped, giveUp := context.WithCancelCause(context.Background())
		defer giveUp(nil)
		go func() {
			select {
			case s := <-stop:
				giveUp(fmt.Errorf("it got %v", s))
			case <-stopped.Done():
			}
		}()
		d := &stage{demo: played, env: e, ctx: stopped,
			teller: narrate.Teller{Out: e.out, Pace: *pace, Logs: &narrate.Tail{}}, ros: e.ros, folder: folder}
		defer d.end()
		if err := d.begin(); err != nil {
			return codeOf(e, err)
		}
		limited, cancel := context.WithTimeoutCause(stopped, demoLimit(*pace, len(d.scenes)),
			errors.New("the demo took too long"))
		defer cancel()
		d.ctx = limited
		if taken := d.taken(domain); len(taken) > 0 {
			return e.fail(exitBadInput, "cannot show the demo in domain %s, where there is %s; unset ROS_DOMAIN_ID, and it takes a domain of its own",
				domain, strings.Join(taken, ", "))
		}
		return d.tell()
	}
}

// demoNamed returns the demo that a word on the command line names.
func demoNamed(name string) (*demonstration, error) {
	var names []string
	for _, d := range demos() {
		if d.name == name {
			return &d, nil
		}
		names = append(names, d.name)
	}
	return nil, fmt.Errorf("cannot show %q: there is no such demo; %s", name,
		strict.Suggest(name, names, "write one of "+strings.Join(names, ", ")))
}

// demonstration is a demo as data: a network file, a story, and how its nodes behave.
type demonstration struct {
	name        string              // on the command line
	prologue    string              // with %s for the ROS domain
	network     string              // the network file, in config
	recorded    bool                // its loop is recorded; the network file ends with the loop
	story       string              // the script, in config/rehearsals/demos; empty: the scenes alone
	scenes      []scene             // behind those of the script
	faults      map[string][]string // options that make nodes fail, where there is no script
	options     []string            // of every node
	experiments map[string]string   // of a factory
	hint        string              // what to try
}

// demoFile returns a file of config.
func demoFile(name string) (string, error) {
	text, err := fs.ReadFile(config.Files, name)
	return string(text), err
}

// bare returns a network file without empty lines, and with the comments on its nodes and its loop alone.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line[0] != '\n' && line[0] != '#' {
			b.WriteString(line)
		}
	}
	return b.String()
}

// scene is a part of the story: the text that announces it, and a function that plays it. The function returns the text
// of the result, or an error if the scene does not go as expected.
type scene struct {
	said string
	play func(*stage) (told string, err error)
}

// stage is the network of the demo, with its processes.
type stage struct {
	demo   *demonstration
	env    *env
	ctx    context.Context // done by Ctrl-C, or when it takes too long
	teller narrate.Teller
	ros    []string
	folder string

	text   string // of the network file
	net    *network.Network
	scenes []scene
	up     *up
	conn   *client.Client

	address string // of the factory
}

// recording is the file to which the loop is recorded.
func (d *stage) recording() string { return filepath.Join(d.folder, d.demo.name+".mcap") }

// write writes the network file of a simulation.
func (d *stage) write(id int) (err error) {
	file := filepath.Join(d.folder, "demo.yaml")
	text := strings.ReplaceAll(d.text, "$(sim)", strconv.Itoa(id))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("cannot write the demo's network file: %w", err)
	}
	d.net, err = network.Load(file)
	return err
}

// begin writes the network file, reads the story, and creates the client of the daemon. It starts no process.
func (d *stage) begin() error {
	text, err := demoFile(d.demo.network)
	if err != nil {
		return err
	}
	if d.text = bare(text); d.demo.recorded {
		d.text += fmt.Sprintf("  record: %s\n", d.recording())
	}
	if err := d.write(0); err != nil {
		return err
	}
	if d.demo.story != "" {
		story, err := demoFile("rehearsals/demos/" + d.demo.story)
		if err != nil {
			return err
		}
		script, err := rehearse.Parse(d.demo.story, []byte(story), d.net)
		if err != nil {
			return err
		}
		if err := demoable(script, d.net); err != nil {
			return err
		}
		d.scenes = d.lives(script)
	}
	d.scenes = append(d.scenes, d.demo.scenes...)
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find this program to start it again: %w", err)
	}
	d.up = &up{env: d.env, self: self, names: newPrefixer(d.teller.Logs, d.net)}
	d.conn, err = client.New("/"+session.NodeName, d.ros, zap.NewNop())
	return err
}

// startNode starts a node's process.
func (d *stage) startNode(name string, more ...string) error {
	args := append([]string{"node", name, "--log", "text", "--configure-delay", "300ms", "--activate-delay", "200ms"},
		more...)
	args = append(append(args, d.demo.options...), stepFlagsOf(d.net, name)...)
	args = append(args, armFlags(d.net.Nodes[d.net.Index(name)], daemonName(d.ros))...)
	child, err := d.up.start(name, nil, args...)
	if err == nil {
		d.up.nodes = append(d.up.nodes, child)
	}
	return err
}

// signals sends a signal to the newest process of a node.
func (d *stage) signals(node, word string, s os.Signal) error {
	for _, c := range slices.Backward(d.up.nodes) {
		if c.name == node {
			fmt.Fprintf(d.shown(), "$ kill %s %d\n", word, c.cmd.Process.Pid)
			return c.cmd.Process.Signal(s)
		}
	}
	return fmt.Errorf("no process of %s has started", node)
}

// sceneIn is the time limit of what a scene waits for.
const sceneIn = 25 * time.Second

// meetIn is how long the demo looks for nodes of other programs in a domain that the user has set.
var meetIn = time.Second

// taken lists the names of the demo that exist already in a domain that the user has set.
func (d *stage) taken(domain string) []string {
	if domain == "" {
		return nil
	}
	names := []string{"/" + session.NodeName}
	for _, n := range d.net.Nodes {
		names = append(names, n.Name)
	}
	narrate.Wait(d.ctx, meetIn)
	return d.conn.There(names)
}

// end ends every process, first the daemon, which disarms. It may be called again.
func (d *stage) end() {
	if d.up == nil {
		return
	}
	if d.up.daemon != nil {
		end(d.up.daemon, daemonIn, nil)
	}
	d.up.stopNodes()
	if d.up.ready != nil {
		d.up.ready.Close()
	}
	if d.conn != nil {
		d.conn.Close()
	}
}

// tell plays the scenes until one of them does not go as expected.
func (d *stage) tell() int {
	t := narrate.Story{Prologue: fmt.Sprintf(d.demo.prologue, os.Getenv("ROS_DOMAIN_ID")), Close: d.end,
		Epilogue: "\nThe demo is over, and every process has ended. Try it yourself with " + d.demo.hint + ".\n"}
	for _, s := range d.scenes {
		t.Scenes = append(t.Scenes, narrate.Scene{Said: s.said, Play: func() (string, error) { return s.play(d) }})
	}
	return map[narrate.End]int{narrate.AsExpected: exitDone, narrate.Failed: exitFailed,
		narrate.Stopped: exitCancelled}[d.teller.Tell(d.ctx, t)]
}

// shown returns the writer for the output of commands, which is indented below the scene.
func (d *stage) shown() io.Writer { return d.teller.Shown() }
