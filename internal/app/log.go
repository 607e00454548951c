package app

import (
	"fmt"
	"os"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// The formats of the log.
const (
	LogAuto = "auto" // text on a terminal, else JSON
	LogText = "text"
	LogJSON = "json"
)

// NewLogger returns a logger that writes to the file: for people, or a line of JSON for each entry.
func NewLogger(file *os.File, format, level string) (*zap.Logger, error) {
	at, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("cannot log at level %q: write debug, info, warn or error", level)
	}
	if format == LogAuto {
		format = LogJSON
		if IsTerminal(file) {
			format = LogText
		}
	}
	keys := zap.NewProductionEncoderConfig()
	keys.TimeKey, keys.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	encoder := zapcore.NewJSONEncoder(keys)
	if format == LogText {
		keys.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		keys.EncodeLevel = zapcore.CapitalLevelEncoder
		keys.ConsoleSeparator = "  "
		encoder = zapcore.NewConsoleEncoder(keys)
	}
	core := zapcore.NewCore(encoder, zapcore.Lock(file), at)
	if format == LogText {
		core = &plain{core}
	}
	return zap.New(core), nil
}

// plain is a core for people: sentences name what they are about already, so of the fields that programs sort by
// nothing is left but the cause.
type plain struct{ zapcore.Core }

// sorting are the fields that repeat what the sentence says.
var sorting = []string{"kind", "state", "node", "goal", "type"}

func (p *plain) With(fields []zapcore.Field) zapcore.Core { return &plain{p.Core.With(fields)} }

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
		case !slices.Contains(sorting, f.Key):
			rest = append(rest, f)
		}
	}
	return p.Core.Write(e, rest)
}

// IsTerminal says whether a person reads the file as it is written.
func IsTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
