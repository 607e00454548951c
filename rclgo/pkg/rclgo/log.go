package rclgo

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// LogSeverity is the severity of a line, or the lowest severity that a logger writes.
type LogSeverity uint32

// The severities.
const (
	LogSeverityUnset LogSeverity = 0
	LogSeverityDebug LogSeverity = 10
	LogSeverityInfo  LogSeverity = 20
	LogSeverityWarn  LogSeverity = 30
	LogSeverityError LogSeverity = 40
	LogSeverityFatal LogSeverity = 50
)

// String returns the name that ROS writes.
func (s LogSeverity) String() string {
	switch s {
	case LogSeverityUnset:
		return "UNSET"
	case LogSeverityDebug:
		return "DEBUG"
	case LogSeverityInfo:
		return "INFO"
	case LogSeverityWarn:
		return "WARN"
	case LogSeverityError:
		return "ERROR"
	case LogSeverityFatal:
		return "FATAL"
	}
	return "LogSeverity(" + strconv.FormatUint(uint64(s), 10) + ")"
}

// LoggingOutputHandler receives every line that the process logs, including those of rcl:
// pointers to an rcutils_log_location_t, to C strings and to a va_list, all of them valid
// during the call only. It runs on the thread that logs, which may be one of the middleware,
// and on several threads at once if they log at once. No lock of this package is held
// meanwhile. It must not panic: a panic ends the program.
type LoggingOutputHandler = func(
	location unsafe.Pointer,
	severity int,
	name unsafe.Pointer,
	timestamp int64,
	format unsafe.Pointer,
	args unsafe.Pointer,
)

var (
	handlerMu  sync.Mutex
	logHandler LoggingOutputHandler = DefaultLoggingOutputHandler
)

// SetLoggingOutputHandler makes h receive the logged lines; nil is the default handler.
func SetLoggingOutputHandler(h LoggingOutputHandler) {
	handlerMu.Lock()
	defer handlerMu.Unlock()
	if h == nil {
		h = DefaultLoggingOutputHandler
	}
	logHandler = h
	if reflect.ValueOf(h).Pointer() == reflect.ValueOf(DefaultLoggingOutputHandler).Pointer() {
		rcl.SetLogHandler(nil) // the default handler is C code
		return
	}
	rcl.SetLogHandler(h)
}

// GetLoggingOutputHandler returns the current handler.
func GetLoggingOutputHandler() LoggingOutputHandler {
	handlerMu.Lock()
	defer handlerMu.Unlock()
	return logHandler
}

// DefaultLoggingOutputHandler writes to the outputs that the arguments of InitLogging or of
// the first context select: console, file, /rosout.
func DefaultLoggingOutputHandler(
	location unsafe.Pointer,
	severity int,
	name unsafe.Pointer,
	timestamp int64,
	format unsafe.Pointer,
	args unsafe.Pointer,
) {
	rcl.DefaultLogHandler(location, severity, name, timestamp, format, args)
}

// Logger writes lines under a name. Each line names the source line of the call.
type Logger struct {
	name   string
	parent *Logger
}

var defaultLogger = &Logger{}

// GetLogger returns the logger of a name, whose parts are separated by dots. The empty name
// is the root, which is always the same *Logger. A name with an empty part, such as "." or
// "a..b", or with a NUL is invalid: GetLogger returns nil.
func GetLogger(name string) *Logger {
	if name == "" {
		return defaultLogger
	}
	if !validLoggerName(name) {
		return nil
	}
	l := &Logger{name: name}
	above := ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		above = name[:i]
	}
	l.parent = GetLogger(above)
	return l
}

func validLoggerName(name string) bool {
	return !strings.ContainsRune(name, 0) && !slices.Contains(strings.Split(name, "."), "")
}

// Child returns a logger below l. Lines of the children of a node's logger go to /rosout too.
// Child returns nil for an invalid or empty name.
func (l *Logger) Child(name string) *Logger {
	if !validLoggerName(name) {
		return nil
	}
	if l.name == "" {
		return &Logger{name: name, parent: l}
	}
	// This fails for lack of memory only; the line then still reaches the other outputs.
	_ = rcl.AddRosoutChild(l.name, name)
	return &Logger{name: l.name + "." + name, parent: l}
}

// Parent returns the logger above l, nil for the root.
func (l *Logger) Parent() *Logger { return l.parent }

// Name returns the full name.
func (l *Logger) Name() string { return l.name }

// Level returns the level that was set for this logger.
func (l *Logger) Level() (LogSeverity, error) { return l.level(false) }

// EffectiveLevel returns the level that applies: the logger's own, or that of an ancestor.
func (l *Logger) EffectiveLevel() (LogSeverity, error) { return l.level(true) }

func (l *Logger) level(effective bool) (LogSeverity, error) {
	level := rcl.LogLevel(l.name, effective)
	if level < 0 {
		return 0, newError(codeInvalidArgument, "read the level of logger "+strconv.Quote(l.name), "")
	}
	return LogSeverity(level), nil
}

// SetLevel sets the logger's own level; with LogSeverityUnset the level of its ancestors applies.
func (l *Logger) SetLevel(level LogSeverity) error {
	return fail("set the level of logger "+strconv.Quote(l.name), rcl.SetLogLevel(l.name, int(level)))
}

// IsEnabledFor reports whether the logger would write a line of that severity.
func (l *Logger) IsEnabledFor(level LogSeverity) bool {
	effective, err := l.EffectiveLevel()
	return err == nil && level >= effective
}

// emit writes a line with the source line of the call of emit's caller.
func (l *Logger) emit(level LogSeverity, text func(string, []any) string, format string, a []any) error {
	switch level {
	case LogSeverityDebug, LogSeverityInfo, LogSeverityWarn, LogSeverityError, LogSeverityFatal:
	default:
		return newError(codeInvalidArgument, "log", "no severity: "+level.String())
	}
	if !l.IsEnabledFor(level) {
		return nil
	}
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	at, _ := runtime.CallersFrames(pc[:]).Next()
	rcl.WriteLog(rcl.LogEntry{
		Severity: int(level), Logger: l.name, Text: text(format, a),
		Function: at.Function, File: at.File, Line: at.Line,
	})
	return nil
}

// Rosout publishes a line on /rosout and writes it to no other output. It is for programs
// that have a log of their own. The logger's level does not matter; --disable-rosout-logs
// does. Publishing may block.
func (l *Logger) Rosout(level LogSeverity, text string) {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	at, _ := runtime.CallersFrames(pc[:]).Next()
	rcl.WriteRosout(rcl.LogEntry{
		Severity: int(level), Logger: l.name, Text: text, Function: at.Function, File: at.File, Line: at.Line,
	})
}

func plain(_ string, a []any) string          { return fmt.Sprint(a...) }
func formatted(format string, a []any) string { return fmt.Sprintf(format, a...) }
func spaced(_ string, a []any) string         { return strings.TrimSuffix(fmt.Sprintln(a...), "\n") }

// Log formats as fmt.Sprint does, Logf as fmt.Sprintf, Logln as fmt.Sprintln without the
// newline; the methods that are named after severities do the same.
func (l *Logger) Log(level LogSeverity, a ...interface{}) error { return l.emit(level, plain, "", a) }

// Logf formats.
func (l *Logger) Logf(level LogSeverity, format string, a ...interface{}) error {
	return l.emit(level, formatted, format, a)
}

// Logln puts spaces between operands.
func (l *Logger) Logln(level LogSeverity, a ...interface{}) error {
	return l.emit(level, spaced, "", a)
}

// Debug logs at LogSeverityDebug.
func (l *Logger) Debug(a ...interface{}) error { return l.emit(LogSeverityDebug, plain, "", a) }

// Debugf logs at LogSeverityDebug.
func (l *Logger) Debugf(format string, a ...interface{}) error {
	return l.emit(LogSeverityDebug, formatted, format, a)
}

// Debugln logs at LogSeverityDebug.
func (l *Logger) Debugln(a ...interface{}) error { return l.emit(LogSeverityDebug, spaced, "", a) }

// Info logs at LogSeverityInfo.
func (l *Logger) Info(a ...interface{}) error { return l.emit(LogSeverityInfo, plain, "", a) }

// Infof logs at LogSeverityInfo.
func (l *Logger) Infof(format string, a ...interface{}) error {
	return l.emit(LogSeverityInfo, formatted, format, a)
}

// Infoln logs at LogSeverityInfo.
func (l *Logger) Infoln(a ...interface{}) error { return l.emit(LogSeverityInfo, spaced, "", a) }

// Warn logs at LogSeverityWarn.
func (l *Logger) Warn(a ...interface{}) error { return l.emit(LogSeverityWarn, plain, "", a) }

// Warnf logs at LogSeverityWarn.
func (l *Logger) Warnf(format string, a ...interface{}) error {
	return l.emit(LogSeverityWarn, formatted, format, a)
}

// Warnln logs at LogSeverityWarn.
func (l *Logger) Warnln(a ...interface{}) error { return l.emit(LogSeverityWarn, spaced, "", a) }

// Error logs at LogSeverityError.
func (l *Logger) Error(a ...interface{}) error { return l.emit(LogSeverityError, plain, "", a) }

// Errorf logs at LogSeverityError.
func (l *Logger) Errorf(format string, a ...interface{}) error {
	return l.emit(LogSeverityError, formatted, format, a)
}

// Errorln logs at LogSeverityError.
func (l *Logger) Errorln(a ...interface{}) error { return l.emit(LogSeverityError, spaced, "", a) }

// Fatal logs at LogSeverityFatal; the program goes on.
func (l *Logger) Fatal(a ...interface{}) error { return l.emit(LogSeverityFatal, plain, "", a) }

// Fatalf logs at LogSeverityFatal; the program goes on.
func (l *Logger) Fatalf(format string, a ...interface{}) error {
	return l.emit(LogSeverityFatal, formatted, format, a)
}

// Fatalln logs at LogSeverityFatal; the program goes on.
func (l *Logger) Fatalln(a ...interface{}) error { return l.emit(LogSeverityFatal, spaced, "", a) }
