package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"stele/areyouai"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	agentswitch "stele/switch"
)

// cast is the three clients: Ada speaks the Switch agent protocol, Bert areyouai, Cleo the edge agent socket.
type cast struct {
	book *book
	base string

	ada    *agentswitch.Client
	adaID  string
	adaKey string
	bert   *areyouai.Client
	// bertHandle is what the others call Bert. At his door names need not be unique, so a folder that knows a Bert from an
	// earlier demo makes this one bert-2.
	bertHandle string
	cleo       *edgeframes.Client
	cleoKey    string

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// assemble registers the three, each at the door it will use; Cleo takes a key from the Switch door, which works at the
// edge as well. At that door a name is unique, so Ada and Cleo take the place of those of an earlier demo.
func assemble(ctx context.Context, g *gateway) (*cast, error) {
	c := &cast{book: newBook(), base: g.url}
	c.ctx, c.cancel = context.WithCancel(ctx)
	anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: g.url})
	if err != nil {
		return nil, err
	}
	ada, err := anyone.Register(ctx, g.token, agentswitch.RegisterRequest{
		AgentType: "claude-code", Name: "ada", Description: "speaks the Switch agent protocol", Overwrite: true,
	})
	if err != nil {
		return nil, fmt.Errorf("register ada: %w", err)
	}
	c.adaID, c.adaKey = ada.ID, ada.APIKey
	cleo, err := anyone.Register(ctx, g.token, agentswitch.RegisterRequest{
		AgentType: "codex", Name: "cleo", Description: "speaks the edge agent socket", Overwrite: true,
	})
	if err != nil {
		return nil, fmt.Errorf("register cleo: %w", err)
	}
	c.cleoKey = cleo.APIKey
	if c.bert, err = areyouai.NewClient(g.url, areyouai.ClientOptions{HTTP: c.watching(onAreyouai)}); err != nil {
		return nil, err
	}
	bert, err := c.bert.Register(ctx, "bert")
	if err != nil {
		return nil, fmt.Errorf("register bert: %w", err)
	}
	registered, ok := g.node.Agent(bert.AgentID)
	if !ok {
		return nil, fmt.Errorf("the directory does not know bert, registered as %s", bert.AgentID)
	}
	c.bertHandle = registered.Handle
	c.ada, err = agentswitch.NewClient(agentswitch.Options{
		BaseURL: g.url, AgentID: c.adaID, APIKey: c.adaKey, HTTPClient: c.watching(onSwitch),
	})
	return c, err
}

// leave ends all streams.
func (c *cast) leave() {
	c.hangUp()
	c.cancel()
	c.work.Wait()
}

// hangUp ends Cleo's socket, if there is one.
func (c *cast) hangUp() {
	if c.cleo != nil {
		c.cleo.Close()
		c.cleo = nil
	}
}

// watching returns an HTTP client that shows what it sends to the book.
func (c *cast) watching(script string) *http.Client {
	return &http.Client{Transport: &wiretap{script: script, book: c.book, next: http.DefaultTransport}}
}

// adaListens follows a room over server-sent events; ready is closed when the stream is open.
func (c *cast) adaListens(room string, ready chan<- struct{}) {
	c.ada = c.ada.WithConnection("ada-" + room)
	var raw string
	var once sync.Once
	opts := agentswitch.StreamOptions{
		ConnectionID: "ada-" + room, Rooms: []string{room},
		OnRaw: func(frame []byte) { raw = string(frame) },
	}
	c.work.Go(func() {
		for frame, err := range c.ada.Events(c.ctx, opts) {
			if err != nil {
				continue
			}
			switch f := frame.(type) {
			case agentswitch.ConnectionState:
				once.Do(func() { close(ready) })
			case agentswitch.Event:
				if m, ok := f.Payload.(agentswitch.Message); ok {
					c.book.received(onSwitch, m.Body, raw)
				}
			}
		}
	})
}

// bertListens follows a room's events from the beginning.
func (c *cast) bertListens(room string) {
	var raw string
	opts := areyouai.EventsOptions{OnRaw: func(frame []byte) { raw = string(frame) }}
	c.work.Go(func() {
		for event, err := range c.bert.Events(c.ctx, room, opts) {
			if err != nil {
				return
			}
			if event.Type == areyouai.EventMessageCreated {
				c.book.received(onAreyouai, event.Ciphertext, raw)
			}
		}
	})
}

// cleoAttaches opens the socket of a conversation and waits until it is ready.
func (c *cast) cleoAttaches(ctx context.Context, agent, conversation, token string) error {
	address := "ws" + strings.TrimPrefix(c.base, "http") + "/agents/" + url.PathEscape(agent) + "/" + url.PathEscape(conversation)
	client, err := edgeframes.Dial(c.ctx, address, edgeframes.ClientOptions{
		Token: token, Resume: true, OnRaw: c.cleoSees,
	})
	if err != nil {
		return err
	}
	c.cleo = client
	return client.Ready(ctx)
}

func (c *cast) cleoSees(direction edgeframes.Direction, text []byte) {
	if direction == edgeframes.Sent {
		return
	}
	frame, err := edgeframes.ParseKnown(text, superjson.Limits{})
	if err != nil {
		return
	}
	if m, ok := frame.(edgeframes.Messages); ok {
		for _, item := range append(m.Snapshot, m.Appended...) {
			c.book.received(onEdge, item.Content, string(text))
		}
	}
}
