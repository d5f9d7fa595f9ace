package chaos

import "time"

// Kind says what a client did or saw.
type Kind string

// What a writer records of a command, in this order: Sent, and then one of the other three. A command that is tried again
// begins again with Sent, under the same mark.
const (
	// Sent: the command is about to leave.
	Sent Kind = "sent"
	// Acknowledged: the answer says that it happened.
	Acknowledged Kind = "acknowledged"
	// Failed: the answer says that it did not happen.
	Failed Kind = "failed"
	// Unknown: the answer did not come.
	Unknown Kind = "unknown"
)

// What a reader records.
const (
	// Began: its first connection reads what lies after Number.
	Began Kind = "began"
	// Resumed: another connection reads what lies after Number.
	Resumed Kind = "resumed"
	// Received: it got the event with Number.
	Received Kind = "received"
	// Gap: it was told that what lies after Number, up to and including Through, is not going to come.
	Gap Kind = "gap"
	// CaughtUp: it has waited long enough for everything up to and including Number.
	CaughtUp Kind = "caught up"
)

// Line is the number that a reader's cursor counts in.
type Line string

// The lines.
const (
	// Positions counts over the whole log; a reader on it must get the messages of its rooms and may get other events.
	Positions Line = "position"
	// Versions counts the events of one room, from 1; a reader on it must get all of them.
	Versions Line = "version"
	// Turns counts the messages of one room, from 1.
	Turns Line = "turn"
)

// Record is one thing that a client did or saw.
type Record struct {
	// Wall is the record's place among all records, from 1; At is when it was taken. The recorder sets both.
	Wall int       `json:"wall"`
	At   time.Time `json:"at"`
	// Client is who recorded it. A reader that reads anew from the beginning is another client.
	Client string `json:"client"`
	// Protocol is what it speaks.
	Protocol string `json:"protocol,omitempty"`
	Kind     Kind   `json:"kind"`
	// Room is where. Began, Resumed, Gap and CaughtUp without a room concern every room the reader has begun on that line.
	Room string `json:"room,omitempty"`
	// Mark is the command's, or that of the message that was received; empty for an event that carries none.
	Mark string `json:"mark,omitempty"`

	// Parts is, in Sent, how many events the command makes; 0 means 1.
	Parts int `json:"parts,omitempty"`
	// Key is, in Sent, the idempotency key.
	Key string `json:"key,omitempty"`
	// Turn is, in Acknowledged, the turn that the message was given, from 1; 0 when the protocol does not say.
	Turn uint64 `json:"turn,omitempty"`
	// Answer is, in Acknowledged, what the same key must be answered with again.
	Answer string `json:"answer,omitempty"`
	// Why is, in Failed and Unknown, what the client was told.
	Why string `json:"why,omitempty"`

	// Line, Number and Through are a reader's.
	Line    Line   `json:"line,omitempty"`
	Number  uint64 `json:"number,omitempty"`
	Through uint64 `json:"through,omitempty"`
}
