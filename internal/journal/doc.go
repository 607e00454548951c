// Package journal keeps what an instance did and why, for history, for why, and for the state in which the next start
// begins. It is a directory of files with one JSON object per line.
//
// Nothing waits for it. Append only ever touches memory; one goroutine, the writer, owns the files. Who wants to know
// that all is safe against a loss of power is called back (Sync). A disk that cannot be written is told once
// (Options.Changed); what comes meanwhile is kept up to a bound, and the writer goes on by itself when the disk does.
//
// Files are only ever appended to, and begun by creating the next one in the sequence; nothing is renamed. So a process
// that is killed at any point leaves whole lines in their order and, at worst, the beginning of one more, which readers
// skip. The oldest file is removed when there are too many. Lines are numbered in each run, so that a reader sees what is
// missing and what was written twice.
//
// Package journal stands at the bottom: it imports nothing of this project, and whoever has something to record
// converts it to a Line.
package journal
