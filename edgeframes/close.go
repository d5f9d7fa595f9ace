package edgeframes

// CloseCode is a WebSocket close code as the protocol uses it. Whatever the code, the
// real client comes back with growing delays; only its own Close stops it.
type CloseCode int

// The table of endings. Documented are 1000, 1001, 1006 and 1013; the others are
// inferred from the WebSocket registry.
const (
	// CloseNormal is sent by a client that is done and will not come back.
	CloseNormal CloseCode = 1000
	// CloseGoingAway is sent by a server that restarts or moves; the client comes
	// back at once.
	CloseGoingAway CloseCode = 1001
	// CloseProtocolError follows a connection-level protocol_error or
	// version_mismatch.
	CloseProtocolError CloseCode = 1002
	// CloseUnsupported answers a binary message.
	CloseUnsupported CloseCode = 1003
	// CloseAbnormal is never sent: it stands for a connection that broke.
	CloseAbnormal CloseCode = 1006
	// CloseInvalidText answers text that is not UTF-8.
	CloseInvalidText CloseCode = 1007
	// CloseRefused follows a connection-level unauthorized, or a veto.
	CloseRefused CloseCode = 1008
	// CloseTooBig answers a message over the size limit.
	CloseTooBig CloseCode = 1009
	// CloseInternal: a snapshot of the bootstrap could not be read.
	CloseInternal CloseCode = 1011
	// CloseTryLater: more than [MaxPendingFrames] frames before admission, or a
	// reader that fell too far behind.
	CloseTryLater CloseCode = 1013
)

// Text is the reason sent with the code.
func (c CloseCode) Text() string {
	switch c {
	case CloseNormal:
		return "client closed"
	case CloseGoingAway:
		return "agent going away"
	case CloseProtocolError:
		return "protocol error"
	case CloseUnsupported:
		return "binary messages are not part of the protocol"
	case CloseAbnormal:
		return "connection lost"
	case CloseInvalidText:
		return "text is not UTF-8"
	case CloseRefused:
		return "refused"
	case CloseTooBig:
		return "message too big"
	case CloseInternal:
		return "bootstrap failed"
	case CloseTryLater:
		return "try again later"
	}
	return ""
}

// Retry says what a client does after a connection ended with a code.
type Retry int

// What a client may do.
const (
	// RetryBackoff: come back after a growing, random delay.
	RetryBackoff Retry = iota
	// RetryAtOnce: come back without delay.
	RetryAtOnce
	// RetryNever: the client ended the connection itself.
	RetryNever
)

// Retry returns what the receiving side of the code does next.
func (c CloseCode) Retry() Retry {
	switch c {
	case CloseNormal:
		return RetryNever
	case CloseGoingAway:
		return RetryAtOnce
	}
	return RetryBackoff
}
