// Package conformance judges a server of the Switch agent protocol from outside: over real HTTP, byte for byte where
// bytes matter, with a client of its own that shares no code with the product.
//
// # Rows
//
// The folder testdata/rows holds one line for each row and rule of the protocol's description, sections 0 to 6, and for
// each of its regression ideas: an id, what must hold, and the tests that show it. A test says which rows it shows with
// shows; the run fails when a row has no test, when a test named in a row does not exist, and when a test shows a row
// that does not name it. After a change, fill in the names with
//
//	go test ./tests/conformance/switch -update
//
// Where the description leaves a choice, the row says which one is made here.
//
// # Judging another server
//
// Without further settings the suite builds this project's program and starts it, or starts the
// program that STELE_CONFORMANCE_BINARY names. With
//
//	STELE_CONFORMANCE_URL=https://… STELE_CONFORMANCE_TOKEN=<registration token> go test ./tests/conformance/switch
//
// it talks to the server at that base URL instead. What needs a process that can be stopped, or a door that only this
// project has, is skipped then.
package conformance
