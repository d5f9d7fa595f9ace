package areyouaifront

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
)

// replyPage is how many bytes of a long answer are gathered before they are written. A page is read from the log whole
// before anything of it is written, so that a client that reads slowly keeps nothing open there, and holds about as much of
// the memory.
const replyPage = 256 << 10

const jsonType = "application/json"

// longReply is a JSON answer that may be much longer than a page.
type longReply struct {
	front   *Front
	request *request
	// page appends what comes next, up to about replyPage bytes, and tells whether that was the last. It is called from the
	// beginning of the answer to its end.
	page func(buf []byte) (out []byte, last bool, err error)
}

// write answers with all pages. When one cannot be had any more, because the room was purged meanwhile, the client is told
// so, or its connection is cut if the answer has begun.
func (l *longReply) write() error {
	buf := l.front.buffers.Get()
	defer l.front.buffers.Put(buf)
	out, last, err := l.page(*buf)
	if err != nil {
		return err
	}
	*buf = out
	h := l.request.Response().Header()
	if last {
		h.Set(echo.HeaderContentLength, strconv.Itoa(len(out)))
		return l.request.Blob(http.StatusOK, jsonType, out)
	}
	h.Set(echo.HeaderContentType, jsonType)
	l.request.Response().WriteHeader(http.StatusOK)
	return l.stream(buf)
}

// stream writes the first page and then the rest, piece by piece, each under a deadline of its own: a long answer has none
// as a whole.
func (l *longReply) stream(buf *[]byte) error {
	out, err := transport.NewEventStream(l.request.Response(), l.request.Request(), transport.EventStreamOptions{
		ProgressTimeout: l.front.opts.ProgressTimeout,
	})
	if err != nil {
		return err
	}
	for last := false; err == nil; {
		if err = out.Write(*buf); err != nil || last {
			break
		}
		*buf, last, err = l.page((*buf)[:0])
	}
	if err != nil {
		// Half an answer must not pass for a whole one.
		out.Abort()
		l.front.brokeOff("answer", err, zap.String("path", l.request.Path()), zap.String("room", l.request.id))
		return nil
	}
	out.Close()
	return nil
}
