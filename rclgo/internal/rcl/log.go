package rcl

// #include "seam.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// LogHandler receives the arguments of an output handler of rcutils: a location, a format
// and its va_list, all of them valid during the call only.
type LogHandler = func(location unsafe.Pointer, severity int, name unsafe.Pointer,
	timestamp int64, format, args unsafe.Pointer)

var goHandler atomic.Pointer[LogHandler]

// ConfigureLogging sets rcl's logging up for the process.
func ConfigureLogging(args []string) error {
	argv, free := cStrings(args)
	defer free()
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_log_configure(C.int(len(args)), argv))
}

// CloseLogging undoes ConfigureLogging; logs go to the console afterwards.
func CloseLogging() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_log_fini())
}

// SetLogHandler makes h the output handler; nil is rcl's own, which never enters Go.
// h runs on whichever thread logs, and on several threads at once.
func SetLogHandler(h LogHandler) {
	if h == nil {
		C.rclgo_log_use_go(false)
		goHandler.Store(nil)
		return
	}
	goHandler.Store(&h)
	C.rclgo_log_use_go(true)
}

// DefaultLogHandler is rcl's output handler.
func DefaultLogHandler(location unsafe.Pointer, severity int, name unsafe.Pointer,
	timestamp int64, format, args unsafe.Pointer) {
	C.rclgo_log_default(location, C.int(severity), name, C.int64_t(timestamp), format, args)
}

//export rclgoLogToGo
func rclgoLogToGo(location unsafe.Pointer, severity C.int, name unsafe.Pointer,
	timestamp C.int64_t, format, args unsafe.Pointer) {
	if h := goHandler.Load(); h != nil {
		(*h)(location, int(severity), name, int64(timestamp), format, args)
	}
}

// LogEntry is one line for the log.
type LogEntry struct {
	Severity                     int
	Logger, Text, Function, File string
	Line                         int
}

// WriteLog passes e to the output handler, if the logger's level admits it.
func WriteLog(e LogEntry) {
	s, free := cStrings([]string{e.Logger, e.Text, e.Function, e.File})
	defer free()
	v := unsafe.Slice(s, 4)
	C.rclgo_log_write(C.int(e.Severity), v[0], v[1], v[2], v[3], C.size_t(e.Line))
}

// WriteRosout passes e to the /rosout publisher of the node with that logger, and to no other
// output.
func WriteRosout(e LogEntry) {
	s, free := cStrings([]string{e.Logger, e.Text, e.Function, e.File})
	defer free()
	v := unsafe.Slice(s, 4)
	C.rclgo_log_rosout(C.int(e.Severity), v[0], v[1], v[2], v[3], C.size_t(e.Line))
}

// LogLevel returns a logger's level, its own or the effective one; negative if rcutils cannot
// tell.
func LogLevel(logger string, effective bool) int {
	name, free := cString(logger)
	defer free()
	return int(C.rclgo_log_level(name, C.bool(effective)))
}

// SetLogLevel sets a logger's own level.
func SetLogLevel(logger string, level int) error {
	name, free := cString(logger)
	defer free()
	return check(C.rclgo_log_set_level(name, C.int(level)))
}

// AddRosoutChild makes lines of parent's child reach /rosout like those of parent.
func AddRosoutChild(parent, child string) error {
	p, freeParent := cString(parent)
	defer freeParent()
	c, freeChild := cString(child)
	defer freeChild()
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_rosout_add(p, c))
}
