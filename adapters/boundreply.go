package adapters

import (
	"net/http"
	"time"
)

// replyPiece is how many bytes of an answer have a time of their own: whoever takes a long one slowly keeps it, and whoever
// takes nothing loses it.
const replyPiece = 64 << 10

// boundReply gives each piece of an answer a time within which the client must have taken it, so that one that asks and
// never reads holds neither the answer nor its connection for long. The time begins with the answer and not with the
// request, which may wait: polls and uploads do. Streams set times of their own, and a socket's connection leaves the server.
func boundReply(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&boundedReply{ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout}, r)
	})
}

// boundedReply is an answer whose pieces must be taken in time.
type boundedReply struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	// left is how many bytes the piece that has a time now may still have.
	left int
}

// Unwrap lets a [http.ResponseController] find what is below.
func (b *boundedReply) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (b *boundedReply) WriteHeader(status int) {
	b.begin()
	b.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer]. A time that the handler sets stays until the next piece begins.
func (b *boundedReply) Write(p []byte) (n int, err error) {
	for {
		b.begin()
		piece := p[:min(len(p), b.left)]
		written, err := b.ResponseWriter.Write(piece)
		n, b.left, p = n+written, b.left-len(piece), p[len(piece):]
		if err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// begin gives a piece its time if the one before is written. A connection without deadlines, as a test's recorder is, has
// nothing to bound.
func (b *boundedReply) begin() {
	if b.left == 0 {
		b.left = replyPiece
		_ = b.control.SetWriteDeadline(time.Now().Add(b.timeout))
	}
}
