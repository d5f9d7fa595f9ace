package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coder/websocket"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/tests/chaos"
)

const onEdge = "edge"

// edgeSocket is a raw connection to an agent's conversation.
type edgeSocket struct{ conn *websocket.Conn }

// dialEdge opens a socket and attaches.
func dialEdge(l *life, agent, room string, attach edgeframes.Attach) (*edgeSocket, error) {
	address := "ws" + strings.TrimPrefix(l.proc.url, "http") + "/agents/" + agent + "/" + room
	conn, _, err := websocket.Dial(l.ctx, address, &websocket.DialOptions{HTTPClient: l.http})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(edgeframes.DefaultReadLimit)
	s := &edgeSocket{conn}
	if err := s.write(l.ctx, attach); err != nil {
		return nil, errors.Join(err, conn.CloseNow())
	}
	return s, nil
}

func (s *edgeSocket) write(ctx context.Context, f edgeframes.Frame) error {
	text, err := edgeframes.Encode(f)
	if err != nil {
		return err
	}
	return s.conn.Write(ctx, websocket.MessageText, text)
}

func (s *edgeSocket) read(ctx context.Context) (edgeframes.Frame, error) {
	_, text, err := s.conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	return edgeframes.ParseKnown(text, superjson.Limits{MaxBytes: edgeframes.DefaultReadLimit})
}

// edgeReader reads a room's messages and events by cursors.
type edgeReader struct {
	agent, token     string
	room             string
	messages, events *cursor
	*wire
}

func (w *world) newEdgeReader(client, agent, token, room string) *edgeReader {
	return &edgeReader{
		agent: agent, token: token, room: room,
		messages: w.newCursor(client, onEdge, chaos.Turns, room),
		events:   w.newCursor(client, onEdge, chaos.Versions, room),
	}
}

func (r *edgeReader) cursors() []*cursor { return []*cursor{r.messages, r.events} }

// connect returns once the server has said hello, which is after everything that the reader had missed.
func (r *edgeReader) connect(l *life) error {
	attach := edgeframes.Attach{
		Token: r.token, Subscribe: []edgeframes.Stream{edgeframes.StreamMessages, edgeframes.StreamEvents},
	}
	messages, resumed := r.messages.open()
	events, _ := r.events.open()
	if resumed {
		attach.Cursors = map[edgeframes.Stream]uint64{edgeframes.StreamMessages: messages, edgeframes.StreamEvents: events}
	}
	socket, err := dialEdge(l, r.agent, r.room, attach)
	if err != nil {
		return err
	}
	for greeted := false; !greeted; {
		frame, err := socket.read(l.ctx)
		if err == nil {
			greeted, err = r.take(frame)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("before hello: %w", err), socket.conn.CloseNow())
		}
	}
	r.wire = follow(l, func() bool {
		frame, err := socket.read(l.ctx)
		if err != nil {
			return false
		}
		if _, err := r.take(frame); err != nil && !l.ending.Load() {
			l.world.faults.add("%s: %v", r.messages.client, err)
		}
		return true
	}, func() { _ = socket.conn.CloseNow() })
	return nil
}

func (r *edgeReader) take(frame edgeframes.Frame) (hello bool, err error) {
	switch f := frame.(type) {
	case edgeframes.Hello:
		return true, nil
	case edgeframes.Error:
		return false, f
	case edgeframes.Messages:
		for _, m := range append(f.Snapshot, f.Appended...) {
			r.messages.got(r.room, m.Seq, m.Content)
		}
	case edgeframes.EventFrame:
		r.events.got(r.room, f.Seq, textOf(f))
	}
	return false, nil
}

// textOf is the text of a message's event.
func textOf(f edgeframes.EventFrame) string {
	payload, ok := f.Payload.(*superjson.Object)
	if !ok {
		return ""
	}
	text, _ := payload.Get("text")
	mark, _ := text.(superjson.String)
	return string(mark)
}

// edgeWriter posts to a room by calls, one at a time.
type edgeWriter struct {
	*sender
	agent  switchAgent
	socket *edgeSocket
}

func (w *world) newEdgeWriter(a switchAgent, room string) *edgeWriter {
	return &edgeWriter{sender: w.newSender(a.name, onEdge, room), agent: a}
}

func (s *edgeWriter) connect(l *life) (err error) {
	s.socket, err = dialEdge(l, s.agent.name, s.room, edgeframes.Attach{
		Token: s.agent.key, Subscribe: []edgeframes.Stream{},
	})
	if err != nil {
		return err
	}
	socket := s.socket
	l.work.Go(func() {
		<-l.ctx.Done()
		_ = socket.conn.CloseNow()
	})
	return nil
}

func (s *edgeWriter) write(l *life) bool {
	return s.say(l, s.room, s.call) != chaos.Unknown
}

func (s *edgeWriter) call(ctx context.Context, m message) (receipt, error) {
	call := edgeframes.Call{
		ID: m.mark, Method: "post_message",
		Args: []superjson.Value{superjson.NewObject(superjson.Member{Key: "body", Value: superjson.String(m.mark)})},
	}
	if err := s.socket.write(ctx, call); err != nil {
		return receipt{}, err
	}
	for {
		frame, err := s.socket.read(ctx)
		if err != nil {
			return receipt{}, err
		}
		switch f := frame.(type) {
		case edgeframes.Result:
			if f.ID == m.mark {
				return receipt{}, nil
			}
		case edgeframes.Error:
			return receipt{}, f
		}
	}
}
