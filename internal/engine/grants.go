package engine

import (
	"cmp"
	"fmt"

	"rstate/internal/engine/grant"
	"rstate/internal/machine"
)

// The permission to arm: package grant has it as a value. Here is what makes a grant, and what ends
// the era of all grants.

// endEra ends the era. What was deferred, queued or postponed until now arms nothing any more, and what is
// armed stays so until something disarms it.
func (co *course) endEra(why string) {
	co.grants.End(why)
	co.changed = true
}

// Seen is the text that a client has to bring with a goal that arms, as in the Snapshot.
func (co *course) Seen() string { return co.grants.Seen(co.opt.Instance) }

// grantTo makes the grant of a goal that names an armed state. A goal that does not gets none.
func (co *course) grantTo(g *goal) grant.Grant {
	end := g.name
	if !g.isState {
		end = co.command(g.name, co.origin()).To
	}
	if to, _ := co.machine.State(end); !to.Armed.Any() {
		return grant.Grant{}
	}
	return co.grants.Give("")
}

// endEraIfLowering ends the era because work lowers, unless that is a step on the way of a goal that is
// permitted to arm in the end.
func (co *course) endEraIfLowering(w *work, t machine.Transition) {
	if !w.lowers || w.goal != nil && co.grants.Void(w.goal.grant) == "" && co.armsLater(w.goal) {
		return
	}
	why := cmp.Or(w.why, t.Name)
	if w.goal != nil {
		why = t.Name + " was asked for by " + w.goal.who
	}
	co.endEra(why)
	w.era = co.grants.Era()
	if by := &co.armed; by.peer != "" && co.peers.book.Vouches(co.now.Steady, by.peer, by.instance, w.origin) != "" {
		by.lost = true
	}
}

// endEraIfBound ends the era because of a goal that is accepted and has nothing to lower, if it says what the network is
// to be at most. Had an arm come a moment before it, it would have lowered the network, so an arm that was decided on
// before it does not come after it.
func (co *course) endEraIfBound(in GoalAsked) {
	if name, isState, _ := co.machine.Command(in.Command); co.machine.Bounds(name, isState) {
		co.endEra(name + " was asked for by " + in.asker())
	}
}

// endEraOf ends the era if a change of a lost peer has permitted to arm.
func (co *course) endEraOf(peer string) {
	if peer == "" { // which stands for a client of this instance
		return
	}
	if co.peers.grant.Peer() == peer || co.work != nil && co.work.grant.Peer() == peer {
		co.endEra(peer + ", whose change permitted it, is lost")
	}
	co.armed.lost = co.armed.lost || co.armed.peer == peer
}

// endEraForPeer ends the era because a peer goes down, also if this network has nothing to lower: a client that
// asked to arm before may not know of it. A disarm that began here takes the peers down too, and has ended the
// era already.
func (co *course) endEraForPeer(peer string) {
	if w := co.work; w == nil || w.news.from != "" || !co.isDisarm(w.command) {
		co.endEra(peer + " goes down")
	}
}

// armedBy is the permission with which the network is armed. It stays armed without that peer, and where that peer has
// disarmed for itself; but a disarm does not turn back any more.
type armedBy struct {
	peer     string // whose change permitted it; empty: a client of this instance
	instance string // of that peer
	lost     bool   // that peer is lost since, or did not vouch any more when the network began to disarm
}

// notePermission notes the permission with which the network has just been armed.
func (co *course) notePermission(w *work) {
	if w != nil && co.armedHere() {
		co.armed = armedBy{peer: w.grant.Peer()}
		if co.armed.peer != "" {
			co.armed.instance = w.news.instance
		}
	}
}

// deferredTooLong says why an accepted goal that waited for the loop is not carried out; empty: it is.
func (co *course) deferredTooLong(g *goal) string {
	if co.lowersFromHere(g.name, g.isState) {
		return ""
	}
	return co.grants.Since(g.era)
}

// overtaken says why a goal that waited since an era is rejected; empty: it is not. A goal that lowers
// is never too late.
func (co *course) overtaken(in GoalAsked) string {
	why := co.grants.Since(in.era)
	name, isState, ok := co.machine.Command(in.Command)
	if why == "" || !ok || co.lowersFromHere(name, isState) {
		return ""
	}
	return fmt.Sprintf("something else has come while it waited (%s), so it raises nothing; send it again", why)
}
