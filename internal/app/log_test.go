package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
)

func TestLog(t *testing.T) {
	for name, c := range map[string]struct {
		format, level string
		has, hasNot   []string
	}{
		"text is for people":       {LogText, "info", []string{"INFO", "/lidar is there (it came back)\n"}, []string{"kind", "hidden"}},
		"JSON is for programs":     {LogJSON, "info", []string{`"msg":"/lidar is there"`, `"kind":"node"`, `"cause":"it came back"`}, []string{"hidden"}},
		"a file is read by either": {LogAuto, "debug", []string{`"msg":"hidden"`, `"level":"debug"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			log, err := NewLogger(file, c.format, c.level)
			if err != nil {
				t.Fatal(err)
			}
			log.Info("/lidar is there", zap.String("kind", "node"), zap.String("cause", "it came back"))
			log.Debug("hidden")
			text, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range c.has {
				if !strings.Contains(string(text), part) {
					t.Errorf("no %q in %q", part, text)
				}
			}
			for _, part := range c.hasNot {
				if strings.Contains(string(text), part) {
					t.Errorf("%q in %q", part, text)
				}
			}
		})
	}
}

func TestLogLevelThatIsNone(t *testing.T) {
	if _, err := NewLogger(os.Stderr, LogText, "loud"); err == nil || !strings.Contains(err.Error(), "debug") {
		t.Errorf("got %v, want the levels that there are", err)
	}
}
