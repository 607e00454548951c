package rmwchoice

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/tiiuae/rclgo/internal/rcl" // the program under test uses ROS
)

// TestMain is also the program that the test starts.
func TestMain(m *testing.M) {
	if os.Getenv("RMWCHOICE_TELL") == "" {
		os.Exit(m.Run())
	}
	wanted, linked, refused := Refused()
	if refused {
		os.Stdout.WriteString(wanted + " is not " + linked + "; " + os.Getenv(variable))
	}
}

func TestProgramAnswersForItself(t *testing.T) {
	linked := os.Getenv(variable)
	if linked == "" {
		t.Skip("ROS chooses the middleware by itself here")
	}
	for name, c := range map[string]struct{ value, said string }{
		"another":      {"rmw_of_a_dream", "rmw_of_a_dream is not " + linked + "; rmw_of_a_dream"},
		"the linked":   {linked, ""},
		"none at all":  {"", ""},
		"a longer one": {linked + "_2", linked + "_2 is not " + linked + "; " + linked + "_2"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "RMWCHOICE_TELL=1", variable+"="+c.value)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != c.said {
				t.Errorf("said %q (%v), want %q", out, err, c.said)
			}
		})
	}
}
