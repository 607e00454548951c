package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Dir returns where the journal of a node is kept: rstate/<node> below ROS_HOME, or below ~/.ros if that is empty.
func Dir(rosHome, node string) (string, error) {
	if rosHome == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("cannot find a place for the journal of %q: %w; set ROS_HOME", node, err)
		}
		rosHome = filepath.Join(home, ".ros")
	}
	return filepath.Join(rosHome, "rstate", pathOf(node)), nil
}

// pathOf makes one path element of a node's full name. No two names share one: ROS takes no dot in names, so a dot can
// stand for the slash, and whatever else ROS does not take is escaped.
func pathOf(node string) string {
	var b strings.Builder
	for i, c := range []byte(strings.TrimPrefix(node, "/")) {
		switch {
		case c == '/' && i > 0:
			b.WriteByte('.')
		case c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() == 0 {
		return "%"
	}
	return b.String()
}

const (
	namePrefix = "journal-"
	nameSuffix = ".jsonl"
)

// nameOf is the name of the file that is number seq of the sequence.
func nameOf(seq uint64) string { return fmt.Sprintf("%s%06d%s", namePrefix, seq, nameSuffix) }

// seqOf reads the number of a file from its name; other files in the directory are none of ours.
func seqOf(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, namePrefix)
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, nameSuffix); !ok {
		return 0, false
	}
	seq, err := strconv.ParseUint(digits, 10, 63)
	return seq, err == nil && seq > 0 && name == nameOf(seq)
}

// sequence picks the journal's files from names, the oldest first.
func sequence(names []string) []uint64 {
	var seqs []uint64
	for _, name := range names {
		if seq, ok := seqOf(name); ok {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	return seqs
}
