// Package grant is the permission to arm. One value holds it, so it cannot survive in a queue, a
// late answer or a flag.
//
// A goal that names an armed state, and a change of a peer that does, get a Grant. A request to arm
// carries a Permit, which only a valid grant yields. A grant is valid for one era. An era ends with
// every disarm that was accepted, every lowering that is no step of the grant's own goal or that has nothing to
// lower, a stall, a stop and its acknowledgement, and the loss of the peer whose change made the grant. The end of an
// era disarms nothing: it forbids.
//
// A grant begins with a goal, and the goal may have waited. Its Basis shows what its client knew, and Outdated
// says whether that is too old to arm.
//
// It may import the standard library only.
package grant

// Grant is the permission of one goal, or of one change of a peer. The zero value permits nothing.
type Grant struct {
	era  uint64
	peer string // the peer whose change made it; empty: a goal made it
}

// Peer returns the peer whose change made the grant; empty: a goal made it, or nothing.
func (g Grant) Peer() string { return g.peer }

// Permit is what a request to arm carries. The zero value is that of a request to disarm: it permits
// nothing. Only Register.Permit makes another one.
type Permit struct{ era uint64 }

// Given reports whether it permits arming.
func (p Permit) Given() bool { return p.era != 0 }

// Register counts the eras of one instance. The zero value is ready for use.
type Register struct {
	ended  uint64 // eras that have ended
	why    string // why the newest of them ended
	at     Moment // when it ended; before that: when the run began
	clocks clocks
}

// Give makes a grant for the present era.
func (r *Register) Give(peer string) Grant { return Grant{era: r.ended + 1, peer: peer} }

// End ends the era, and with it every grant.
func (r *Register) End(why string) { r.ended, r.why, r.at = r.ended+1, why, r.clocks.now }

// Era returns the number of the present era.
func (r *Register) Era() uint64 { return r.ended + 1 }

// Since says why grants of an era are void; empty: the era has not ended.
func (r *Register) Since(era uint64) string {
	switch {
	case era == r.Era():
		return ""
	case r.why == "":
		return "nothing permits it"
	}
	return r.why
}

// Void says why a grant permits nothing; empty: it is valid.
func (r *Register) Void(g Grant) string { return r.Since(g.era) }

// Renew makes a grant for what turns back to armed. A disarm ends the era of what was armed, and era
// is the one that began with that disarm. If it has ended too, something else has ordered to disarm,
// and the grant stays void.
func (r *Register) Renew(era uint64) (Grant, bool) {
	if era != r.Era() {
		return Grant{}, false
	}
	return r.Give(""), true
}

// Permit yields the permission for one request; why says why there is none.
func (r *Register) Permit(g Grant) (p Permit, why string) {
	if why := r.Void(g); why != "" {
		return Permit{}, why
	}
	return Permit{era: g.era}, ""
}

// Holds reports whether a request that carried the permit was made for the present era.
func (r *Register) Holds(p Permit) bool { return p.Given() && p.era == r.Era() }
