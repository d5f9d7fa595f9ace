// Package conformance judges a server of the areyouai room protocol from outside: over real HTTP, byte for byte where bytes
// matter, with a client of its own that shares no code with the product.
//
// # Rows
//
// The folder testdata/rows holds one line for each row and rule of the protocol's description: its sections 1 to 10, the
// choices that it makes where its sources disagree (13), the behaviour that it wants where its reference errs (14), and its
// acceptance checks (16). A line is an id, what must hold, and the tests that show it. A test says which rows it shows with
// shows; the run fails when a row has no test, when a test named in a row does not exist, and when a test shows a row that
// does not name it. After a change, fill in the names with
//
//	go test ./tests/conformance/areyouai -update
//
// Where the description leaves a choice, the row says which one is made here.
//
// # The server
//
// The suite builds this project's program and starts it with flags, or starts the program that STELE_CONFORMANCE_BINARY
// names. What takes minutes or days is shown on a gateway within the test's process, whose clock the test moves: rows that
// are shown so, and only so, say "(moved clock)".
package conformance
