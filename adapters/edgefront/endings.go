package edgefront

import (
	"fmt"
	"time"

	"stele/edgeframes"
)

// closeTime bounds every ending, from the decision to the closed connection.
const closeTime = time.Second

// ending says how a session ends. It travels as the cause of the session's context.
type ending struct {
	code edgeframes.CloseCode
	// reason is sent with the code, at most 123 bytes.
	reason string
	// frame, if set, is sent before.
	frame *edgeframes.Error
	// gone: there is nobody left to tell.
	gone bool
	// retry, if set, is when to come back; a request is then answered with 429.
	retry time.Duration
	// guessed, if set, is the room whose code the client's token was taken for and was not.
	guessed string
}

// Error implements error.
func (e *ending) Error() string { return fmt.Sprintf("session ended: %d %s", e.code, e.reason) }

// The table of endings.

func closing(code edgeframes.CloseCode) *ending { return &ending{code: code, reason: code.Text()} }

// goingAway: the gateway shuts down; the client comes back at once.
func goingAway() *ending { return closing(edgeframes.CloseGoingAway) }

// vanished: the peer closed, or the connection broke. The library has answered a close frame by itself.
func vanished() *ending { return &ending{code: edgeframes.CloseAbnormal, gone: true} }

// tooEarly: more frames, or more bytes in them, than may wait for admission.
func tooEarly() *ending {
	return &ending{code: edgeframes.CloseTryLater, reason: "too many frames before admission"}
}

// vetoed: a hook refused. The client is told nothing but the code.
func vetoed() *ending { return closing(edgeframes.CloseRefused) }

// refused: the token proves nothing, or opens no such conversation, or does not any more.
func refused(message string) *ending {
	e := closing(edgeframes.CloseRefused)
	frame := edgeframes.ConnectionError(edgeframes.CodeUnauthorized, message)
	e.frame = &frame
	return e
}

// limited: the caller has made as many conversations, or tried as many codes, as it may for now.
func limited(why error, reason string, retry time.Duration) *ending {
	e := refused(why.Error())
	e.code, e.reason, e.retry = edgeframes.CloseTryLater, reason, retry
	return e
}

// left: the caller is no longer a member, so what it was granted does not hold any more.
func left() *ending {
	e := refused(errEnded.Error())
	e.reason = "no longer a member of this room"
	return e
}

// malformed: a frame that concerns the connection breaks the protocol.
func malformed(frame edgeframes.Error) *ending {
	e := closing(edgeframes.CloseProtocolError)
	e.frame = &frame
	return e
}

// broken: the bytes on the socket are no WebSocket, or a message that began did not arrive.
func broken() *ending { return closing(edgeframes.CloseProtocolError) }

// failed: the room or its log could not be read, or the program made a mistake.
func failed() *ending {
	return &ending{code: edgeframes.CloseInternal, reason: "internal error"}
}
