package network

import (
	"path/filepath"
	"strings"

	"rstate/internal/strict"
)

// Record says where a loop is recorded, and what of it.
type Record struct {
	File   string   // MCAP; a relative one is meant from where the daemon was started
	Topics []string // none: all that participants publish
}

func recordFields() []strict.Field[Record] {
	return []strict.Field[Record]{
		strict.Key("file", "the MCAP file; a relative name is meant from where the daemon was started", recordFile(),
			func(r *Record) *string { return &r.File }).Required(),
		strict.Key("topics", "the topics that are recorded; left out: all that participants with SteppedNode publish",
			strict.List(rosName("topic", "/angle"), "a list of topics, like [/angle, /force]"),
			func(r *Record) *[]string { return &r.Topics }).Plain(),
	}
}

// recordFile reads the name of a recording.
func recordFile() strict.Kind[string] {
	const wanted = "the name of an MCAP file, like run.mcap"
	return strict.Text(wanted, `\.mcap$`, func(s string) (string, string) {
		if filepath.Ext(s) != ".mcap" || strings.TrimSuffix(filepath.Base(s), ".mcap") == "" {
			return "is no name of an MCAP file", "write " + wanted
		}
		return "", ""
	})
}

// recordKind reads the name of the file alone, or a mapping.
func recordKind() strict.Kind[Record] {
	file, all := recordFile(), strict.Record(recordFields(), Record{})
	k := all
	k.Schema = strict.Schema{"anyOf": []strict.Schema{file.Schema, all.Schema}}
	k.Read = func(v strict.Value, into *Record) {
		if v.IsText() {
			file.Read(v, &into.File)
			return
		}
		all.Read(v, into)
	}
	return k
}
