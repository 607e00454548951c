package ids

import "testing"

// TestEveryUse prints the whole decision: for a goal of the same name or another, open or ended, what the request gets
// if it may share that goal, if it may not, and if the goal no longer stands for what was asked.
func TestEveryUse(t *testing.T) {
	const yes, no = true, false
	for _, c := range []struct {
		same, open                      bool
		valid, waits, barred, outdated  Answer // of a request that is not exempt
		exemptValid, exemptBarred, late Answer // of one that lowers: valid, barred, and outdated
	}{
		{yes, yes, Joined, Joined, Forbidden, Cancelling, Joined, New, New},
		{yes, no, Result, Peers, Forbidden, Outdated, Result, New, New},
		{no, yes, Taken, Taken, Taken, Taken, New, New, New},
		{no, no, Taken, Taken, Taken, Taken, New, New, New},
	} {
		base := Used{Same: c.same, Open: c.open}
		for _, x := range []struct {
			what string
			with func(*Used)
			want Answer
		}{
			{"valid", func(u *Used) { u.Valid = true }, c.valid},
			{"valid, and waits for peers", func(u *Used) { u.Valid, u.Waits = true, true }, c.waits},
			{"valid, without authority", func(u *Used) { u.Valid, u.Barred = true, true }, c.barred},
			{"waits for peers, without authority", func(u *Used) { u.Valid, u.Waits, u.Barred = true, true, true },
				c.barred},
			{"not valid", func(*Used) {}, c.outdated},
			{"not valid, and waits for peers", func(u *Used) { u.Waits = true }, c.outdated},
			{"not valid, without authority", func(u *Used) { u.Barred = true }, c.barred},
			{"valid, lowers", func(u *Used) { u.Valid, u.Exempt = true, true }, c.exemptValid},
			{"valid, lowers, without authority", func(u *Used) { u.Valid, u.Barred, u.Exempt = true, true, true },
				c.exemptBarred},
			{"not valid, lowers", func(u *Used) { u.Exempt = true }, c.late},
		} {
			u := base
			if x.with(&u); u.Answer() != x.want {
				t.Errorf("same %v, open %v, %s: got %d, want %d", c.same, c.open, x.what, u.Answer(), x.want)
			}
		}
	}
}
