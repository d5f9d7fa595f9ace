package edgeframes

import (
	"time"

	"stele/edgeframes/superjson"
)

// Frame is one frame of either version: [Call], [Ping], [Attach] from clients and
// [Hello], [State], [Messages], [Result], [Error], [Pong], [Attached], [EventFrame]
// from servers. Frames are plain values; what they point to is read-only.
type Frame interface {
	// Kind is the frame's "kind".
	Kind() Kind
	// Version is the frame's "v", which its kind decides, and for an [Error] its code.
	Version() int
	fields() ([]superjson.Member, error)
}

// Call asks the server to run a method.
type Call struct {
	// ID is opaque and unique among the connection's calls; the answer repeats it.
	ID string
	// Method is the public name.
	Method string
	// Args are the positional arguments; nil leaves the field out.
	Args []superjson.Value
}

// Ping asks for one [Pong].
type Ping struct{}

// Hello ends the bootstrap. A server sends it once per connection.
type Hello struct{}

// State carries the whole state or a change to it: exactly one of the fields is set.
type State struct {
	// Snapshot replaces what the client holds.
	Snapshot *superjson.Object
	// Patch is for [ApplyMergePatch].
	Patch *superjson.Object
}

// Messages carries the whole log or its newest items: exactly one of the fields is
// not nil.
type Messages struct {
	// Snapshot replaces the client's copy; an empty log is an empty slice.
	Snapshot []Message
	// Appended are new items, oldest first.
	Appended []Message
}

// Result answers the call ID.
type Result struct {
	ID string
	// Value is nil or [superjson.Undefined] for a method that returns nothing.
	Value superjson.Value
}

// Error rejects the call ID, or with ForCall false concerns the connection, which
// the client then rebuilds. It is an error, so that a call may return it.
type Error struct {
	// ID is the call's, if ForCall.
	ID string
	// ForCall tells an error of a call from one of the connection.
	ForCall bool
	// Code is one of this package's codes; others are passed through.
	Code ErrorCode
	// Message is for people.
	Message string
}

// Pong answers a [Ping].
type Pong struct{}

// Attach opens a connection in attach mode.
type Attach struct {
	// Token is the credential; empty means none.
	Token string
	// Subscribe are the streams wanted; nil means every stream the server offers.
	// Received frames keep names that are no stream, for the server to leave out.
	Subscribe []Stream
	// Cursors are the positions to resume after; nil means none. Received frames
	// hold only known streams with integers from 0.
	Cursors map[Stream]uint64
}

// Attached admits a connection in attach mode.
type Attached struct {
	// Grants is every claim the connection holds.
	Grants []string
	// Accepted are the streams that will flow.
	Accepted []Stream
}

// EventFrame carries one event of the room's event log.
type EventFrame struct {
	// Seq is from 1, strictly increasing on one connection, and the resume cursor.
	Seq uint64
	// Type is the emitter's word.
	Type string
	// Payload is as emitted; nil counts as undefined.
	Payload superjson.Value
	// At travels in whole milliseconds of UTC.
	At time.Time
}

// CallError is the answer that rejects call id.
func CallError(id string, code ErrorCode, message string) Error {
	return Error{ID: id, ForCall: true, Code: code, Message: message}
}

// ConnectionError is the error after which a server closes the connection.
func ConnectionError(code ErrorCode, message string) Error {
	return Error{Code: code, Message: message}
}

// Error implements error.
func (e Error) Error() string { return "edge: " + string(e.Code) + ": " + e.Message }

// Is matches another Error of the same code, so that errors.Is(err,
// Error{Code: CodeUnauthorized}) works for any id and message.
func (e Error) Is(target error) bool {
	t, ok := target.(Error)
	return ok && t.Code == e.Code
}

// Kind implements [Frame].
func (Call) Kind() Kind { return KindCall }

// Kind implements [Frame].
func (Ping) Kind() Kind { return KindPing }

// Kind implements [Frame].
func (Hello) Kind() Kind { return KindHello }

// Kind implements [Frame].
func (State) Kind() Kind { return KindState }

// Kind implements [Frame].
func (Messages) Kind() Kind { return KindMessages }

// Kind implements [Frame].
func (Result) Kind() Kind { return KindResult }

// Kind implements [Frame].
func (Error) Kind() Kind { return KindError }

// Kind implements [Frame].
func (Pong) Kind() Kind { return KindPong }

// Kind implements [Frame].
func (Attach) Kind() Kind { return KindAttach }

// Kind implements [Frame].
func (Attached) Kind() Kind { return KindAttached }

// Kind implements [Frame].
func (EventFrame) Kind() Kind { return KindEvent }

// Version implements [Frame].
func (Call) Version() int { return ProtocolV1 }

// Version implements [Frame].
func (Ping) Version() int { return ProtocolV1 }

// Version implements [Frame].
func (Hello) Version() int { return ProtocolV1 }

// Version implements [Frame].
func (State) Version() int { return ProtocolV1 }

// Version implements [Frame].
func (Messages) Version() int { return ProtocolV1 }

// Version implements [Frame].
func (Result) Version() int { return ProtocolV1 }

// Version implements [Frame]: 2 for a code that version 1 does not know.
func (e Error) Version() int {
	if e.Code == CodeUnauthorized || e.Code == CodeSubscriptionDenied {
		return ProtocolV2
	}
	return ProtocolV1
}

// Version implements [Frame].
func (Pong) Version() int { return ProtocolV1 }

// Version implements [Frame].
func (Attach) Version() int { return ProtocolV2 }

// Version implements [Frame].
func (Attached) Version() int { return ProtocolV2 }

// Version implements [Frame].
func (EventFrame) Version() int { return ProtocolV2 }
