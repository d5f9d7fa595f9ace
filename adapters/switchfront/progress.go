package switchfront

import (
	"io"
	"net/http"
	"time"
)

// noTime: what has no time of change is not compared by time.
var noTime time.Time

// progressWriter gives a client that takes nothing for a while no more: each write has its own time.
type progressWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

// Write implements [io.Writer].
func (w *progressWriter) Write(p []byte) (int, error) {
	// A connection without deadlines, as a test's recorder is, has nothing to bound.
	_ = w.control.SetWriteDeadline(time.Now().Add(w.timeout))
	return w.ResponseWriter.Write(p)
}

// progressReader lets an upload take long as long as it goes on: what arrives puts off the time by which more must, up
// to a last moment.
type progressReader struct {
	io.ReadCloser
	control *http.ResponseController
	timeout time.Duration
	last    time.Time
	renewed time.Time
}

// Read implements [io.Reader].
func (r *progressReader) Read(p []byte) (int, error) {
	if now := time.Now(); now.Sub(r.renewed) > r.timeout/8 {
		r.renewed = now
		until := now.Add(r.timeout)
		if until.After(r.last) {
			until = r.last
		}
		_ = r.control.SetReadDeadline(until)
	}
	return r.ReadCloser.Read(p)
}
