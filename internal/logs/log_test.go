package logs

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"rstate/internal/clean"
)

func TestLog(t *testing.T) {
	for name, c := range map[string]struct {
		format, level string
		has, hasNot   []string
	}{
		"text is for people": {Text, "info", []string{"INFO", "/lidar is there (it came back)\n"},
			[]string{"kind", "hidden"}},
		"JSON is for programs": {JSON, "info",
			[]string{`"msg":"/lidar is there"`, `"kind":"node"`, `"cause":"it came back"`}, []string{"hidden"}},
		"journald knows the time, and reads the level": {Journal, "debug",
			[]string{"\n<6>/lidar is there (it came back)\n", "\n<7>hidden\n"}, []string{"INFO", "kind"}},
		"a file is read by either": {Auto, "debug", []string{`"msg":"hidden"`, `"level":"debug"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			level, err := Level(c.level)
			if err != nil {
				t.Fatal(err)
			}
			log := New(&Console{File: file}, c.format, zap.NewAtomicLevelAt(level))
			log.Info("/lidar is there", zap.String("kind", "node"), zap.String("cause", "it came back"))
			log.Debug("hidden")
			_ = log.Sync()
			text, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range c.has {
				if !strings.Contains("\n"+string(text), part) {
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

// TestLostLinesAreAWarning in each form: what a filter for warnings hides, a person does not look for.
func TestLostLinesAreAWarning(t *testing.T) {
	for format, want := range map[string]string{Journal: "<4>the log has lost ", Text: "  WARN  the log has lost ",
		JSON: `{"level":"warn",`} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := read.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		log := New(&Console{File: write}, format, zap.NewAtomicLevel())
		for range 3 * spoolBytes >> 10 { // a part is being written, another one waits, and the rest is lost
			log.Info(strings.Repeat("x", 1<<10))
		}
		lines := bufio.NewScanner(read)
		for lines.Scan() && !strings.Contains(lines.Text(), "the log has lost") {
		}
		if !strings.Contains(lines.Text(), want) {
			t.Errorf("as %s it says %q, %v", format, lines.Text(), lines.Err())
		}
		_ = log.Sync()
		write.Close()
		read.Close()
	}
}

func TestLogLevelThatIsNone(t *testing.T) {
	for _, name := range []string{"loud", "", "Info", "fatal"} {
		if _, err := Level(name); err == nil || !strings.Contains(err.Error(), "write debug") {
			t.Errorf("%q: got %v, want the levels that there are", name, err)
		}
	}
}

// TestF7AConsoleThatIsClosed: a closed console is reported once, even to a callback that is set
// later, and not written again.
func TestF7AConsoleThatIsClosed(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	console := &Console{File: write}
	var told []error
	console.Closed(func(err error) { told = append(told, err) })
	console.Closed(func(err error) { t.Errorf("a function that was removed got %v", err) })()
	log := New(console, Text, zap.NewAtomicLevel())
	log.Info("one")
	_ = log.Sync()
	read.Close()
	for range 3 {
		log.Info("more")
		_ = log.Sync()
	}
	if len(told) != 1 || !errors.Is(told[0], syscall.EPIPE) {
		t.Errorf("told: %v", told)
	}
	console.Closed(func(err error) { told = append(told, err) })
	if len(told) != 2 {
		t.Errorf("a callback that is set later gets: %v", told)
	}
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	full := &Console{File: device}
	full.Closed(func(err error) { t.Errorf("a disk that is full is no closed console: %v", err) })
	if _, err := full.Write([]byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestC9LogLinesAreCleaned: a text from outside changes no terminal on which the log is read, in either form.
func TestC9LogLinesAreCleaned(t *testing.T) {
	for _, format := range []string{Text, JSON} {
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		log := New(&Console{File: file}, format, zap.NewAtomicLevelAt(zap.InfoLevel))
		log.Info("one \x1b[2J\u009b31m\u202egro\nne\xff", zap.String("cause", "\x1b\u2066"),
			zap.String("other", "\u009d\x7f"))
		log.Info("two")
		_ = log.Sync()
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if len(lines) != 3 || lines[2] != "" {
			t.Fatalf("%s: %d lines: %q", format, len(lines), text)
		}
		for _, l := range lines {
			if clean.Text(l) != l {
				t.Errorf("%s: logged %q", format, l)
			}
		}
	}
}
