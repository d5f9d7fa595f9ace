package translation_test

import (
	"context"
	"sync"
	"time"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
	"stele/tests/translation"
)

// edgeSide is a client of the edge socket, which the package's client keeps through all failures. Its messages and its events
// are two views of one connection.
type edgeSide struct {
	client           *edgeframes.Client
	messages, events *reading
	cancel           context.CancelFunc
	work             sync.WaitGroup
}

func enterEdge(p *participant, from translation.Numbers) (side, error) {
	// Without cursors the first connection is told everything.
	var cursors map[edgeframes.Stream]uint64
	if from.Version > 0 {
		cursors = map[edgeframes.Stream]uint64{edgeframes.StreamMessages: from.Turn, edgeframes.StreamEvents: from.Version}
	}
	client, err := edgeframes.NewClient("ws://"+host+"/agents/"+p.id+"/"+p.room, edgeframes.ClientOptions{
		Token: p.key, Resume: true, Cursors: cursors, HTTPClient: p.world.frail,
		BackoffMin: 5 * time.Millisecond, BackoffMax: 200 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(p.world.ctx)
	s := &edgeSide{
		client: client, cancel: cancel,
		messages: newReading(translation.EdgeMessages, from), events: newReading(translation.EdgeEvents, from),
	}
	events := client.Events(ctx, 0)
	s.work.Go(func() {
		for ev, err := range events {
			if err != nil {
				p.fault("can follow the events no longer: %v", err)
				return
			}
			s.events.add(ev.Seq, edgeSays(ev))
		}
	})
	s.work.Go(func() {
		for update, err := range client.Messages(ctx) {
			if err != nil {
				p.fault("can follow the messages no longer: %v", err)
				return
			}
			s.take(update)
		}
	})
	client.Start(ctx)
	return s, nil
}

// take adds messages. A snapshot holds what is there already.
func (s *edgeSide) take(update edgeframes.MessagesUpdate) {
	for _, m := range update.Messages {
		if at, _ := s.messages.cursor(); m.Seq > at || !update.Snapshot {
			s.messages.add(m.Seq, translation.EdgeMessage(string(m.Role), m.Name, m.Content))
		}
	}
}

func edgeSays(ev edgeframes.EventFrame) string {
	var p struct {
		ID     string `json:"id"`
		Sender string `json:"sender"`
		Text   string `json:"text"`
		Agent  string `json:"agent"`
		Actor  string `json:"actor"`
	}
	if _, ok := ev.Payload.(*superjson.Object); ok {
		// What is no object of these fields shows as a line that differs.
		_ = strictjson.Unmarshal(superjson.AppendJSON(nil, ev.Payload), &p)
	}
	if p.ID != "" && p.Text != "" {
		return translation.EdgeEvent(ev.Type, p.ID, p.Sender, p.Text)
	}
	return translation.EdgeEvent(ev.Type, p.Agent+p.Actor)
}

func (s *edgeSide) say(ctx context.Context, _, text string) error {
	if err := s.client.Ready(ctx); err != nil {
		return err
	}
	_, err := s.client.Call(ctx, "post_message", text)
	return err
}

func (s *edgeSide) call(ctx context.Context, _, op string, args map[string]any, result any) error {
	if err := s.client.Ready(ctx); err != nil {
		return err
	}
	v, err := s.client.Call(ctx, op, args)
	if err != nil || result == nil {
		return err
	}
	return strictjson.Unmarshal(superjson.AppendJSON(nil, v), result)
}

// state is the shared state as the client has it, each value as JSON.
func (s *edgeSide) state(ctx context.Context) map[string]string {
	out := map[string]string{}
	for state := range s.client.State(ctx) {
		for key, v := range state.All() {
			out[key] = string(superjson.AppendJSON(nil, v))
		}
		break
	}
	return out
}

// keyed: a call has no idempotency key, so one whose answer was lost stays unknown.
func (s *edgeSide) keyed() bool { return false }

func (s *edgeSide) readings() []*reading { return []*reading{s.messages, s.events} }

func (s *edgeSide) stop() {
	s.client.Close()
	s.cancel()
	s.work.Wait()
}
