package engine

import (
	"fmt"

	"rstate/internal/mirror"
)

// What is heard of other instances of the simulation, and what is told them: the last of the inputs and effects, kept
// together because they have to do with each other. The lists in input.go and effect.go are closed with these.

// PeerChanged is a message of another instance on the lifecycle topic. Messages of our own node never come in.
type PeerChanged struct{ Change mirror.Change }

// PeerTold is a status of another instance. It comes with each that is received, whether it says something new or not:
// that it comes is what keeps it fresh.
type PeerTold struct{ Status mirror.Status }

// PeerLost says that an instance does not renew its liveliness any more, or that its writer has left the graph. Should it
// be heard again, a PeerTold says so.
type PeerLost struct {
	Name, Instance string
	Why            string
}

// TellPeers makes our status known. The newest counts; whoever carries it out says it again twice a second, with the
// age of the proof as it is then, until the next one.
type TellPeers struct{ Status mirror.Status }

func (PeerChanged) input() {}
func (PeerTold) input()    {}
func (PeerLost) input()    {}
func (TellPeers) effect()  {}

func (p PeerChanged) String() string {
	return fmt.Sprintf("peer %s (%s) goes from %s to %s by %q, seen %v", p.Change.Name, p.Change.Instance, p.Change.SourceState, p.Change.TargetState, p.Change.Event, p.Change.Seen)
}

func (p PeerTold) String() string {
	return fmt.Sprintf("peer %s (%s) is %s on its way to %s, seen %v", p.Status.Name, p.Status.Instance, p.Status.State, p.Status.Target, p.Status.Seen)
}

func (p PeerLost) String() string {
	return fmt.Sprintf("peer %s (%s) is lost: %s", p.Name, p.Instance, p.Why)
}

func (t TellPeers) String() string {
	return fmt.Sprintf("tell peers: %s on the way to %s, seen %v", t.Status.State, t.Status.Target, t.Status.Seen)
}
