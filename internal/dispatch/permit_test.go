package dispatch

import "rstate/internal/engine/grant"

// permit is what a request to arm carries.
func permit() grant.Permit {
	var r grant.Register
	p, _ := r.Permit(r.Give(""))
	return p
}
