package host

import (
	"os/user"
	"strings"
	"testing"
)

func TestExpandHome(t *testing.T) {
	t.Setenv("HOME", "/home/of/me")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "", "robot.yaml": "robot.yaml", "/a/~/b": "/a/~/b", "./~": "./~",
		"~": "/home/of/me", "~/": "/home/of/me", "~/robot.yaml": "/home/of/me/robot.yaml",
		"~" + me.Username + "/robot.yaml": me.HomeDir + "/robot.yaml",
	} {
		if got, err := ExpandHome(path); got != want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", path, got, err, want)
		}
	}
	if _, err := ExpandHome("~no_such_user_here/x"); err == nil ||
		!strings.Contains(err.Error(), "write the whole path") {
		t.Errorf("a stranger's home: %v", err)
	}
}
