package main

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// methodPostMessage is what a socket calls to speak.
const methodPostMessage = "post_message"

// socket is Cleo's edge client with what came over it.
type socket struct {
	client *edgeframes.Client
	book   *book

	mu sync.Mutex
	// messages is the seq of the last message seen, her cursor.
	messages uint64
	// states are the frames that told the room's state, oldest first.
	states  []string
	changed chan struct{}
}

// cleoAttaches opens the socket of a conversation and waits until it has the room's state.
func (c *cast) cleoAttaches(ctx context.Context, agent, conversation, token string) error {
	address := "ws" + strings.TrimPrefix(c.base, "http") + "/agents/" + url.PathEscape(agent) + "/" + url.PathEscape(conversation)
	s := &socket{book: c.book, changed: make(chan struct{})}
	client, err := edgeframes.NewClient(address, edgeframes.ClientOptions{Token: token, Resume: true, OnRaw: s.see})
	if err != nil {
		return err
	}
	s.client, c.cleo = client, s
	client.Start(c.ctx)
	if err := client.Ready(ctx); err != nil {
		return err
	}
	_, err = s.state(ctx, `"snapshot"`)
	return err
}

// see is told of every frame, in both directions.
func (s *socket) see(direction edgeframes.Direction, text []byte) {
	frame, err := edgeframes.ParseKnown(text, superjson.Limits{})
	if err != nil {
		return
	}
	switch f := frame.(type) {
	case edgeframes.Call:
		if direction == edgeframes.Sent && f.Method == methodPostMessage && len(f.Args) > 0 {
			said, _ := f.Args[0].(superjson.String)
			s.book.sent(string(said), string(text))
		}
	case edgeframes.Messages:
		for _, m := range slices.Concat(f.Snapshot, f.Appended) {
			s.book.received(cleo, onEdge, m.Content, string(text))
			s.mu.Lock()
			s.messages = m.Seq
			s.mu.Unlock()
		}
	case edgeframes.State:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.states = append(s.states, string(text))
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// state waits for a frame of the room's state that contains a text.
func (s *socket) state(ctx context.Context, text string) (string, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		at := slices.IndexFunc(s.states, func(frame string) bool { return strings.Contains(frame, text) })
		var found string
		if at >= 0 {
			found = s.states[at]
		}
		s.mu.Unlock()
		if found != "" {
			return found, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// seen is the cursor of the last message that came over the socket.
func (s *socket) seen() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages
}
