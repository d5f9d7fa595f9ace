// Package ledger keeps what a conformance suite has shown against what it must show.
//
// The rows of a protocol are lines of tables: an id, what must hold, and the tests that show it. A test says which rows it
// shows with [Ledger.Shows]. A row without a test, a test that does not show a row that names it, and a test that shows a
// row which does not name it are all mistakes. After a change [Ledger.FillIn] writes the names.
package ledger
