//go:build ros

package peers

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/team"
)

// plain is a program that publishes only the four fields, on a host of its own.
type plain struct {
	t  *testing.T
	in io.Writer

	mu   sync.Mutex
	said string
}

func startPlain(t *testing.T, l *team.Land, host, name, topic string) *plain {
	t.Helper()
	p := &plain{t: t}
	_, in, out := bed.StartPiped(t, name,
		bed.Command{Args: []string{"python3", "testdata/plain.py", name, topic}, On: l.Wire.Host(host).Do})
	p.in = in
	go io.Copy(p, out) // ends with the program
	p.is("unconfigured")
	return p
}

func (p *plain) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said += string(text)
	return len(text), nil
}

// is waits until the program is in a state.
func (p *plain) is(state string) {
	p.t.Helper()
	bed.Eventually(p.t, "the plain program is "+state, func() (string, bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		said := strings.Fields(p.said)
		return p.said, len(said) > 0 && said[len(said)-1] == state
	})
}

func (p *plain) says(command string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		p.t.Fatalf("the plain program cannot be sent %s: %v", command, err)
	}
}

// TestP9AProgramOfFourFieldsIsAPeer: the program follows and is followed, over the wire, and no
// instance republishes its changes.
func TestP9AProgramOfFourFieldsIsAPeer(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := team.New(t, binary)
	name := m.Name("nrp")
	keys := "peers: {plain: [" + name + "]}"
	base, arm := m.Joins(l.Site("base"), team.Member{Keys: keys}), m.Joins(l.Site("arm"), team.Member{Keys: keys})
	m.Meet()
	p := startPlain(t, l, "eye", name, m.Topic())
	for _, f := range m.All { // the program's writer, the two daemons', and both readers of each daemon
		bed.Eventually(t, f.Name+" is matched with the plain program", func() (string, bool) {
			n := f.Topic.Publishers()
			return fmt.Sprint(n), n == 3
		})
	}
	base.Do("configure", "succeeded done inactive")
	m.Agree("inactive")
	p.is("inactive")
	before := [][]string{base.Made(), arm.Made()}
	p.says("activate")
	m.Agree("active")
	p.says("arm") // which no instance follows
	p.is("armed")
	p.says("deactivate")
	m.Agree("inactive")
	p.says("activate")
	m.Agree("active")
	for i, f := range m.All {
		if now := f.Made(); !slices.Equal(now, before[i]) {
			t.Errorf("%s published %q, and %q before", f.Name, now, before[i])
		}
		if truth := f.Rear.Truth(); truth.Count("arm") > 0 {
			t.Errorf("%s armed: %+v", f.Name, truth)
		}
	}
	arm.Do("arm", "succeeded done armed")
	m.Agree("armed")
	p.is("armed")
	p.says("disarm")
	m.Agree("active")
}
