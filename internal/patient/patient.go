// Package patient is by how much programs of tests are more patient than those of users.
//
// A busy machine may leave a process no time for seconds, and then rstate is right to reject a goal or to disarm. A
// test that is not about time must not fail for that. So its programs are built with the tag patient, and limits are
// Factor times as long there. It is a tag and no environment variable, so a release cannot have it.
//
// What is multiplied stands beside its constant, as `500 * time.Millisecond * patient.Factor`:
//   - the pause of a process or a loop that is a stall, and the age at which a message counts as too old;
//   - the silence after which an instance, a guard, a stop button or a proof does not count any more;
//   - how long a node, a peer, a disk or a client has to answer, if that is less than 5 s;
//   - how long the end of a process may take.
//
// What stays:
//   - periods and pauses: how often something is read, sent or tried again, and what waits before it does so;
//   - limits of 5 s and more, which bear a stall of 3 s, and would let tests wait for minutes;
//   - the times of a receiver of the arm lease (internal/lease), which three languages share;
//   - for how long a start waits for others of its name, and how soon the end of a process is believed: the stall of
//     another process cannot fail these, and each restart would wait;
//   - what a network file says. Only its defaults are multiplied. The file of a test that is not about time says what
//     it needs, or nothing.
//
// Messages, valid_ns and fields of the API are made of the multiplied limits, so what they say in seconds is true.
// Packages without ROS are tested without the tag.
//
// It imports nothing.
package patient
