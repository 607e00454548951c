package simnet

import (
	"fmt"
	"time"

	"rstate/internal/engine"
)

// Disk is what the journal is written to. The zero value is a fast one.
type Disk struct {
	Takes  time.Duration // to be safe; zero: 1 ms
	Silent bool          // it never answers
	Fault  string        // it takes nothing, and says this
}

func (d Disk) String() string {
	switch {
	case d.Fault != "":
		return "broken: " + d.Fault
	case d.Silent:
		return "silent"
	}
	return fmt.Sprintf("good, in %v", or(d.Takes, time.Millisecond))
}

type disk struct {
	Disk
	world *World
}

// bad reports whether what is written now is lost with the process.
func (d *disk) bad() bool { return d.Silent || d.Fault != "" }

func (d *disk) tell(b *brain) {
	if d.Fault != "" {
		b.deliver(engine.JournalChanged{Err: d.Fault})
	}
}

func (d *disk) set(to Disk) {
	news := d.Fault != to.Fault
	d.Disk = to
	if news {
		d.world.brain.deliver(engine.JournalChanged{Err: to.Fault})
	}
}

func (d *disk) sync(b *brain, ticket uint64) {
	life := b.life
	d.world.queue.push(d.world.now+or(d.Takes, time.Millisecond), func() {
		if life == b.life && !d.Silent {
			b.take(letter{engine.JournalSynced{Ticket: ticket, Err: d.Fault}, func() { d.world.check.syncedAt = -1 }})
		}
	})
}
