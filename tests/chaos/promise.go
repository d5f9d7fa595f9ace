package chaos

import "fmt"

// Promise is the name of something the gateway promises.
type Promise string

// The promises that [Check] looks at.
const (
	// Durable: what was acknowledged is in the log, once, and what a reader saw is in the log as it saw it.
	Durable Promise = "Durable"
	// Ordered: a reader sees rising numbers; and a command that was sent after another was acknowledged comes after it.
	Ordered Promise = "Ordered"
	// Gapless: a reader misses nothing between its beginning and the last it got, unless it was told of exactly that.
	Gapless Promise = "Gapless"
	// Once: a reader gets no number twice on one cursor, across all its connections.
	Once Promise = "Once"
	// Atomic: the events of a command are together or not there at all; a command that was refused left nothing.
	Atomic Promise = "Atomic"
	// Exclusive: a turn belongs to one message, the one that was told so.
	Exclusive Promise = "Exclusive"
	// Resumable: a reader that comes back gets everything that it had not seen.
	Resumable Promise = "Resumable"
	// Idempotent: a key that is used again makes no second event and gets the same answer.
	Idempotent Promise = "Idempotent"
)

// Violation is a promise that was broken.
type Violation struct {
	Promise Promise
	// Client is whose view shows it, empty when the log alone does.
	Client string
	Room   string
	// Evidence says what was seen and what should have been.
	Evidence string
}

// String is one line for people.
func (v Violation) String() string {
	who := v.Client
	if who == "" {
		who = "log"
	}
	return fmt.Sprintf("%s broken (%s, room %s): %s", v.Promise, who, v.Room, v.Evidence)
}
