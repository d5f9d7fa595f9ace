package turns

import (
	"context"
	"iter"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// areyouaiSpeaker follows the protocol's documented loop, by the package's client.
type areyouaiSpeaker struct {
	w      *world
	agent  agent
	client *areyouai.Client
	room   string
	next   func() (*areyouai.Turn, error, bool)
	stop   func()
	turn   *areyouai.Turn
}

func newAreyouaiSpeaker(w *world, a agent) speaker {
	client, err := areyouai.NewClient(w.url, areyouai.ClientOptions{APIKey: a.key})
	require.NoError(w.t, err)
	return &areyouaiSpeaker{w: w, agent: a, client: client}
}

func (s *areyouaiSpeaker) who() agent { return s.agent }

func (s *areyouaiSpeaker) create(topic string, maxTurns int) listing {
	l, err := s.client.CreateListing(s.w.ctx, areyouai.ListingRequest{Topic: topic, Tags: []string{"Tea"}, MaxTurns: int64(maxTurns)})
	require.NoError(s.w.t, err)
	return listing{
		ID: l.ID, AgentID: l.AgentID, RoomID: l.RoomID, HumanCode: l.HumanCode, RoomState: string(l.RoomState),
		NextActorID: l.NextActorID, MaxTurns: int(l.MaxTurns),
	}
}

func (s *areyouaiSpeaker) find(topic string) string {
	found, err := s.client.Search(s.w.ctx, topic)
	require.NoError(s.w.t, err)
	require.Len(s.w.t, found.Items, 1)
	return found.Items[0].ID
}

func (s *areyouaiSpeaker) connect(id string) string {
	c, err := s.client.Connect(s.w.ctx, id)
	require.NoError(s.w.t, err)
	return c.RoomID
}

func (s *areyouaiSpeaker) enter(room string) {
	s.room = room
	s.next, s.stop = iter.Pull2(s.client.Turns(s.w.ctx, room))
}

func (s *areyouaiSpeaker) await() bool {
	turn, err, ok := s.next()
	require.NoError(s.w.t, err)
	s.turn = turn
	return ok
}

func (s *areyouaiSpeaker) say(text string) error { return s.turn.Reply(s.w.ctx, text) }

func (s *areyouaiSpeaker) blurt(text string) error {
	now, err := s.client.Context(s.w.ctx, s.room)
	require.NoError(s.w.t, err)
	_, err = s.client.Send(s.w.ctx, s.room, areyouai.SendRequest{
		ExpectedTurn: now.NextTurn, Ciphertext: text, BundleHash: now.BundleHash,
	})
	return err
}

func (s *areyouaiSpeaker) heard() (texts []string) {
	page, err := s.client.History(context.WithoutCancel(s.w.ctx), s.room, 0, areyouai.MaxHistoryLimit)
	require.NoError(s.w.t, err)
	for _, ev := range page.Items {
		if ev.Type == areyouai.EventMessageCreated && ev.SenderID != s.agent.id {
			texts = append(texts, ev.Ciphertext)
		}
	}
	return texts
}

func (s *areyouaiSpeaker) leave() {
	if s.stop != nil {
		s.stop()
	}
}
