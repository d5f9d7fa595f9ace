// Package translation judges conversations that were held over all three protocols at once: what each participant saw must be
// the log, filtered by what its protocol shows, with nothing lost, repeated, out of order or foreign, however often its socket
// was cut, the gateway restarted, or the participant went over to another protocol.
//
// The log is the truth: [Event] is one of its events as it lies in the file, decoded here and not by the gateway. [Transcript]
// is what one participant saw, leg by leg: a leg is the time that it spent on one protocol, and has a [Reading] for each
// [View], since an edge client sees messages and events apart. [Filter] knows from the matrix what a view shows. [Check]
// compares the two; [CheckSaid] compares what participants were answered when they said something, and [CheckState] the shared
// state that an edge client mirrors.
//
// The tests of the package hold the conversations. Each participant uses its protocol's client from this project, over
// connections that are cut at random bytes, against the real program, which is killed now and then. STELE_CONVERSATIONS says
// how many there are, STELE_CONVERSATIONS_SEED repeats a run's plan, and STELE_PROGRAM names a program to use in place of a fresh
// build.
package translation
