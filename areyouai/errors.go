package areyouai

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"stele/internal/strictjson"
)

// Error is a refusal as both sides see it: the server encodes it as the reply
// body, the client returns it for every answer outside 2xx. Its JSON form is
// exactly the contract's error body.
type Error struct {
	Code Code `json:"error"`
	// HTTPStatus equals the status line.
	HTTPStatus  int    `json:"status"`
	Recoverable bool   `json:"recoverable"`
	Hint        string `json:"hint,omitempty"`
	// MaxChars is set for payload_too_large only.
	MaxChars int `json:"max_chars,omitempty"`
	// Endpoint is the route template, set for endpoint_not_supported only.
	Endpoint string `json:"endpoint,omitempty"`
	// Allow lists the methods a 405 would have accepted; the server sends
	// the same list as the Allow header.
	Allow []string `json:"allow,omitempty"`
	// Context is what GET context answers now, on a turn_mismatch or
	// stale_bundle_hash in a room where agents may speak at any time: whoever
	// was overtaken can read it and speak again without another request, in
	// which it could be overtaken again. It is not part of the contract.
	Context *ContextReply `json:"context,omitempty"`
	// RetryAfter is the Retry-After header that a client saw or a server
	// sends, 0 when there is none. It is not part of the body.
	RetryAfter time.Duration `json:"-"`

	cause error
}

// NewError returns the error for a code with its status, recoverability and
// standard hint. An unknown code is a programming mistake and becomes
// internal_error, so that no client ever sees a code without a status.
func NewError(code Code) *Error {
	row, ok := lookupCode(code)
	if !ok {
		row, _ = lookupCode(CodeInternalError)
	}
	e := &Error{Code: row.code, HTTPStatus: row.status, Recoverable: row.recoverable, Hint: row.hint}
	if row.code == CodePayloadTooLarge {
		e.MaxChars = MaxMessageChars
	}
	return e
}

// InvalidRequest returns a 400 whose hint tells the caller what to change.
func InvalidRequest(hint string) *Error {
	e := NewError(CodeInvalidRequest)
	e.Hint = hint
	return e
}

// EndpointNotSupported returns the 501 for a route template such as
// [PathRoomLeave].
func EndpointNotSupported(template string) *Error {
	e := NewError(CodeEndpointNotSupported)
	e.Endpoint = template
	return e
}

// MethodNotAllowed returns a 405 that names the methods of the route.
func MethodNotAllowed(allow ...string) *Error {
	e := NewError(CodeMethodNotAllowed)
	e.Allow = allow
	return e
}

// WithHint returns a copy of e with another hint.
func (e *Error) WithHint(hint string) *Error {
	c := *e
	c.Hint = hint
	return &c
}

// Status returns the HTTP status to answer with.
func (e *Error) Status() int { return e.HTTPStatus }

// Error returns code, status and hint; none of them ever holds a credential.
func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("areyouai: %s (%d)", e.Code, e.HTTPStatus)
	}
	return fmt.Sprintf("areyouai: %s (%d): %s", e.Code, e.HTTPStatus, e.Hint)
}

// Is reports whether target is this error's Code, or an *Error with it.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case Code:
		return e.Code == t
	case *Error:
		return e.Code == t.Code
	}
	return false
}

// Unwrap returns what made a request invalid, for logs; nil otherwise.
func (e *Error) Unwrap() error { return e.cause }

// AsError returns err as a wire error: the *Error in its chain, or
// internal_error, whose body tells a client nothing about the cause.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	e = NewError(CodeInternalError)
	e.cause = err
	return e
}

// ErrForeignReply is in the chain of an *Error that ParseError made of a body
// that is not the contract's shape: most likely a proxy answered in the
// server's place, and the status says nothing about rooms and agents.
var ErrForeignReply = errors.New("areyouai: the answer is not one of the protocol")

// ParseError reads an error reply. A body that is not the contract's shape
// (a proxy's page, an empty body) still yields an *Error with the code that
// fits the status best, which wraps ErrForeignReply; the status line wins over
// the body's status.
func ParseError(status int, body []byte) *Error {
	var e Error
	if strictjson.UnmarshalLimits(body, &e, bodyLimits(MaxBodyBytes)) != nil || e.Code == "" {
		e := fallbackError(status)
		e.cause = ErrForeignReply
		return e
	}
	e.HTTPStatus = status
	return &e
}

func fallbackError(status int) *Error {
	for _, row := range codeTable {
		if row.status != status || row.code == CodeUnsupportedOp {
			continue
		}
		// Only the status is known: for a 409 the row that claims least.
		if status == http.StatusConflict {
			row, _ = lookupCode(CodeConflict)
		}
		return &Error{Code: row.code, HTTPStatus: status, Recoverable: row.recoverable}
	}
	if status >= 500 {
		return &Error{Code: CodeInternalError, HTTPStatus: status, Recoverable: true}
	}
	return &Error{Code: CodeInvalidRequest, HTTPStatus: status}
}
