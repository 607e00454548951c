package network

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestA11OneFaultForEachValue: a type or a value that is faulty already is not judged again with the default, and every
// other field is judged with its type.
func TestA11OneFaultForEachValue(t *testing.T) {
	file := filepath.Join(t.TempDir(), "network.yaml")
	text := `simulation: t
stop:
  - {topic: /a, type: std_msgs/msg/Float32, value: .nan}
  - {topic: /b, value: "true"}
  - {topic: /c, type: Bool}
  - {topic: /d, field: Data}
  - {topic: /e, silent: 1ms, value: false}
nodes:
  /a:
    arm: {}
    checks:
      - {topic: /x, field: data, above: 1, type: Float32}
      - {topic: /x, field: data, is: .nan, type: a_msgs/msg/A}
      - {topic: /x, field: data, type: a_msgs/msg/A}
      - {topic: /x, field: data, above: 3, type: a_msgs/msg/A}
      - {topic: /x, field: data, above: 4}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var asked []string
	_, err := LoadUsable(file, func(Use, string) (string, string) { return "", "" },
		func(name, field string, bound Bound) (string, string) {
			asked = append(asked, name+" "+field+" "+bound.String())
			return "", ""
		})
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 8 {
		t.Errorf("faults: %v", err)
	}
	if got := strings.Join(asked, "; "); got != "std_msgs/msg/Bool data false; a_msgs/msg/A data above 3" {
		t.Errorf("asked for %s", got)
	}
}
