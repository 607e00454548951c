package logs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"rstate/internal/clean"
)

// The formats of the log.
const (
	Auto    = "auto" // text on a terminal, else JSON
	Text    = "text"
	JSON    = "json"
	Journal = "journal" // text for journald, which knows the time by itself and reads the level from the line
)

// priorities begin a line for journald, which takes them off; see sd-daemon(3).
var priorities = map[zapcore.Level]string{
	zapcore.DebugLevel: "<7>", zapcore.InfoLevel: "<6>", zapcore.WarnLevel: "<4>", zapcore.ErrorLevel: "<3>",
}

// logLevels are those that a log can have.
var logLevels = []zapcore.Level{zapcore.DebugLevel, zapcore.InfoLevel, zapcore.WarnLevel, zapcore.ErrorLevel}

// Level reads the least level that is logged.
func Level(name string) (zapcore.Level, error) {
	i := slices.IndexFunc(logLevels, func(l zapcore.Level) bool { return l.String() == name })
	if i < 0 {
		return 0, fmt.Errorf("cannot log at level %q: write debug, info, warn or error", name)
	}
	return logLevels[i], nil
}

// Console is where a log is written, and knows when that cannot be written any more.
type Console struct {
	File *os.File

	mu   sync.Mutex
	err  error
	tell map[*func(error)]bool
}

// Write writes to the file. Once a reader has closed it, the console is over and takes no more: an
// error for which waiting may help, such as a disk that is full, does not end it.
func (c *Console) Write(lines []byte) (int, error) {
	c.mu.Lock()
	over := c.err != nil
	c.mu.Unlock()
	if over {
		return len(lines), nil
	}
	n, err := c.File.Write(lines) // it may block, so the lock is not held
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EBADF) ||
		errors.Is(err, os.ErrClosed) {
		c.mu.Lock()
		c.err = err
		tell := c.tell
		c.tell = nil
		c.mu.Unlock()
		for f := range tell {
			(*f)(err)
		}
	}
	return n, err
}

// Closed has a function called, once, when the console is over; at once if it is. The console forgets
// it when forget is called.
func (c *Console) Closed(tell func(error)) (forget func()) {
	c.mu.Lock()
	err := c.err
	if err == nil {
		if c.tell == nil {
			c.tell = map[*func(error)]bool{}
		}
		c.tell[&tell] = true
	}
	c.mu.Unlock()
	if err != nil {
		tell(err)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.tell, &tell)
	}
}

// New returns a logger that writes to the console what is at or above the level, which may
// change: for people, or a line of JSON for each entry. It writes asynchronously: call Sync before
// ending the process.
func New(console *Console, format string, level zap.AtomicLevel) *zap.Logger {
	if format == Auto {
		format = JSON
		if IsTerminal(console.File) {
			format = Text
		}
	}
	keys := zap.NewProductionEncoderConfig()
	keys.TimeKey, keys.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	encoder := zapcore.NewJSONEncoder(keys)
	switch format {
	case Text:
		keys.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		keys.EncodeLevel = zapcore.CapitalLevelEncoder
		keys.ConsoleSeparator = "  "
		encoder = zapcore.NewConsoleEncoder(keys)
	case Journal:
		keys.TimeKey, keys.LevelKey, keys.ConsoleSeparator = "", "", "  "
		encoder = zapcore.NewConsoleEncoder(keys)
	}
	core := zapcore.NewCore(encoder, cleanLines{&backlog{to: console, lost: lostLines(encoder, format)}}, level)
	if format == Text || format == Journal {
		core = &plain{core, format == Journal}
	}
	return zap.New(core)
}

// cleanLines cleans every line that is logged: no text from outside changes the terminal on which
// the log is read.
type cleanLines struct{ zapcore.WriteSyncer }

func (c cleanLines) Write(line []byte) (int, error) {
	if text := strings.TrimSuffix(string(line), "\n"); clean.Text(text) != text {
		_, err := c.WriteSyncer.Write([]byte(clean.Text(text) + "\n"))
		return len(line), err
	}
	return c.WriteSyncer.Write(line)
}

// lostLines returns what says, in the words of the log, that lines are missing there.
func lostLines(encoder zapcore.Encoder, format string) func(int) []byte {
	return func(lines int) []byte {
		e := zapcore.Entry{
			Level: zapcore.WarnLevel, Time: time.Now(),
			Message: "the log has lost " + clean.Count(lines, "line") + ": its reader is too slow",
		}
		if format == Journal {
			e = withPriority(e)
		}
		text, err := encoder.EncodeEntry(e, nil)
		if err != nil {
			return nil
		}
		return text.Bytes()
	}
}

// withPriority returns the entry as journald reads it.
func withPriority(e zapcore.Entry) zapcore.Entry {
	e.Message = priorities[e.Level] + e.Message
	return e
}

// plain is a core for people: sentences name what they are about already, so of the fields that
// programs sort by nothing is left but the cause.
type plain struct {
	zapcore.Core
	journal bool // its lines begin with their priority
}

// Sorting are the fields that repeat what the sentence says.
var Sorting = []string{"kind", "state", "node", "goal", "type"}

func (p *plain) With(fields []zapcore.Field) zapcore.Core {
	return &plain{p.Core.With(fields), p.journal}
}

func (p *plain) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if p.Enabled(e.Level) {
		return ce.AddCore(e, p)
	}
	return ce
}

func (p *plain) Write(e zapcore.Entry, fields []zapcore.Field) error {
	var rest []zapcore.Field
	for _, f := range fields {
		switch {
		case f.Key == "cause" && f.Type == zapcore.StringType:
			e.Message += " (" + f.String + ")"
		case !slices.Contains(Sorting, f.Key):
			rest = append(rest, f)
		}
	}
	if p.journal {
		e = withPriority(e)
	}
	return p.Core.Write(e, rest)
}

// IsTerminal says whether a person reads the file as it is written.
func IsTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
