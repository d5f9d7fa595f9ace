// Package conformance judges a server of the edge agent socket protocol from outside: over real sockets and real HTTP, byte
// for byte where bytes matter, with clients of its own that share no code with the product.
//
// # Rows
//
// The folder testdata/rows holds one line for each rule of the protocol's description, its sections 1 to 13. A line is an id,
// what must hold, and the tests that show it. A test says which rows it shows with shows; the run fails when a row has no
// test, when a test named in a row does not exist, and when a test shows a row that does not name it. After a change, fill in
// the names with
//
//	go test ./tests/conformance/edge -update
//
// Where the description leaves a choice, the row says which one is made here.
//
// # The server
//
// The suite builds this project's program and starts it with flags, or starts the program that STELE_CONFORMANCE_BINARY
// names. What takes an hour, a hook of an application or a log that fails is shown on a gateway within the test's process:
// rows that are shown so, and only so, say "(moved clock)", "(moved budget)", "(moved pace)", "(hook)" or "(faulty log)".
//
// # The client and the library
//
// Half of the protocol is what its client does, and some of it what a library of frames does. Rows that say "(own client)" and
// "(library)" judge this project's own, in package edgeframes: the client against the program, and against a server of the
// test's own where a server must misbehave.
package conformance
