package grant

import "testing"

// TestA1OnlyAGrantOfThisEraPermits: no other value yields a permit.
func TestA1OnlyAGrantOfThisEraPermits(t *testing.T) {
	var r Register
	if p, why := r.Permit(Grant{}); p.Given() || why == "" {
		t.Errorf("the zero grant: %v, %q", p, why)
	}
	if (Permit{}).Given() || r.Holds(Permit{}) {
		t.Error("the zero permit permits")
	}
	g := r.Give("")
	p, why := r.Permit(g)
	if !p.Given() || why != "" || !r.Holds(p) {
		t.Errorf("a new grant: %v, %q, holds %v", p, why, r.Holds(p))
	}
	era := r.Era()
	r.End("disarm was accepted")
	if r.Era() != era+1 {
		t.Errorf("after era %d comes era %d", era, r.Era())
	}
	if q, why := r.Permit(g); q.Given() || why != "disarm was accepted" {
		t.Errorf("a grant of an earlier era: %v, %q", q, why)
	}
	if r.Holds(p) {
		t.Error("a permit of an earlier era holds")
	}
	if next := r.Give("/b"); r.Void(next) != "" || next.Peer() != "/b" {
		t.Errorf("the next grant: %q of %q", r.Void(next), next.Peer())
	}
}

// TestA5AGrantIsRenewedOnceAndUncontested: what turns back arms again only if nothing has ordered to
// disarm since its own disarm.
func TestA5AGrantIsRenewedOnceAndUncontested(t *testing.T) {
	var r Register
	r.Give("")
	r.End("disarm was accepted")
	own := r.Era()
	if g, ok := r.Renew(own); !ok || r.Void(g) != "" {
		t.Errorf("uncontested: %v %q", ok, r.Void(g))
	}
	r.End("a second disarm was accepted")
	if g, ok := r.Renew(own); ok || r.Void(g) == "" {
		t.Errorf("contested: %v %q", ok, r.Void(g))
	}
}
