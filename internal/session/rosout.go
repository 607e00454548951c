//go:build ros

package session

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"rstate/internal/clean"
	"rstate/internal/logs"
)

const (
	// rosoutDepth is how many lines may wait to be published on /rosout.
	rosoutDepth = 1000
	// rosoutPatience is how long closing waits for them.
	rosoutPatience = 200 * time.Millisecond
)

// Rosout publishes what is logged, from info up, on /rosout. Logging never waits for it: one
// goroutine publishes, and lines for which there is no room are dropped and counted.
type Rosout struct {
	publish func(rclgo.LogSeverity, string)
	done    chan struct{}

	mu      sync.Mutex
	lines   chan rosoutLine
	dropped int
	closed  bool
}

type rosoutLine struct {
	level rclgo.LogSeverity
	text  string
}

// NewRosout begins to publish, on a goroutine of its own.
func NewRosout(publish func(rclgo.LogSeverity, string)) *Rosout {
	r := &Rosout{publish: publish, done: make(chan struct{}), lines: make(chan rosoutLine, rosoutDepth)}
	go r.run()
	return r
}

func (r *Rosout) run() {
	defer close(r.done)
	for line := range r.lines {
		r.publish(line.level, line.text)
		r.mu.Lock()
		dropped := r.dropped
		r.dropped = 0
		r.mu.Unlock()
		if dropped > 0 {
			r.publish(rclgo.LogSeverityWarn,
				clean.Count(dropped, "line")+" could not be published: /rosout does not keep up")
		}
	}
}

// put never blocks.
func (r *Rosout) put(line rosoutLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.lines <- line:
	default:
		r.dropped++
	}
}

// Close waits until the lines are published, but not for long.
func (r *Rosout) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.lines)
	}
	r.mu.Unlock()
	timer := time.NewTimer(rosoutPatience)
	defer timer.Stop()
	select {
	case <-r.done:
	case <-timer.C:
	}
	return nil
}

// Beside returns a logger that publishes, too, what the log gets.
func (r *Rosout) Beside(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewTee(core, &rosoutCore{to: r})
	}))
}

// rosoutCore puts entries into the words of /rosout.
type rosoutCore struct {
	to     *Rosout
	fields []zapcore.Field
}

func (c *rosoutCore) Enabled(l zapcore.Level) bool { return l >= zapcore.InfoLevel }

func (c *rosoutCore) With(fields []zapcore.Field) zapcore.Core {
	return &rosoutCore{c.to, append(slices.Clip(c.fields), fields...)}
}

func (c *rosoutCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c *rosoutCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	text := e.Message
	for _, f := range append(slices.Clip(c.fields), fields...) {
		value := zapcore.NewMapObjectEncoder()
		f.AddTo(value)
		switch {
		case f.Key == "cause":
			text += fmt.Sprintf(" (%s)", f.String)
		case !slices.Contains(logs.Sorting, f.Key) && value.Fields[f.Key] != nil:
			text += fmt.Sprintf("; %s: %v", f.Key, value.Fields[f.Key])
		}
	}
	c.to.put(rosoutLine{severityOf(e.Level), clean.Short(text)})
	return nil
}

func (c *rosoutCore) Sync() error { return nil }

func severityOf(l zapcore.Level) rclgo.LogSeverity {
	switch {
	case l >= zapcore.DPanicLevel:
		return rclgo.LogSeverityFatal
	case l >= zapcore.ErrorLevel:
		return rclgo.LogSeverityError
	case l >= zapcore.WarnLevel:
		return rclgo.LogSeverityWarn
	}
	return rclgo.LogSeverityInfo
}
