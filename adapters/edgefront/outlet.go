package edgefront

import (
	"time"

	"github.com/coder/websocket"

	"stele/edgeframes"
)

// outlet is the way of a session's frames to its client. It belongs to the session's goroutine.
type outlet interface {
	// hold begins a batch; flush ends it: when it returns nil, the network has all that was sent.
	hold()
	flush() error
	// full tells whether the batch has grown so large that it should go out.
	full() bool
	// send adds a frame to the batch.
	send(text []byte, at mark) error
	// pace is called when there is something new, before it is gathered.
	pace()
	// idle fires when so little was sent that a sign of life is due, which keepAlive then sends.
	idle() <-chan time.Time
	keepAlive() error
	// close ends the connection as an ending says, whose last frame, if it has one, is given as text.
	close(e *ending, last []byte)
}

// mark is where a frame leaves its client's cursor of a stream. The zero mark moves none.
type mark struct {
	stream edgeframes.Stream
	seq    uint64
}

// socket is the outlet of a WebSocket.
type socket struct {
	*gatherConn
	conn *websocket.Conn
}

// send adds a frame to the batch as a message of its own. The frame's own numbers are its mark.
func (o *socket) send(text []byte, _ mark) error { return o.writeText(text) }

// pace does nothing: frames are gathered from one wake to the next.
func (o *socket) pace() {}

// idle never fires: it is the client that pings.
func (o *socket) idle() <-chan time.Time { return nil }

func (o *socket) keepAlive() error { return nil }

func (o *socket) close(e *ending, last []byte) {
	if last != nil {
		o.hold()
		// An error here shows again at the close.
		_ = o.send(last, mark{})
	}
	if err := o.flush(); err != nil || e.gone {
		_ = o.conn.CloseNow()
		return
	}
	// The peer may have closed at the same time; either way the connection is closed afterwards.
	_ = o.conn.Close(websocket.StatusCode(e.code), e.reason)
}
