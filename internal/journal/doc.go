// Package journal keeps what an instance did and why, for history, for why, and for the state in which the next start
// begins. It is a directory of files with one JSON object per line.
//
// Callers never wait for the disk. Append only touches memory; one goroutine, the writer, owns the
// files. Sync calls back when everything is safe against a loss of power. If the disk cannot be
// written, the journal reports it once (Options.Changed) and keeps new lines up to a bound. The
// writer continues by itself when the disk recovers.
//
// The writer only appends to files and creates the next one in the sequence; it renames nothing. So
// a process that is killed at any point leaves whole lines in order and, at worst, one partial
// line, which readers skip. The writer removes the oldest file when there are too many. Lines are
// numbered within each run, so that a reader detects missing and duplicate lines.
//
// Package journal imports nothing of this project. Its callers convert what they record to a Line.
package journal
