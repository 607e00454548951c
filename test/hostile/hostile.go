// Package hostile tests what a participant of the domain can do to an armed network that sends what it likes. It may
// import the harness, test/bed.
package hostile
