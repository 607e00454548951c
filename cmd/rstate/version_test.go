package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionSaysWhatWasBuilt(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "1234abcd5678"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		name, given, tag string
		settings         []debug.BuildSetting
		want             string
	}{
		{"a release", "", "v" + release, []debug.BuildSetting{commit}, release},
		{"a commit after another release", "", "v0.0.9", []debug.BuildSetting{commit}, release + "+g1234abcd"},
		{"a commit", "", "v0.0.0-20261127-1234abcd", []debug.BuildSetting{commit}, release + "+g1234abcd"},
		{"a changed clone", "", "v" + release + "+dirty", []debug.BuildSetting{commit, changed}, release + "+g1234abcd.dirty"},
		{"no clone", "", "(devel)", nil, release + "+unknown"},
		{"named by the build", "0.1.0+deb", "v" + release, nil, "0.1.0+deb"},
	} {
		got := versionOf(c.given, func() (*debug.BuildInfo, bool) {
			return &debug.BuildInfo{Main: debug.Module{Version: c.tag}, Settings: c.settings}, true
		})
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := versionOf("", func() (*debug.BuildInfo, bool) { return nil, false }); got != release+"+unknown" {
		t.Errorf("a build without notes is %s", got)
	}
}
