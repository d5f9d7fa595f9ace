package agentswitch

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Error is an answer that is not a success: *DetailError, *PlainError,
// *RangeError or *ValidationError. A server writes one with its three parts; a
// client gets the same types back, wrapped, from every call:
//
//	var refused agentswitch.Error
//	if errors.As(err, &refused) && refused.Status() == http.StatusConflict { … }
type Error interface {
	error
	// Status returns the HTTP status.
	Status() int
	// ContentType returns the Content-Type header, empty for none.
	ContentType() string
	// AppendBody appends the body.
	AppendBody(dst []byte) []byte
}

// DetailError is the ordinary refusal: {"detail": text}.
type DetailError struct {
	Code   int
	Detail string
}

// Error implements error.
func (e *DetailError) Error() string { return strconv.Itoa(e.Code) + ": " + e.Detail }

// Status implements Error.
func (e *DetailError) Status() int { return e.Code }

// ContentType implements Error.
func (*DetailError) ContentType() string { return ContentTypeJSON }

// AppendBody implements Error.
func (e *DetailError) AppendBody(dst []byte) []byte {
	o := openObject(dst)
	o.str("detail", e.Detail)
	return o.close()
}

// Refuse returns a DetailError with a formatted text.
func Refuse(status int, format string, args ...any) *DetailError {
	return &DetailError{Code: status, Detail: fmt.Sprintf(format, args...)}
}

// PlainError is an answer without JSON: those of the authentication in front
// of the routes, and 500.
type PlainError struct {
	Code int
	Text string
	// Type is the content type; the authentication sends none.
	Type string
}

// Error implements error.
func (e *PlainError) Error() string { return strconv.Itoa(e.Code) + ": " + e.Text }

// Status implements Error.
func (e *PlainError) Status() int { return e.Code }

// ContentType implements Error.
func (e *PlainError) ContentType() string { return e.Type }

// AppendBody implements Error.
func (e *PlainError) AppendBody(dst []byte) []byte { return append(dst, e.Text...) }

// MissingAuthorization answers a request without a bearer token.
func MissingAuthorization() *PlainError {
	return &PlainError{Code: http.StatusUnauthorized, Text: "Missing or invalid Authorization header"}
}

// InvalidCredentials answers a token that is unknown, rotated or of a deleted
// agent.
func InvalidCredentials() *PlainError {
	return &PlainError{Code: http.StatusUnauthorized, Text: "Invalid credentials"}
}

// InternalServerError answers what should not have happened; it tells nothing.
func InternalServerError() *PlainError {
	return &PlainError{Code: http.StatusInternalServerError, Text: "Internal Server Error", Type: "text/plain; charset=utf-8"}
}

// NotAuthenticated answers a registration token on an agent's route.
func NotAuthenticated() *DetailError { return Refuse(http.StatusUnauthorized, "Not authenticated") }

// InvalidRegistrationToken answers an agent key on a registration route.
func InvalidRegistrationToken() *DetailError {
	return Refuse(http.StatusUnauthorized, "Invalid registration token")
}

// NotFound answers an unknown path with a valid token.
func NotFound() *DetailError { return Refuse(http.StatusNotFound, "Not Found") }

// MethodNotAllowed answers a known path with the wrong method.
func MethodNotAllowed() *DetailError {
	return Refuse(http.StatusMethodNotAllowed, "Method Not Allowed")
}

// NotAuthorizedForAgent answers a path that names another agent.
func NotAuthorizedForAgent() *DetailError {
	return Refuse(http.StatusForbidden, "Not authorized for this agent")
}

// BodyTooLarge answers a body beyond what the server reads.
func BodyTooLarge() *DetailError {
	return Refuse(http.StatusRequestEntityTooLarge, "Request body is too large")
}

// DeadConnection answers a connection id that is unknown, another agent's or
// lapsed: 409 on operations and opens, 404 on the connection routes. Clients
// recognise it by the id and TextIsNotOpen.
func DeadConnection(status int, connectionID string) *DetailError {
	return Refuse(status, "Connection %s %s. Open its event stream again and keep beating, then retry.", connectionID, TextIsNotOpen)
}

// StreamNotAttached answers a beat on a live connection without a stream. It
// avoids TextIsNotOpen: the connection is.
func StreamNotAttached(connectionID string) *DetailError {
	return Refuse(http.StatusConflict, "No stream is attached to connection %s. Open its event stream again.", connectionID)
}

// TooManyConnections answers an open beyond MaxConnectionsPerAgent.
func TooManyConnections() *DetailError {
	return Refuse(http.StatusConflict, "This agent already holds %d connections. Let one lapse before opening another.", MaxConnectionsPerAgent)
}

// RoomOccupied answers a subscribe without takeover to a room that a live
// sibling holds.
func RoomOccupied(roomID, holderConnectionID string) *DetailError {
	return Refuse(http.StatusConflict, "Room %s is held by connection %s. Pass takeover to claim it all the same.", roomID, holderConnectionID)
}

// NotConnected answers an operation that needs a room, without one.
func NotConnected() *DetailError { return Refuse(http.StatusBadRequest, TextNotConnected) }

// TakeoverWarning is the warning for who took a room from a live sibling.
func TakeoverWarning(roomID, evictedConnectionID string) string {
	return fmt.Sprintf("Room %s was held by connection %s, which no longer receives it.", roomID, evictedConnectionID)
}

// UnknownOperation answers an operation that does not exist.
func UnknownOperation(name string, known []string) *DetailError {
	return Refuse(http.StatusNotFound, "Unknown operation %q. Known operations: %s", name, strings.Join(known, ", "))
}
