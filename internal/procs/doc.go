// Package procs finds the processes of this host that belong to participants of the ROS graph, and tells when one of
// them ends. The middleware misses a process only after its lease; the kernel knows at once.
//
// A Fast DDS participant carries the identity of its host and the low 16 bits of its process id in its GID. That is not
// enough to identify a process: process ids are longer, repeat in containers, and are used again. So a process counts
// as a participant's only if all of these hold:
//
//   - the participant's host is this one;
//   - no other participant in the graph has the same host and the same 16 bits;
//   - exactly one process has them, as its innermost process id (the one that it sees itself);
//   - it is in the network namespace of this process;
//   - its open files can be read, and one of them is a UDP socket bound to a port of this ROS domain;
//   - it has Fast DDS mapped;
//   - all that still holds once a pidfd of it is open. A process that is ending by then was the participant's, and its end
//     is reported.
//
// Where anything is missing (a process of another user, a hidden /proc, a container, another middleware) no process is
// found, and nothing changes for the participant. A process that might be the one, and cannot be looked at, counts as a
// second one. A report is a reason to ask the participant, not a proof.
//
// The package knows nothing of ROS but these numbers. It reads /proc, or a folder that looks like it, and it imports
// nothing of this project.
package procs
