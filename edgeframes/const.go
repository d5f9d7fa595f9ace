package edgeframes

import "time"

// Where a value comes from stands behind it: "protocol" is the protocol's own
// definition, "docs" a page of the public documentation of Telnyx's edge runtime by its
// title. What neither says is chosen here, and the comment says so.

// Protocol versions (protocol). A version belongs to a kind of frame, not to a
// connection.
const (
	// ProtocolV1 is the base wire.
	ProtocolV1 = 1
	// ProtocolV2 stamps attach, attached and event, and an error with a code that
	// only version 2 knows.
	ProtocolV2 = 2
	// ProtocolVersion is the default stamp.
	ProtocolVersion = ProtocolV1
)

// Kind is the "kind" of a frame.
type Kind string

// The vocabulary of both versions (protocol).
const (
	KindCall     Kind = "call"
	KindPing     Kind = "ping"
	KindHello    Kind = "hello"
	KindState    Kind = "state"
	KindMessages Kind = "messages"
	KindResult   Kind = "result"
	KindError    Kind = "error"
	KindPong     Kind = "pong"
	KindAttach   Kind = "attach"
	KindAttached Kind = "attached"
	KindEvent    Kind = "event"
)

// FromClient reports whether k is a kind that clients send; the others come from
// servers.
func (k Kind) FromClient() bool { return k == KindCall || k == KindPing || k == KindAttach }

// Stream is one of the flows of frames a connection may subscribe to.
type Stream string

// The streams, in the order in which they are bootstrapped (protocol).
const (
	StreamState    Stream = "state"
	StreamMessages Stream = "messages"
	StreamEvents   Stream = "events"
)

// Streams returns the three streams in bootstrap order.
func Streams() []Stream { return []Stream{StreamState, StreamMessages, StreamEvents} }

// ErrorCode is the "code" of an error frame.
type ErrorCode string

// The codes of version 1 (protocol).
const (
	CodeMethodNotFound  ErrorCode = "method_not_found"
	CodeMethodPrivate   ErrorCode = "method_private"
	CodeMethodError     ErrorCode = "method_error"
	CodeProtocolError   ErrorCode = "protocol_error"
	CodeVersionMismatch ErrorCode = "version_mismatch"
)

// The codes that version 2 adds (protocol). An error with one of them is stamped 2 even
// on a connection that never attached.
const (
	CodeUnauthorized       ErrorCode = "unauthorized"
	CodeSubscriptionDenied ErrorCode = "subscription_denied"
)

// Claims a connection may hold. Any other string is the application's own.
const (
	// ClaimRead is a label; no stream is withheld for lack of it (docs, authorize).
	ClaimRead = "read"
	// ClaimRPC is needed for a call, once the server authorizes at all (protocol).
	ClaimRPC = "rpc"
)

// Role says who speaks in a [Message] (docs, Message Log).
type Role string

// The roles of the message log.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Limits of the protocol's real server, and what is chosen where its text is silent.
const (
	// MaxPendingFrames is how many frames a client may send before it is admitted;
	// one more closes the connection with [CloseTryLater] (docs, The Socket Server).
	MaxPendingFrames = 64
	// TurnBudget is the time one call may take (docs, The Socket Server).
	TurnBudget = 30 * time.Second
	// RetainedEvents is how many events are kept for replay (docs, EventLog).
	RetainedEvents = 1000
	// MaxHTTPBody bounds an answer of the HTTP transport, in bytes (docs, fetch).
	MaxHTTPBody = 32 << 20
	// MaxMessageIn bounds a WebSocket message to a server, in bytes. Not documented;
	// chosen here.
	MaxMessageIn = 1 << 20
	// AttachGrace is how long a server waits for a first frame before it takes the
	// client for anonymous. Every plain client sees it as delay. Not documented;
	// chosen here.
	AttachGrace = time.Second
)

// ReservedMethod reports whether a method is never dispatched, whatever the server
// offers (docs, rpc).
func ReservedMethod(method string) bool {
	switch method {
	case "constructor", "alarm", "fetch", "webSocket", "authorize", "onAttach", "onConnect":
		return true
	}
	return len(method) > 0 && method[0] == '_'
}
