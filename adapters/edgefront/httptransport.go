package edgefront

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// stream serves the frames of an address as server-sent events, as an attach frame with the request's token, streams and
// cursors would have them on a socket (docs, The HTTP Server).
func (f *Front) stream(c echo.Context) error {
	r := c.Request()
	where, err := addressOf(c)
	if err != nil {
		return err
	}
	if !f.open.enter() {
		return shutDown()
	}
	defer f.open.leave()
	s := newSession(r.Context(), f, r, where, nil)
	defer s.release()
	err = s.admitRequest(edgeframes.Attach{
		Token: tokenOf(r), Subscribe: subscription(r.URL.Query()["subscribe"]), Cursors: resumed(r.Header.Get("Last-Event-ID")),
	})
	if err == nil {
		err = s.takePlace()
	}
	if err != nil {
		return s.refusal(err)
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set(echo.HeaderCacheControl, "no-store")
	// Proxies of the nginx family gather an answer unless they are told not to.
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	events, err := transport.NewEventStream(c.Response(), r, transport.EventStreamOptions{
		KeepAlive: f.opts.KeepAlive, ProgressTimeout: f.opts.ProgressTimeout,
	})
	if err != nil {
		f.log.Debug("client is gone", zap.Error(err))
		return nil
	}
	out := &eventStream{EventStream: events, buffers: &f.buffers}
	out.seen.of(s.attach)
	s.out = out
	stop := context.AfterFunc(events.Context(), func() { s.end(vanished()) })
	defer stop()
	s.serve(s.follow)
	return nil
}

// tokenOf is the credential of a request: the Authorization header, else the query parameter, which a page needs whose
// EventSource can send no header (docs, handleSse and handleRpc).
func tokenOf(r *http.Request) string {
	header := strings.TrimSpace(r.Header.Get(echo.HeaderAuthorization))
	if header == "" {
		return r.URL.Query().Get("token")
	}
	if scheme, token, ok := strings.Cut(header, " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return header
}

// subscription reads lists of streams with commas between them. Nil, for none, means all.
func subscription(lists []string) []edgeframes.Stream {
	var streams []edgeframes.Stream
	for _, list := range lists {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				streams = append(streams, edgeframes.Stream(name))
			}
		}
	}
	return streams
}

// callID is the id of every call over HTTP: each has an answer to itself.
const callID = "h1"

// rpc answers one call. It opens no connection: nothing is read but what the call reads (docs, handleRpc).
func (f *Front) rpc(c echo.Context) error {
	r := c.Request()
	where, err := addressOf(c)
	if err != nil {
		return err
	}
	method, err := pathParam(c, "method")
	if err != nil {
		return err
	}
	if !f.open.enter() {
		return shutDown()
	}
	defer f.open.leave()
	s := newSession(r.Context(), f, r, where, nil)
	defer s.release()
	if err := s.admitRequest(edgeframes.Attach{Token: tokenOf(r), Subscribe: []edgeframes.Stream{}}); err != nil {
		return s.refusal(err)
	}
	args, err := f.argumentsOf(r)
	if err != nil {
		return err
	}
	if !transport.ValidKey(r) {
		// Ignored, it would let a repetition be a second call.
		return refuse(http.StatusBadRequest, fmt.Sprintf(
			"%s must be 1 to %d visible ASCII characters, given once", transport.HeaderIdempotencyKey, transport.MaxKeyBytes))
	}
	frame := s.answerTo(pendingCall{
		id: callID, call: edgeframes.Call{ID: callID, Method: method, Args: args}, key: r.Header.Get(transport.HeaderIdempotencyKey),
	})
	status := http.StatusOK
	if e, failed := frame.(edgeframes.Error); failed {
		status = statusOf(e.Code)
	}
	return f.writeFrame(c, status, frame)
}

// argumentsOf reads the argument list that a body is: a JSON array, or the SuperJSON form of one. No body is no arguments.
func (f *Front) argumentsOf(r *http.Request) (superjson.Array, error) {
	body, err := transport.ReadBody(r, int64(f.opts.MaxMessage))
	var large *transport.TooLargeError
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, large.Error())
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body did not arrive")
	case !utf8.Valid(body):
		return nil, refuse(http.StatusBadRequest, "the body is not UTF-8")
	}
	body = bytes.Trim(body, " \t\r\n")
	if len(body) == 0 {
		return nil, nil
	}
	parse := superjson.Parse
	if body[0] == '[' {
		parse = superjson.ParseJSON
	}
	value, err := parse(body, superjson.Limits{MaxBytes: f.opts.MaxMessage})
	if err != nil {
		return nil, refuse(http.StatusBadRequest, err.Error())
	}
	args, ok := value.(superjson.Array)
	if !ok {
		return nil, refuse(http.StatusBadRequest, `the body must be a list of arguments: [...] or {"json":[...]}`)
	}
	return args, nil
}

// statusOf is the HTTP status of a call that failed with a code.
func statusOf(code edgeframes.ErrorCode) int {
	switch code {
	case edgeframes.CodeMethodNotFound:
		return http.StatusNotFound
	case edgeframes.CodeMethodPrivate, edgeframes.CodeUnauthorized, edgeframes.CodeSubscriptionDenied:
		return http.StatusForbidden
	case edgeframes.CodeProtocolError, edgeframes.CodeVersionMismatch:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// writeFrame answers with one frame, enveloped as on a socket, so that rich values survive.
func (f *Front) writeFrame(c echo.Context, status int, frame edgeframes.Frame) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	if err := c.Blob(status, echo.MIMEApplicationJSON, f.frames.text(frame)); err != nil {
		f.log.Debug("client is gone", zap.Error(err))
	}
	return nil
}
