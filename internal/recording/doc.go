// Package recording writes the messages of a stepped loop to MCAP files, for Foxglove and PlotJuggler.
//
// A recording is the same, byte for byte, in each run with the same inputs. So all times in it are simulated, a step is
// written as a whole after it has ended, and its messages are in the order in which the participants published them: by
// phase, then by participant, then by topic, then by number. Nothing depends on the time or the order in which messages
// arrive.
//
// A Recorder gets what each step published (Step), takes these messages from a Source, and writes them on a goroutine
// of its own. It is never more than a bounded number of messages behind: before a step begins, Room says whether it
// may. A message that does not arrive, and a file that cannot be written, end the recording, and Config.Fault gets the
// reason.
//
// It knows no ROS and no loop. It may import the standard library, tally, and the MCAP library.
//
//	recorder.go    Recorder, its methods, and when it has room
//	writing.go     its goroutine: which messages a step has, waiting for them, and beginnings
//	file.go        one MCAP file
//	names.go       the names of the files, and what becomes of those of an earlier daemon
//	definition.go  what a message type is made of, from the installed .msg files
package recording
