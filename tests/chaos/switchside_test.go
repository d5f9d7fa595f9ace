package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	agentswitch "stele/switch"
	"stele/tests/chaos"
)

const onSwitch = "switch"

// switchAgent is an agent that was registered at the Switch door. Its key works at every door.
type switchAgent struct{ name, id, key string }

func (a switchAgent) client(l *life) (*agentswitch.Client, error) {
	return agentswitch.NewClient(agentswitch.Options{BaseURL: l.proc.url, AgentID: a.id, APIKey: a.key, HTTPClient: l.http})
}

func (w *world) registerSwitch(l *life, name string) (switchAgent, error) {
	anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: l.proc.url, HTTPClient: l.http})
	if err != nil {
		return switchAgent{}, err
	}
	made, err := anyone.Register(l.ctx, registrationToken, agentswitch.RegisterRequest{
		AgentType: "codex", Name: name, Description: "takes part in a test",
	})
	return switchAgent{name: name, id: made.ID, key: made.APIKey}, err
}

// switchStream is an open stream and the beats for it.
type switchStream struct {
	*agentswitch.Stream
	stop context.CancelFunc
}

func (s *switchStream) close() {
	s.stop()
	_ = s.Close()
}

// openSwitch opens a stream, sees it stand, and beats for it until it is closed.
func openSwitch(l *life, a switchAgent, opts agentswitch.StreamOptions) (*switchStream, error) {
	client, err := a.client(l)
	if err != nil {
		return nil, err
	}
	stream, err := client.Open(l.ctx, opts)
	if err != nil {
		return nil, err
	}
	frame, err := stream.Next()
	if _, ok := frame.(agentswitch.ConnectionState); !ok || err != nil {
		return nil, errors.Join(fmt.Errorf("the stream of %s began with %T", a.name, frame), err, stream.Close())
	}
	ctx, stop := context.WithCancel(l.ctx)
	l.work.Go(func() { beat(ctx, client, opts.ConnectionID) })
	return &switchStream{stream, stop}, nil
}

func beat(ctx context.Context, client *agentswitch.Client, connection string) {
	every := time.NewTicker(agentswitch.HeartbeatInterval)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			// A beat that fails shows in its stream.
			_, _ = client.Beat(ctx, agentswitch.BeatRequest{ConnectionID: connection})
		case <-ctx.Done():
			return
		}
	}
}

// switchReader reads an agent's rooms by Last-Event-ID.
type switchReader struct {
	agent  switchAgent
	opts   agentswitch.StreamOptions
	cursor *cursor
	*wire
}

func (w *world) newSwitchReader(client string, a switchAgent, scope agentswitch.Scope, rooms ...string) *switchReader {
	r := &switchReader{
		agent: a, opts: agentswitch.StreamOptions{ConnectionID: client, Scope: scope},
		cursor: w.newCursor(client, onSwitch, chaos.Positions, rooms...),
	}
	if scope == agentswitch.ScopeSingle {
		r.opts.Rooms = rooms
	}
	return r
}

func (r *switchReader) cursors() []*cursor { return []*cursor{r.cursor} }

func (r *switchReader) connect(l *life) error {
	number, _ := r.cursor.open()
	opts := r.opts
	opts.After = &number
	stream, err := openSwitch(l, r.agent, opts)
	if err != nil {
		return err
	}
	r.wire = follow(l, func() bool { return r.take(l, stream) }, stream.close)
	return nil
}

func (r *switchReader) take(l *life, stream *switchStream) bool {
	frame, err := stream.Next()
	if err != nil {
		return false
	}
	switch f := frame.(type) {
	case agentswitch.Event:
		mark := ""
		if m, ok := f.Payload.(agentswitch.Message); ok && m.Sender != "system" {
			mark = m.Body
		}
		r.cursor.got(f.RoomID, f.Sequence, mark)
	case agentswitch.Gap:
		r.cursor.missed(f.ResumedAt)
	case agentswitch.Evicted:
		if !l.ending.Load() {
			l.world.faults.add("%s was evicted: %s", r.agent.name, f.Reason)
		}
	}
	return true
}

// switchWriter posts to a room through a connection that has claimed it.
type switchWriter struct {
	*sender
	agent  switchAgent
	client *agentswitch.Client
}

func (w *world) newSwitchWriter(a switchAgent, room string) *switchWriter {
	return &switchWriter{sender: w.newSender(a.name, onSwitch, room), agent: a}
}

func (s *switchWriter) connect(l *life) error {
	id := "writer-" + s.agent.name
	opts := agentswitch.StreamOptions{ConnectionID: id}
	if s.room != "" {
		opts.Rooms = []string{s.room}
	}
	stream, err := openSwitch(l, s.agent, opts)
	if err != nil {
		return err
	}
	follow(l, func() bool {
		_, err := stream.Next()
		return err == nil
	}, stream.close)
	client, err := s.agent.client(l)
	s.client = client.WithConnection(id)
	return err
}

// write posts; nobody refuses that unless the connection has lapsed, which happens when the machine stands still.
func (s *switchWriter) write(l *life) bool {
	switch s.say(l, s.room, s.post) {
	case chaos.Unknown:
		return false
	case chaos.Failed:
		return s.connect(l) == nil
	}
	return true
}

func (s *switchWriter) post(ctx context.Context, m message) (receipt, error) {
	id, err := s.client.PostMessage(ctx, m.mark, "")
	return receipt{answer: id}, err
}
