package areyouai_test

import (
	"io"
	"net/http"
	"strings"
)

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// waitForever answers no request.
type waitForever struct{}

func (waitForever) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// silentStream opens a stream that shows first and then no byte until its
// request ends.
type silentStream struct{ first string }

func (s silentStream) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := respond(http.StatusOK, "")
	resp.Header.Set("Content-Type", "text/event-stream; charset=utf-8")
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(s.first), readerFunc(func([]byte) (int, error) {
		<-r.Context().Done()
		return 0, r.Context().Err()
	})))
	return resp, nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// closeCount answers with status and counts the bodies that were closed.
type closeCount struct {
	status, opened, closed int
}

func (c *closeCount) RoundTrip(*http.Request) (*http.Response, error) {
	c.opened++
	resp := respond(c.status, `{"status":"ok"}`)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{resp.Body, closerFunc(func() error { c.closed++; return nil })}
	return resp, nil
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }
