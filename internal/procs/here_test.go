package procs

import "testing"

// TestA1AClientIsOfThisHost: only if its process is found here. Hosts that started without a network have one identity.
func TestA1AClientIsOfThisHost(t *testing.T) {
	const pid = 4711
	root := tree(t, made{pid: 1}, made{pid: pid})
	w := New(Options{Root: root, Domain: domain, Host: of(1), Ended: func(Participant) {}})
	defer w.Close()
	elsewhere := of(pid)
	elsewhere[2]++
	twin := of(pid, 9)
	for name, c := range map[string]struct {
		p     Participant
		graph []Participant
		want  bool
	}{
		"its process is here":             {of(pid), []Participant{of(1), of(pid)}, true},
		"it has left the graph since":     {of(pid), nil, true},
		"no process has its id":           {of(pid + 1), []Participant{of(pid + 1)}, false},
		"it is of another host":           {elsewhere, []Participant{elsewhere}, false},
		"another one looks as it does":    {of(pid), []Participant{of(pid), twin}, false},
		"the middleware tells no process": {Participant{}, nil, false},
	} {
		if got := w.Here(c.p, c.graph); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
