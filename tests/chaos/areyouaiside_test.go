package chaos_test

import (
	"context"
	"fmt"

	"stele/areyouai"
	"stele/tests/chaos"
)

const onAreyouai = "areyouai"

// areyouaiAgent speaks areyouai. It logs in once, so its session has to outlive every run of the gateway.
type areyouaiAgent struct{ name, id, key, session string }

func (w *world) registerAreyouai(l *life, name string) (areyouaiAgent, error) {
	client, err := areyouai.NewClient(l.proc.url, areyouai.ClientOptions{HTTP: l.http})
	if err != nil {
		return areyouaiAgent{}, err
	}
	made, err := client.Register(l.ctx, name)
	if err != nil {
		return areyouaiAgent{}, err
	}
	login, err := client.Login(l.ctx)
	return areyouaiAgent{name: name, id: made.AgentID, key: made.APIKey, session: login.SessionToken}, err
}

// loginAreyouai lets an agent of the Switch door speak areyouai.
func (w *world) loginAreyouai(l *life, a switchAgent) (areyouaiAgent, error) {
	client, err := areyouai.NewClient(l.proc.url, areyouai.ClientOptions{HTTP: l.http, APIKey: a.key})
	if err != nil {
		return areyouaiAgent{}, err
	}
	login, err := client.Login(l.ctx)
	return areyouaiAgent{name: a.name, id: a.id, key: a.key, session: login.SessionToken}, err
}

func (a areyouaiAgent) client(l *life) (*areyouai.Client, error) {
	return areyouai.NewClient(l.proc.url, areyouai.ClientOptions{HTTP: l.http, SessionToken: a.session})
}

// areyouaiReader reads a room's events by since.
type areyouaiReader struct {
	agent  areyouaiAgent
	room   string
	cursor *cursor
	*wire
}

func (w *world) newAreyouaiReader(client string, a areyouaiAgent, room string) *areyouaiReader {
	return &areyouaiReader{agent: a, room: room, cursor: w.newCursor(client, onAreyouai, chaos.Versions, room)}
}

func (r *areyouaiReader) cursors() []*cursor { return []*cursor{r.cursor} }

func (r *areyouaiReader) connect(l *life) error {
	client, err := r.agent.client(l)
	if err != nil {
		return err
	}
	number, _ := r.cursor.open()
	stream, err := client.OpenOnce(l.ctx, r.room, areyouai.EventsOptions{Since: int64(number)})
	if err != nil {
		return fmt.Errorf("events of %s after %d: %w", r.room, number, err)
	}
	r.wire = follow(l, func() bool {
		ev, err := stream.Next()
		if err == nil {
			r.cursor.got(r.room, uint64(ev.EventID), ev.Ciphertext)
		}
		return err == nil
	}, func() { _ = stream.Close() })
	return nil
}

// areyouaiWriter posts to a room where everybody may speak, as fast as the others let it: whatever they say makes what it
// has read stale.
type areyouaiWriter struct {
	*sender
	agent  areyouaiAgent
	client *areyouai.Client
}

func (w *world) newAreyouaiWriter(a areyouaiAgent, room string) *areyouaiWriter {
	return &areyouaiWriter{sender: w.newSender(a.name, onAreyouai, room), agent: a}
}

func (s *areyouaiWriter) connect(l *life) (err error) {
	s.client, err = s.agent.client(l)
	return err
}

func (s *areyouaiWriter) write(l *life) bool {
	read, err := s.client.Context(l.ctx, s.room)
	if err != nil {
		return false
	}
	return s.say(l, s.room, s.answering(read)) != chaos.Unknown
}

// answering posts what answers a context that was read.
func (s *areyouaiWriter) answering(read areyouai.ContextReply) send {
	return func(ctx context.Context, m message) (receipt, error) {
		reply, err := s.client.Send(ctx, m.room, areyouai.SendRequest{
			ExpectedTurn: read.NextTurn, Ciphertext: m.mark, BundleHash: read.BundleHash,
		})
		return receipt{turn: uint64(reply.Turn) + 1, answer: reply.MessageID}, err
	}
}
