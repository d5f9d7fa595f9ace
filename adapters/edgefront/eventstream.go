package edgefront

import (
	"strconv"
	"strings"
	"time"

	"stele/adapters/transport"
	"stele/edgeframes"
	"stele/internal/sse"
)

// eventStream is the outlet of a stream of server-sent events: one event per frame, without a name, so that a page's
// onmessage gets them all. Its data is the text that a socket would get.
type eventStream struct {
	*transport.EventStream
	buffers *transport.Buffers
	// batch is what was sent and not yet written; nil when there is nothing.
	batch *[]byte
	seen  cursors
}

// cursors are the places of a client in the two streams that have them.
type cursors struct{ messages, events uint64 }

// of are the cursors that an attach frame brings.
func (c *cursors) of(attach *edgeframes.Attach) {
	c.messages, c.events = attach.Cursors[edgeframes.StreamMessages], attach.Cursors[edgeframes.StreamEvents]
}

// move takes the cursors on to a mark and tells whether it moves any.
func (c *cursors) move(at mark) bool {
	switch at.stream {
	case edgeframes.StreamMessages:
		c.messages = at.seq
	case edgeframes.StreamEvents:
		c.events = at.seq
	default:
		return false
	}
	return true
}

// String is the id of an event: "m12.e41".
func (c cursors) String() string {
	var room [48]byte
	b := strconv.AppendUint(append(room[:0], 'm'), c.messages, 10)
	return string(strconv.AppendUint(append(b, '.', 'e'), c.events, 10))
}

// resumed reads what String made, which a client gives back as Last-Event-ID. Anything else brings no cursors, as a socket
// has none whose cursors are no positions.
func resumed(id string) map[edgeframes.Stream]uint64 {
	messages, events, ok := strings.Cut(strings.TrimSpace(id), ".")
	m, okMessages := position(messages, "m")
	e, okEvents := position(events, "e")
	if !ok || !okMessages || !okEvents {
		return nil
	}
	return map[edgeframes.Stream]uint64{edgeframes.StreamMessages: m, edgeframes.StreamEvents: e}
}

// position reads a number up to the largest that is exact in a frame.
func position(s, prefix string) (uint64, bool) {
	digits, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.ParseUint(digits, 10, 53)
	return n, ok && err == nil
}

func (o *eventStream) hold() {}

func (o *eventStream) full() bool { return o.batch != nil && len(*o.batch) >= gatherBytes }

func (o *eventStream) send(text []byte, at mark) error {
	if o.batch == nil {
		o.batch = o.buffers.Get()
	}
	frame := sse.Frame{Data: text}
	if o.seen.move(at) {
		frame.ID = o.seen.String()
	}
	*o.batch = sse.Append(*o.batch, frame)
	return nil
}

func (o *eventStream) flush() error {
	if o.batch == nil {
		return nil
	}
	batch := o.batch
	o.batch = nil
	defer o.buffers.Put(batch)
	return o.Write(*batch)
}

func (o *eventStream) pace() { o.Pace() }

func (o *eventStream) idle() <-chan time.Time { return o.Idle() }

func (o *eventStream) keepAlive() error { return o.KeepAlive() }

// close ends the response. What broke off by the gateway's fault looks broken to the client too.
func (o *eventStream) close(e *ending, last []byte) {
	if last != nil {
		_ = o.send(last, mark{})
	}
	// A client that is gone needs no end.
	err := o.flush()
	if err == nil && e.code == edgeframes.CloseInternal {
		o.Abort()
		return
	}
	o.Close()
}
