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
			level, err := LogLevel(c.level)
			if err != nil {
				t.Fatal(err)
			}
			log := NewLogger(file, c.format, zap.NewAtomicLevelAt(level))
			log.Info("/lidar is there", zap.String("kind", "node"), zap.String("cause", "it came back"))
			log.Debug("hidden")
			_ = log.Sync()
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
	for _, name := range []string{"loud", "", "Info", "fatal"} {
		if _, err := LogLevel(name); err == nil || !strings.Contains(err.Error(), "write debug") {
			t.Errorf("%q: got %v, want the levels that there are", name, err)
		}
	}
}
