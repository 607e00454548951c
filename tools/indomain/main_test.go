package main

import "testing"

func TestExitStatusIsTheCommands(t *testing.T) {
	for _, c := range []struct {
		name, domain string
		args         []string
		want         int
	}{
		{"success, in a domain of its own", "", []string{"sh", "-c", `test "$ROS_DOMAIN_ID" -ge 1`}, 0},
		{"success, in the user's domain", "7", []string{"sh", "-c", `test "$ROS_DOMAIN_ID" = 7`}, 0},
		{"failure", "", []string{"sh", "-c", "exit 9"}, 9},
		{"no such command", "", []string{"/nonexistent"}, 1},
		{"no command", "", nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("ROS_DOMAIN_ID", c.domain)
			if got := run(c.args); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
