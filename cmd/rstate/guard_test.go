//go:build ros

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestA7WhoIsGuarded(t *testing.T) {
	file := func(name, nodes string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("simulation: x\nnodes:\n"+nodes), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	both := file("both.yaml", "  /a: {arm: {dead_man: none}}\n  /b: {arm: {}}\n  /c: {}\n  /d: {arm: {service: /d/torque, dead_man: none}}\n")
	for name, c := range map[string]struct {
		words      []string
		want, says string
	}{
		"services":                        {[]string{"/b/arm", "/a/arm", "/b/arm"}, "/a/arm /b/arm", ""},
		"those of a file without a lease": {[]string{both}, "/a/arm /d/torque", ""},
		"a file and a service":            {[]string{both, "/b/arm"}, "/a/arm /b/arm /d/torque", ""},
		"a relative name": {[]string{"arm"}, "",
			`cannot guard "arm": it is a relative name; write it in full: /arm`},
		"no file":            {[]string{"nowhere.yaml"}, "", "there is no such file"},
		"a file with faults": {[]string{file("bad.yaml", "  /a: {arms: {}}\n")}, "", "arms"},
		"no node to guard": {[]string{file("leased.yaml", "  /a: {arm: {}}\n")}, "",
			"no node with dead_man: none"},
		"a call of another type": {[]string{file("other.yaml",
			"  /a: {arm: {dead_man: none, type: std_srvs/srv/Trigger}}\n")}, "",
			"/a is disarmed by a std_srvs/srv/Trigger"},
	} {
		t.Run(name, func(t *testing.T) {
			var said bytes.Buffer
			got, ok := guarded(&env{out: &said, err: &said}, c.words)
			if ok != (c.says == "") || strings.Join(got, " ") != c.want || !strings.Contains(said.String(), c.says) {
				t.Errorf("guards %q (%v), and says %q; want %q and %q", got, ok, said.String(), c.want, c.says)
			}
		})
	}
}
