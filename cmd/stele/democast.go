package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"stele/areyouai"
	agentswitch "stele/switch"
)

// cast is the three people with their clients: Ada speaks the Switch agent protocol, Bert areyouai, Cleo the edge agent
// socket, until she changes to areyouai and later back.
type cast struct {
	book *book
	show show
	base string

	ada    *agentswitch.Client
	adaTap *wiretap
	adaKey string
	bert   *areyouai.Client
	// bertTap listens to Bert's calls.
	bertTap *wiretap
	// bertHandle is what the others call Bert. At his door names need not be unique, so a folder that knows a Bert from an
	// earlier demo makes this one bert-2.
	bertHandle string
	cleoKey    string
	// cleo is her socket and what came over it, nil while she has none.
	cleo *socket
	// away are the people who have no client just now. What is said meanwhile is due to them all the same.
	away []string

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// assemble registers the three, each at the door it will use; Cleo takes a key from the Switch door, which works at the
// others as well. At that door a name is unique, so Ada and Cleo take the place of those of an earlier demo.
func assemble(ctx context.Context, g *gateway, tell show) (*cast, error) {
	c := &cast{book: newBook(), show: tell, base: g.url}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.adaTap, c.bertTap = newWiretap(c.book), newWiretap(c.book)
	anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: g.url})
	if err != nil {
		return nil, err
	}
	registered, err := anyone.Register(ctx, g.token, agentswitch.RegisterRequest{
		AgentType: "claude-code", Name: "ada", Description: "speaks the Switch agent protocol", Overwrite: true,
	})
	if err != nil {
		return nil, fmt.Errorf("register ada: %w", err)
	}
	c.adaKey = registered.APIKey
	if c.ada, err = agentswitch.NewClient(agentswitch.Options{
		BaseURL: g.url, AgentID: registered.ID, APIKey: c.adaKey, HTTPClient: c.adaTap.client(),
	}); err != nil {
		return nil, err
	}
	if registered, err = anyone.Register(ctx, g.token, agentswitch.RegisterRequest{
		AgentType: "codex", Name: "cleo", Description: "speaks the edge agent socket", Overwrite: true,
	}); err != nil {
		return nil, fmt.Errorf("register cleo: %w", err)
	}
	c.cleoKey = registered.APIKey
	return c, c.registerBert(ctx, g)
}

func (c *cast) registerBert(ctx context.Context, g *gateway) (err error) {
	if c.bert, err = areyouai.NewClient(g.url, areyouai.ClientOptions{HTTP: c.bertTap.client()}); err != nil {
		return err
	}
	bert, err := c.bert.Register(ctx, "bert")
	if err != nil {
		return fmt.Errorf("register bert: %w", err)
	}
	known, ok := g.node.Agent(bert.AgentID)
	if !ok {
		return fmt.Errorf("the directory does not know bert, registered as %s", bert.AgentID)
	}
	c.bertHandle = known.Handle
	return nil
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
		c.cleo.client.Close()
		c.cleo = nil
	}
}

// adaListens follows a room over server-sent events, from when it returns.
func (c *cast) adaListens(ctx context.Context, room string) error {
	c.ada = c.ada.WithConnection("ada-" + room)
	var raw string
	var once sync.Once
	ready := make(chan struct{})
	opts := agentswitch.StreamOptions{
		ConnectionID: "ada-" + room, Rooms: []string{room},
		OnRaw: func(frame []byte) { raw = string(frame) },
	}
	events := c.ada.Events(c.ctx, opts)
	c.work.Go(func() {
		for frame, err := range events {
			if err != nil {
				continue
			}
			switch f := frame.(type) {
			case agentswitch.ConnectionState:
				once.Do(func() { close(ready) })
			case agentswitch.Event:
				if m, ok := f.Payload.(agentswitch.Message); ok {
					c.book.received(ada, onSwitch, m.Body, raw)
				}
			}
		}
	})
	return within(ctx, ready)
}

// within waits until something is ready.
func within(ctx context.Context, ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listens follows a room over areyouai for somebody, from behind an event, and returns when the next one has come. There
// must be one. The stream ends with the context of the cast or with stop.
func (c *cast) listens(ctx context.Context, person string, client *areyouai.Client, room string, since uint64) (stop func(), err error) {
	var raw string
	var once sync.Once
	ready := make(chan struct{})
	listening, stop := context.WithCancel(c.ctx)
	opts := areyouai.EventsOptions{Since: int64(since), OnRaw: func(frame []byte) { raw = string(frame) }}
	c.work.Go(func() {
		for event, err := range client.Events(listening, room, opts) {
			if err != nil {
				return
			}
			once.Do(func() { close(ready) })
			if event.Type == areyouai.EventMessageCreated {
				c.book.received(person, onAreyouai, event.Ciphertext, raw)
			}
		}
	})
	return stop, within(ctx, ready)
}

// says lets somebody say something in a script, waits until everybody who is there has it, and shows it.
func (c *cast) says(ctx context.Context, speaker, script, text string, say func(context.Context, string) error) error {
	l := &line{speaker: speaker, script: script, text: text}
	var there []string
	for _, person := range demoPeople {
		// The Switch protocol does not bring a message back to its sender.
		if person == speaker && script == onSwitch {
			continue
		}
		l.due = append(l.due, person)
		if !slices.Contains(c.away, person) {
			there = append(there, person)
		}
	}
	c.book.expect(l)
	if err := say(ctx, text); err != nil {
		return fmt.Errorf("%s says %q: %w", speaker, text, err)
	}
	if err := c.book.await(ctx, text, there); err != nil {
		return fmt.Errorf("waiting for %q: %w", text, err)
	}
	c.show(c.book.shown(text))
	return nil
}

func (c *cast) adaSays(ctx context.Context, text string) error {
	return c.says(ctx, ada, onSwitch, text, func(ctx context.Context, text string) error {
		_, err := c.ada.PostMessage(ctx, text, "")
		return err
	})
}

func (c *cast) bertSays(ctx context.Context, room, text string) error {
	return c.says(ctx, bert, onAreyouai, text, speaking(c.bert, room))
}

func (c *cast) cleoSays(ctx context.Context, text string) error {
	return c.says(ctx, cleo, onEdge, text, func(ctx context.Context, text string) error {
		_, err := c.cleo.client.Call(ctx, methodPostMessage, text)
		return err
	})
}

// speaking posts to a room as areyouai has it: under the turn and the hash of the context just read.
func speaking(client *areyouai.Client, room string) func(context.Context, string) error {
	return func(ctx context.Context, text string) error {
		now, err := client.Context(ctx, room)
		if err != nil {
			return err
		}
		_, err = client.Send(ctx, room, areyouai.SendRequest{
			ExpectedTurn: now.NextTurn, Ciphertext: text, BundleHash: now.BundleHash,
		})
		return err
	}
}
