//go:build ros

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"rstate/internal/app"
	"rstate/internal/network"
)

// demoIn is how long a demo may take before it gives itself up; it takes half of that.
const demoIn = 55 * time.Second

func demoVerb(e *env, args []string) int {
	own, ros := splitROS(args)
	f := newFlags(e, "demo", "[--ros-args …]")
	pace := f.Duration("pace", 1500*time.Millisecond, "the `time` to read what comes next: --pace 3s")
	if _, code, ok := f.parse(own, 0, 0); !ok {
		return code
	}
	if *pace < 0 || *pace > 5*time.Second {
		return e.fail(exitBadInput, "cannot wait %v before each scene: write --pace with a time from 0s to 5s", *pace)
	}
	domain := os.Getenv("ROS_DOMAIN_ID")
	stop, quiet := signals()
	defer quiet()
	folder, err := app.DemoPlace()
	if err != nil {
		return e.fail(exitFailed, "%v", err)
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithTimeoutCause(context.Background(), demoIn, errors.New("the demo took too long"))
	defer cancel()
	stopped, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go func() {
		select {
		case s := <-stop:
			giveUp(fmt.Errorf("it got %v", s))
		case <-stopped.Done():
		}
	}()
	d := &stage{env: e, ctx: stopped, pace: *pace, ros: ros, folder: folder}
	defer d.end()
	if err := d.begin(); err != nil {
		return codeOf(e, err)
	}
	if taken := d.taken(domain); len(taken) > 0 {
		return e.fail(exitBadInput, "cannot show the demo in domain %s, where there is %s; unset ROS_DOMAIN_ID, and it takes a domain of its own",
			domain, strings.Join(taken, ", "))
	}
	return d.tell(story())
}

// stage is a network that is shown, with the processes that it is made of.
type stage struct {
	env    *env
	ctx    context.Context // done by Ctrl-C, or when it takes too long
	pace   time.Duration
	ros    []string
	folder string

	net    *network.Network
	up     *up
	logs   *tailBuffer // of all processes
	client *app.Client
}

// begin writes the file and makes what speaks to the daemon; no process is there yet.
func (d *stage) begin() (err error) {
	file := filepath.Join(d.folder, "demo.yaml")
	if err := os.WriteFile(file, []byte(demoFile), 0o600); err != nil {
		return fmt.Errorf("cannot write the demo's network file: %w", err)
	}
	if d.net, err = network.Load(file); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find this program to start it again: %w", err)
	}
	d.logs = &tailBuffer{}
	d.up = &up{env: d.env, self: self, names: newPrefixer(d.logs, d.net)}
	d.client, err = app.NewClient("/"+app.NodeName, d.ros, zap.NewNop())
	return err
}

// meetIn is how long others have to be seen in a domain that is not the demo's own.
const meetIn = time.Second

// taken lists those of the demo's names that are there already, in a domain that somebody has chosen.
func (d *stage) taken(domain string) []string {
	if domain == "" {
		return nil
	}
	names := []string{"/" + app.NodeName}
	for _, n := range d.net.Nodes {
		names = append(names, n.Name)
	}
	d.wait(meetIn)
	return d.client.There(names)
}

// end ends every process, the daemon first: it disarms. It may be called again.
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
	if d.client != nil {
		d.client.Close()
	}
}

// scene is a part of the story: what is said before it, and what is to happen. What happens otherwise is its error.
type scene struct {
	said string
	play func(*stage) (told string, err error)
}

// tell plays the scenes and says for each whether it went as told. The first that did not is the last.
func (d *stage) tell(scenes []scene) int {
	fmt.Fprintf(d.env.out, prologue, os.Getenv("ROS_DOMAIN_ID"))
	for i, s := range scenes {
		d.rest()
		fmt.Fprintf(d.env.out, "\n%d. %s\n\n", i+1, s.said)
		d.rest()
		told, err := s.play(d)
		if cause := context.Cause(d.ctx); cause != nil {
			fmt.Fprintf(d.env.out, "\nEnding everything: %v.\n%d of %d as told\n", cause, i, len(scenes))
			if errors.Is(d.ctx.Err(), context.DeadlineExceeded) {
				return exitFailed
			}
			return exitCancelled
		}
		if err != nil {
			fmt.Fprintf(d.env.out, "   NOT as told: %v\n\nWhat the processes said last:\n%s\n%d of %d as told\n", err, d.logs, i, len(scenes))
			return exitFailed
		}
		fmt.Fprintf(d.env.out, "   As told: %s\n", told)
	}
	d.end()
	fmt.Fprintf(d.env.out, epilogue, len(scenes), len(scenes))
	return exitDone
}

// rest leaves a person time to read.
func (d *stage) rest() { d.wait(d.pace / 2) }

func (d *stage) wait(span time.Duration) {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-d.ctx.Done():
	case <-timer.C:
	}
}

// shown is where the output of a command goes: below its scene.
func (d *stage) shown() io.Writer { return &indenter{out: d.env.out, fresh: true} }

// indenter puts everything three steps to the right.
type indenter struct {
	out   io.Writer
	fresh bool // a line begins
}

func (n *indenter) Write(text []byte) (int, error) {
	var shifted bytes.Buffer
	for _, c := range text {
		if n.fresh && c != '\n' {
			shifted.WriteString("   ")
		}
		shifted.WriteByte(c)
		n.fresh = c == '\n'
	}
	_, err := n.out.Write(shifted.Bytes())
	return len(text), err
}

// tailBuffer keeps the end of what is written.
type tailBuffer struct {
	mu   sync.Mutex
	text string
}

// kept is how much of it.
const kept = 8 << 10

func (b *tailBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text += string(text)
	if len(b.text) > kept {
		b.text = b.text[len(b.text)-kept:]
		b.text = b.text[strings.IndexByte(b.text, '\n')+1:]
	}
	return len(text), nil
}

func (b *tailBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text
}
