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
		b := &boundedReply{ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout}
		// The request before may have left a time behind on the connection.
		_ = b.control.SetWriteDeadline(time.Time{})
		next.ServeHTTP(b, r)
	})
}

// boundedReply is an answer whose pieces must be taken in time.
type boundedReply struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	begun   bool
}

// Unwrap lets a [http.ResponseController] find what is below.
func (b *boundedReply) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (b *boundedReply) WriteHeader(status int) {
	b.begin()
	b.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer]. A time that the handler set for its first piece after the header stays.
func (b *boundedReply) Write(p []byte) (n int, err error) {
	b.begin()
	for len(p) > replyPiece {
		written, err := b.ResponseWriter.Write(p[:replyPiece])
		if n += written; err != nil {
			return n, err
		}
		p = p[replyPiece:]
		b.renew()
	}
	written, err := b.ResponseWriter.Write(p)
	return n + written, err
}

func (b *boundedReply) begin() {
	if !b.begun {
		b.begun = true
		b.renew()
	}
}

// renew moves the end away from now. A connection without deadlines, as a test's recorder is, has nothing to bound.
func (b *boundedReply) renew() { _ = b.control.SetWriteDeadline(time.Now().Add(b.timeout)) }
