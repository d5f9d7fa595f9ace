package core

import (
	"context"
	"iter"
	"strings"
	"time"
)

// Position is an event's place in the one order of the whole log. The first position is 1; positions only grow; gaps are
// allowed. Zero stands before everything.
type Position uint64

// lifeBits is how many bits of a position count within one life of the log. Positions stay below 2^53, so that a client
// written in JavaScript reads them exactly: 2^40 events in each of 8,192 lives.
const lifeBits = 40

// FirstOf is the first position that the events of a life may have; the log's first life is 0.
func FirstOf(life int) Position { return Position(life)<<lifeBits + 1 }

// Life is the number of the life that a position belongs to.
func (p Position) Life() int { return int((p - min(p, 1)) >> lifeBits) }

// Stream names the unit of atomic change: a room, an agent, or the directory.
type Stream string

// DirectoryStream holds what is unique across the whole log: names, agents, registration tokens.
const DirectoryStream Stream = "directory"

const (
	roomPrefix  = "room/"
	agentPrefix = "agent/"
)

// RoomStream is the stream of the room with this id.
func RoomStream(id string) Stream { return Stream(roomPrefix + id) }

// AgentStream is the stream of the agent with this id.
func AgentStream(id string) Stream { return Stream(agentPrefix + id) }

// RoomID returns the room's id if the stream is a room's.
func (s Stream) RoomID() (string, bool) { return strings.CutPrefix(string(s), roomPrefix) }

// AgentID returns the agent's id if the stream is an agent's.
func (s Stream) AgentID() (string, bool) { return strings.CutPrefix(string(s), agentPrefix) }

// Event is one fact as a stream keeps it.
type Event struct {
	// Kind names the fact; it survives Erase.
	Kind Kind
	// Version counts the events of the stream in its low 32 bits, contiguous from 1; the bits above are the life of the
	// log in which it was given, see [VersionCount]. It survives Erase.
	Version uint64
	// At is when the fact was decided, in UTC, in whole milliseconds; it survives Erase.
	At time.Time
	// Body is JSON: what the state needs for as long as the stream exists. It survives Erase.
	Body []byte
	// Content is JSON or nil: what people said. Erase destroys it.
	Content []byte
	// Receipt is JSON or nil: the idempotency key of the command and its answer, kept in the same atomic unit as what
	// the command did. Erase destroys it.
	Receipt []byte
	// Payload is the decoded form of Body and Content. A log hands it on untouched to readers in the same process where
	// it still has it, and leaves it nil otherwise; it is never stored. Readers must not change it.
	Payload any
}

// Recorded is an event with its place.
type Recorded struct {
	Event
	Position Position
	Stream   Stream
	// Erased tells that the content was destroyed.
	Erased bool
}

// hollow tells that nothing is left to show of the event: what it said was destroyed. What it did to the room stays, and
// shows where the room is told of.
func (r *Recorded) hollow() bool {
	if !r.Erased {
		return false
	}
	switch r.Kind {
	case RoomCreated, MemberJoined, MemberLeft, RoomStateChanged, RoomClosed, RoomPurged:
		return false
	}
	return true
}

// Log is the one append-only log. It is safe for concurrent use. The suite in core/logtest says in code what each
// sentence here means.
type Log interface {
	// ID is the log's identity: made when the log was created, another one after it was replaced by a backup or created
	// anew. Cursors and snapshots of another identity mean nothing here.
	ID() string

	// Lives returns the last position of each earlier life of the log, oldest first. A log that was replaced by a backup
	// begins a new life under a new identity: its positions go on at FirstOf(len(Lives())), so that none is given twice
	// with another meaning, and a cursor beyond the end of its own life is recognised. It does not change while the log is
	// open.
	Lives() []Position

	// Append writes the events to the stream as one atomic unit, if the stream's last position is still last (0: the
	// stream is empty). It returns their positions, rising, after they are durable. Errors: [ErrConflict] as a
	// *ConflictError when somebody else wrote first; [ErrFull], [ErrReadOnly], [ErrClosed]. After an error nothing was
	// written, except that a context cancelled while waiting leaves the outcome open.
	Append(ctx context.Context, stream Stream, last Position, events []Event) ([]Position, error)

	// Read yields the events of one stream strictly after a position, oldest first, up to the last one committed when it
	// gets there, and then ends.
	Read(ctx context.Context, stream Stream, after Position) iter.Seq2[Recorded, error]

	// ReadBack yields the events of one stream strictly before a position, newest first. Before 0 means from the end.
	ReadBack(ctx context.Context, stream Stream, before Position) iter.Seq2[Recorded, error]

	// Tail yields every event of the log strictly after a position, in position order, in batches, then waits for more
	// until ctx ends (which ends the sequence without an error). Only committed events are seen; an atomic unit is never
	// split over two batches, except that batches of history are bounded in size; no hole, no repeat, however many
	// appends run meanwhile. A batch belongs to the log: it must not be kept beyond the iteration step.
	Tail(ctx context.Context, after Position) iter.Seq2[[]Recorded, error]

	// Last returns the last position of a stream, 0 when it is empty.
	Last(ctx context.Context, stream Stream) (Position, error)

	// Head returns the last position of the whole log, 0 when it is empty.
	Head(ctx context.Context) (Position, error)

	// Erase destroys Content and Receipt of the stream's events up to and including a position; positions, kinds,
	// versions, times and bodies stay. It is durable when it returns, and repeating it changes nothing. [ErrTraces] asks for
	// such a repetition: nobody can read the content here any more, but copies are left in the log's files.
	Erase(ctx context.Context, stream Stream, upTo Position) error

	// Close ends all tails and frees the log. Calls afterwards return [ErrClosed].
	Close() error
}
