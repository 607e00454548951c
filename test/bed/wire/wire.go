// Package wire joins hosts by a network that can lose, delay, reorder and duplicate frames, and
// that can be cut and healed, on one machine, with network namespaces and TAP devices only. Each
// host is a namespace with lo and one device, and has no other connection. The seed determines the
// faults, frame by frame.
//
// It is part of the test harness and independent of ROS. It may import the standard library only.
package wire

import (
	"container/heap"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"time"
)

// frameSize is larger than any frame of a device with an MTU of 1500 bytes.
const frameSize = 2048

// queued is how many frames may be under way in one direction. Further ones are lost, as on any
// wire.
const queued = 4096

// network is the address range of the hosts.
var network = netip.MustParsePrefix("10.77.0.0/24")

// Wire is a set of hosts and the network between them. Its methods may be called from any
// goroutine.
type Wire struct {
	Hosts []*Host

	directions map[[2]*Host]*direction
	carrying   sync.WaitGroup
	closing    chan struct{}
}

// Count counts the frames of one direction.
type Count struct{ Sent, Lost, Arrived int }

// direction is the way from one host to another.
type direction struct {
	mu     sync.Mutex
	faults Faults
	fates  *fates
	count  Count
	under  chan flight
}

// flight is a frame that is under way.
type flight struct {
	frame []byte
	at    time.Time
	order uint64
}

// New makes the hosts and joins them by a wire without faults. It needs the right to make network
// namespaces and devices; its error says what was missing.
func New(seed uint64, names ...string) (*Wire, error) {
	w := &Wire{directions: map[[2]*Host]*direction{}, closing: make(chan struct{})}
	address := network.Addr()
	for _, name := range names {
		address = address.Next()
		h, err := newHost(name, netip.PrefixFrom(address, network.Bits()))
		if err != nil {
			w.Close()
			return nil, err
		}
		w.Hosts = append(w.Hosts, h)
	}
	for i, from := range w.Hosts {
		for k, to := range w.Hosts {
			if i == k {
				continue
			}
			d := &direction{fates: newFates(seed, uint64(i)<<32|uint64(k)), under: make(chan flight, queued)}
			w.directions[[2]*Host{from, to}] = d
			w.carrying.Go(func() { w.deliver(d, to.tap) })
		}
	}
	for _, h := range w.Hosts {
		w.carrying.Go(func() { w.carry(h) })
	}
	return w, nil
}

// Close removes the wire and its hosts. The caller must end processes on them first.
func (w *Wire) Close() {
	close(w.closing)
	for _, h := range w.Hosts {
		h.end()
	}
	w.carrying.Wait()
}

// Host returns the host of that name.
func (w *Wire) Host(name string) *Host {
	for _, h := range w.Hosts {
		if h.Name == name {
			return h
		}
	}
	panic(fmt.Sprintf("wire: there is no host %q", name))
}

// Set sets the faults of all directions.
func (w *Wire) Set(f Faults) {
	for _, d := range w.directions {
		d.set(func(faults *Faults) { *faults = f })
	}
}

// Cut separates a host from all others, and Heal reconnects it. Other faults are not changed.
func (w *Wire) Cut(h *Host) { w.part(h, true) }

// Heal ends a Cut.
func (w *Wire) Heal(h *Host) { w.part(h, false) }

func (w *Wire) part(h *Host, cut bool) {
	for ends, d := range w.directions {
		if ends[0] == h || ends[1] == h {
			d.set(func(faults *Faults) { faults.Cut = cut })
		}
	}
}

// Direction returns the counts of the frames from one host to another so far.
func (w *Wire) Direction(from, to *Host) Count {
	d := w.directions[[2]*Host{from, to}]
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

func (d *direction) set(change func(*Faults)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.faults)
}

// carry reads the frames of a host and sends each to all other hosts; hosts that are not addressed
// ignore it.
func (w *Wire) carry(from *Host) {
	buffer := make([]byte, frameSize)
	for {
		n, err := from.tap.Read(buffer)
		if err != nil {
			if !errors.Is(err, os.ErrClosed) {
				panic(fmt.Sprintf("wire: cannot hear %s: %v", from.Name, err))
			}
			return
		}
		now := time.Now()
		frame := append([]byte(nil), buffer[:n]...)
		for _, to := range w.Hosts {
			if to != from {
				w.directions[[2]*Host{from, to}].send(frame, now)
			}
		}
	}
}

// send decides on a frame. Only carry of its sender calls it.
func (d *direction) send(frame []byte, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	arrivals := d.fates.next(d.faults)
	d.count.Sent++
	if len(arrivals) == 0 {
		d.count.Lost++
	}
	for _, after := range arrivals {
		select {
		case d.under <- flight{frame, now.Add(after), uint64(d.count.Sent)}:
		default:
			d.count.Lost++
		}
	}
}

// deliver writes frames when they are due.
func (w *Wire) deliver(d *direction, to *os.File) {
	var waiting flights
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		if len(waiting) > 0 {
			due.Reset(time.Until(waiting[0].at))
		}
		select {
		case <-w.closing:
			return
		case f := <-d.under:
			heap.Push(&waiting, f)
		case <-due.C:
		}
		for now := time.Now(); len(waiting) > 0 && !waiting[0].at.After(now); {
			// an error means that the end is being closed
			if _, err := to.Write(heap.Pop(&waiting).(flight).frame); err == nil {
				d.arrived()
			}
		}
	}
}

func (d *direction) arrived() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count.Arrived++
}

// flights is a heap by due time; frames that are due at the same time keep their order of sending.
type flights []flight

func (f flights) Len() int { return len(f) }
func (f flights) Less(i, k int) bool {
	return f[i].at.Before(f[k].at) || f[i].at.Equal(f[k].at) && f[i].order < f[k].order
}
func (f flights) Swap(i, k int) { f[i], f[k] = f[k], f[i] }
func (f *flights) Push(x any)   { *f = append(*f, x.(flight)) }
func (f *flights) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
