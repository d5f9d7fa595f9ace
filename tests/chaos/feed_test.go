package chaos_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/coder/websocket"

	"stele/areyouai"
	"stele/edgeframes"
	"stele/internal/sse"
	agentswitch "stele/switch"
)

// feed is a connection that brings the messages of a room as they are on the wire.
type feed struct {
	next  func() ([]byte, error)
	close func()
}

// feedsOf are the ways to follow the room of a local gateway; i tells the readers apart.
func feedsOf(g *local) map[string]func(l *life, i int) (*feed, error) {
	return map[string]func(l *life, i int) (*feed, error){
		onSwitch: func(l *life, i int) (*feed, error) {
			path := "/agents/" + g.listener(i).id + "/events?scope=all&connection_id=" + strconv.Itoa(i)
			return openSSE(l, path, g.listener(i).key, string(agentswitch.TypeMessage), agentswitch.FrameConnectionState)
		},
		onAreyouai: func(l *life, _ int) (*feed, error) {
			path := areyouai.Path(areyouai.PathRoomEvents, g.room)
			return openSSE(l, path, g.session, string(areyouai.EventMessageCreated), string(areyouai.EventRoomCreated))
		},
		onEdge: func(l *life, _ int) (*feed, error) {
			return openSocket(l, g.listener(0), g.room)
		},
	}
}

// openSSE opens a stream of server-sent events and waits for a first event. Its feed is the events of one name.
func openSSE(l *life, path, token, name, first string) (*feed, error) {
	req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, l.proc.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := l.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return nil, errors.Join(fmt.Errorf("%s: %s", resp.Status, text), resp.Body.Close())
	}
	reader := sse.NewReader(resp.Body, 0)
	await := func(name string) ([]byte, error) {
		for {
			ev, err := reader.Next()
			if err != nil || ev.Event == name {
				return ev.Data, err
			}
		}
	}
	f := &feed{next: func() ([]byte, error) { return await(name) }, close: func() { _ = resp.Body.Close() }}
	if _, err := await(first); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// openSocket opens an edge socket and waits for hello. Its feed is the frames of appended messages.
func openSocket(l *life, a switchAgent, room string) (*feed, error) {
	socket, err := dialEdge(l, a.name, room, edgeframes.Attach{
		Token: a.key, Subscribe: []edgeframes.Stream{edgeframes.StreamMessages},
	})
	if err != nil {
		return nil, err
	}
	await := func(part string) ([]byte, error) {
		for {
			typ, text, err := socket.conn.Read(l.ctx)
			if err != nil || typ == websocket.MessageText && bytes.Contains(text, []byte(part)) {
				return text, err
			}
		}
	}
	f := &feed{
		next:  func() ([]byte, error) { return await(`"appended"`) },
		close: func() { _ = socket.conn.CloseNow() },
	}
	if _, err := await(`"hello"`); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// readAll reads the numbered messages to the last one and makes sure that each comes once and in its place.
func (f *feed) readAll(count int) error {
	for i := range count {
		data, err := f.next()
		if err != nil {
			return fmt.Errorf("after %d messages: %w", i, err)
		}
		if !bytes.Contains(data, fmt.Appendf(nil, "number %d.", i)) {
			return fmt.Errorf("message %d is %.80q", i, data)
		}
	}
	return nil
}
