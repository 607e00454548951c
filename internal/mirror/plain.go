package mirror

import (
	"time"

	"rstate/internal/patient"
)

// A message of a plain peer has no number. Each instance that hears it counts it, and tells the others how many it
// has counted. So one may learn of a message from another instance before it hears it.

// overtaken is how long a message of a plain peer may come after another instance has told of it.
const overtaken = time.Second * patient.Factor

// plainCount is how many messages of a plain peer are known.
type plainCount struct {
	id     string
	heard  uint64        // the newest that was heard here, in the count of all
	toldAt time.Duration // when another instance last told of one
}

// plainCountOf returns the counts of a listed plain peer.
func (b *Book) plainCountOf(id string) *plainCount {
	for k := range b.plains {
		if b.plains[k].id == id {
			return &b.plains[k]
		}
	}
	b.plains = append(b.plains, plainCount{id: id})
	return &b.plains[len(b.plains)-1]
}

// tellOfPlain notes which messages of plain peers became known since, because another instance has counted them.
func (b *Book) tellOfPlain(now time.Duration, before []Seen) {
	for _, name := range b.conf.Plain {
		if id := plainPrefix + name; Count(b.seen, id) > Count(before, id) {
			b.plainCountOf(id).toldAt = now
		}
	}
}

// countPlain counts a message of a listed plain peer. It reports whether another instance has told of the message a
// moment ago; else it is the peer's next one. A message that leads below the common target always counts: it must not
// be lost.
func (b *Book) countPlain(now time.Duration, id, to string) bool {
	c, known := b.plainCountOf(id), Count(b.seen, id)
	if c.heard < known && c.toldAt > 0 && now-c.toldAt <= overtaken && !b.conf.Machine.Lowers(b.target, to) {
		c.heard++
		return true
	}
	c.heard = known + 1
	return false
}
