package wire

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const deadline = 30 * time.Second

func lay(t *testing.T, names ...string) *Wire {
	t.Helper()
	w, err := New(1, names...)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		t.Skipf("left out: hosts of our own: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// listen opens a socket on a host.
func listen(t *testing.T, h *Host) *net.UDPConn {
	t.Helper()
	var c *net.UDPConn
	err := h.Do(func() (err error) {
		c, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.Address, 9)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// talk sends numbered packets from one host to the other, each after the previous one was received
// or given up, until holds accepts the received numbers.
func talk(t *testing.T, from, to *net.UDPConn, what string, holds func(heard []uint32) bool) {
	t.Helper()
	var heard []uint32
	over := time.Now().Add(deadline)
	for n := uint32(0); time.Now().Before(over); n++ {
		packet := binary.BigEndian.AppendUint32(nil, n)
		if _, err := from.WriteTo(packet, to.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		for {
			to.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
			k, _, err := to.ReadFromUDPAddrPort(packet)
			if err != nil {
				break
			}
			if k == 4 {
				heard = append(heard, binary.BigEndian.Uint32(packet))
			}
		}
		if holds(heard) {
			return
		}
	}
	t.Errorf("it never came about that %s; heard %v", what, heard)
}

func several(heard []uint32) bool { return len(heard) > 20 }

func TestHostsHearEachOther(t *testing.T) {
	w := lay(t, "base", "arm", "eye")
	from := listen(t, w.Host("base"))
	for _, to := range w.Hosts[1:] {
		talk(t, from, listen(t, to), to.Name+" hears base", several)
		if c := w.Direction(w.Host("base"), to); c.Arrived == 0 || c.Lost > 0 {
			t.Errorf("to %s: %+v", to.Name, c)
		}
	}
}

func TestCutAndHeal(t *testing.T) {
	w := lay(t, "base", "arm")
	base, arm := w.Host("base"), w.Host("arm")
	from, to := listen(t, base), listen(t, arm)
	talk(t, from, to, "the arm hears", several)
	w.Cut(arm)
	before := w.Direction(base, arm)
	lost := func([]uint32) bool { return w.Direction(base, arm).Lost-before.Lost > 20 }
	talk(t, from, to, "all is lost", lost)
	if now := w.Direction(base, arm); now.Arrived != before.Arrived {
		t.Errorf("%d frames passed a wire that was cut", now.Arrived-before.Arrived)
	}
	w.Heal(arm)
	talk(t, from, to, "the arm hears again", several)
}

func TestFaultsOfTheWire(t *testing.T) {
	w := lay(t, "base", "arm")
	from, to := listen(t, w.Host("base")), listen(t, w.Host("arm"))
	talk(t, from, to, "they have met", several)
	cases := []struct {
		name   string
		faults Faults
		seen   func(heard []uint32) bool
	}{
		{"loss", Faults{Loss: .3}, func(heard []uint32) bool { return gaps(heard) > 5 }},
		{"duplicates", Faults{Duplicate: .3}, func(heard []uint32) bool { return repeats(heard) > 5 }},
		{"reordering", Faults{Reorder: .3}, func(heard []uint32) bool { return backward(heard) > 5 }},
		{"jitter", Faults{Delay: time.Millisecond, Jitter: 30 * time.Millisecond},
			func(heard []uint32) bool { return backward(heard) > 5 }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w.Set(c.faults)
			defer w.Set(Faults{})
			talk(t, from, to, c.name+" is seen", c.seen)
		})
	}
}

func gaps(heard []uint32) (n int) {
	for i := 1; i < len(heard); i++ {
		if heard[i] > heard[i-1]+1 {
			n++
		}
	}
	return n
}

func repeats(heard []uint32) (n int) {
	for i := 1; i < len(heard); i++ {
		if heard[i] == heard[i-1] {
			n++
		}
	}
	return n
}

func backward(heard []uint32) (n int) {
	for i := 1; i < len(heard); i++ {
		if heard[i] < heard[i-1] {
			n++
		}
	}
	return n
}

// TestNothingElseLeadsOut: a process on a host has lo, the wire, and no other device.
func TestNothingElseLeadsOut(t *testing.T) {
	w := lay(t, "base", "arm")
	var out []byte
	if err := w.Host("arm").Do(func() (err error) {
		out, err = exec.Command("cat", "/proc/self/net/dev").Output()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var links []string
	for _, line := range strings.Split(string(out), "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok {
			links = append(links, strings.TrimSpace(name))
		}
	}
	for _, l := range links {
		if l != "lo" && l != device && !strings.HasPrefix(l, "tunl") && !strings.HasPrefix(l, "sit") {
			t.Errorf("there is %s", l)
		}
	}
	if len(links) < 2 {
		t.Errorf("there are only %v:\n%s", links, out)
	}
}

func TestHostThatDoesNotExist(t *testing.T) {
	w := lay(t, "base")
	defer func() {
		if said := recover(); said == nil {
			t.Error("an unknown host is no error")
		}
	}()
	w.Host("bass")
}
