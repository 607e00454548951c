package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestF7WhereTheROSLibrariesLog: the folder is looked at as the ROS libraries choose it. One that cannot be written to
// is named with the reason, and one that can is left empty.
func TestF7WhereTheROSLibrariesLog(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		logDir, rosHome, home string
		folder                string // that is made; empty: none
		fault                 string
	}{
		"the usual one":  {"", "", home, home + "/.ros/log", ""},
		"below ROS_HOME": {"", home + "/ros", "/nowhere", home + "/ros/log", ""},
		"ROS_LOG_DIR":    {home + "/own", home + "/ros", "/nowhere", home + "/own", ""},
		"below the home": {"~/mine", "", home, home + "/mine", ""},
		"no home":        {"", "", "", "", "HOME is not set; name another folder with ROS_LOG_DIR"},
		"a home that is no home": {"", "", file, "",
			`cannot make the folder "` + file + `/.ros/log": not a directory; name another folder with ROS_LOG_DIR`},
		"it cannot be written to": {"/proc", "", home, "", `cannot write to the folder "/proc": `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("ROS_LOG_DIR", c.logDir)
			t.Setenv("ROS_HOME", c.rosHome)
			t.Setenv("HOME", c.home)
			if fault := rosLogFault(); c.fault == "" && fault != "" || !strings.HasPrefix(fault, c.fault) {
				t.Errorf("fault %q, want %q", fault, c.fault)
			}
			if c.folder == "" {
				return
			}
			if left, err := os.ReadDir(c.folder); err != nil || len(left) > 0 {
				t.Errorf("folder %s: %v, %v", c.folder, left, err)
			}
		})
	}
}
