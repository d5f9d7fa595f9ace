package turns

import (
	"context"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// news collects what a speaker is told: turns and texts.
type news struct {
	mu    sync.Mutex
	texts []string
	turns chan struct{}
	ended chan struct{}
	once  sync.Once
}

func newNews() *news { return &news{turns: make(chan struct{}, 1000), ended: make(chan struct{})} }

func (n *news) text(s string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, s)
}

func (n *news) end() { n.once.Do(func() { close(n.ended) }) }

func (n *news) heard() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.texts...)
}

func (n *news) await(w *world) bool {
	select {
	case <-n.turns:
		return true
	case <-n.ended:
		return false
	case <-w.ctx.Done():
		require.FailNow(w.t, "was never told")
		return false
	}
}

// switchSpeaker knows events and operations. A message that is addressed to it, or an arrival that it listens for, tells it
// that it may speak.
type switchSpeaker struct {
	*news
	w       *world
	agent   agent
	session *agentswitch.Session
	work    sync.WaitGroup
}

func newSwitchSpeaker(w *world, a agent) speaker {
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, AgentID: a.id, APIKey: a.key})
	require.NoError(w.t, err)
	s := &switchSpeaker{news: newNews(), w: w, agent: a}
	s.session, err = client.Connect(w.ctx, agentswitch.StreamOptions{})
	require.NoError(w.t, err)
	s.work.Go(func() {
		for frame := range s.session.Frames(w.ctx) {
			if event, ok := frame.(agentswitch.Event); ok {
				s.take(event)
			}
		}
	})
	return s
}

func (s *switchSpeaker) take(event agentswitch.Event) {
	switch p := event.Payload.(type) {
	case agentswitch.RoomJoin:
		if p.Listening {
			s.turns <- struct{}{}
		}
	case agentswitch.Message:
		if p.Sender == "system" {
			s.end()
			return
		}
		s.text(p.Body)
		if p.Addressed {
			s.turns <- struct{}{}
		}
	}
}

func (s *switchSpeaker) call(op string, args map[string]any, result any) error {
	return s.session.Call(s.w.ctx, op, args, result)
}

func (s *switchSpeaker) who() agent { return s.agent }

func (s *switchSpeaker) create(topic string, maxTurns int) listing {
	return create(s.w, s.call, topic, maxTurns)
}

func (s *switchSpeaker) find(topic string) string { return find(s.w, s.call, topic) }

func (s *switchSpeaker) connect(id string) string { return connect(s.w, s.call, id) }

func (s *switchSpeaker) enter(room string) {
	_, err := s.session.ConnectToRoom(s.w.ctx, room)
	require.NoError(s.w.t, err)
}

func (s *switchSpeaker) say(text string) error {
	_, err := s.session.PostMessage(s.w.ctx, text, "")
	return err
}

func (s *switchSpeaker) blurt(text string) error { return s.say(text) }

func (s *switchSpeaker) leave() {
	s.session.Close()
	s.work.Wait()
}

// caller is a door that offers operations.
type caller func(op string, args map[string]any, result any) error

func create(w *world, call caller, topic string, maxTurns int) (l listing) {
	require.NoError(w.t, call("create_listing", map[string]any{"topic": topic, "tags": []string{"Tea"}, "max_turns": maxTurns}, &l))
	return l
}

func find(w *world, call caller, topic string) string {
	var found struct {
		Items []struct {
			ID    string `json:"id"`
			Topic string `json:"topic"`
		} `json:"items"`
	}
	require.NoError(w.t, call("search_listings", map[string]any{"q": topic}, &found))
	require.Len(w.t, found.Items, 1)
	require.Equal(w.t, topic, found.Items[0].Topic)
	return found.Items[0].ID
}

func connect(w *world, call caller, id string) string {
	var c struct {
		RoomID string `json:"room_id"`
	}
	require.NoError(w.t, call("connect_to_listing", map[string]any{"listing_id": id}, &c))
	return c.RoomID
}

// edgeSpeaker opens a socket of its own for what concerns no room, and one at the room. The room's state tells it that it may
// speak.
type edgeSpeaker struct {
	*news
	w         *world
	agent     agent
	lobby, at *edgeframes.Client
	work      sync.WaitGroup
	stop      context.CancelFunc
	lastTurn  int
}

func newEdgeSpeaker(w *world, a agent) speaker {
	s := &edgeSpeaker{news: newNews(), w: w, agent: a, lastTurn: -1}
	s.lobby = s.dial("lobby")
	s.lobby.Start(w.ctx)
	return s
}

func (s *edgeSpeaker) dial(conversation string) *edgeframes.Client {
	c, err := edgeframes.NewClient(
		"ws"+strings.TrimPrefix(s.w.url, "http")+"/agents/"+s.agent.id+"/"+conversation,
		edgeframes.ClientOptions{Token: s.agent.key, Resume: true})
	require.NoError(s.w.t, err)
	return c
}

func (s *edgeSpeaker) who() agent { return s.agent }

func callAt(w *world, c *edgeframes.Client) caller {
	return func(op string, args map[string]any, result any) error {
		v, err := c.Call(w.ctx, op, args)
		if err != nil || result == nil {
			return err
		}
		return strictjson.Unmarshal(superjson.AppendJSON(nil, v), result)
	}
}

func (s *edgeSpeaker) create(topic string, maxTurns int) listing {
	return create(s.w, callAt(s.w, s.lobby), topic, maxTurns)
}

func (s *edgeSpeaker) find(topic string) string { return find(s.w, callAt(s.w, s.lobby), topic) }

func (s *edgeSpeaker) connect(id string) string { return connect(s.w, callAt(s.w, s.lobby), id) }

func (s *edgeSpeaker) enter(room string) {
	s.at = s.dial(room)
	ctx, cancel := context.WithCancel(s.w.ctx)
	s.stop = cancel
	s.work.Go(func() {
		for state := range s.at.State(ctx) {
			s.look(state)
		}
	})
	s.work.Go(func() {
		for update, err := range s.at.Messages(ctx) {
			if err != nil {
				return
			}
			for _, m := range update.Messages {
				if m.Role == edgeframes.RoleUser {
					s.text(m.Content)
				}
			}
		}
	})
	s.at.Start(s.w.ctx)
	require.NoError(s.w.t, s.at.Ready(s.w.ctx))
}

// look reads the room's state. A turn is told of once.
func (s *edgeSpeaker) look(state *superjson.Object) {
	var room struct {
		State     string `json:"state"`
		Turn      int    `json:"turn"`
		NextActor string `json:"next_actor"`
	}
	if strictjson.Unmarshal(superjson.AppendJSON(nil, state), &room) != nil {
		return
	}
	switch {
	case room.State == "CLOSED":
		s.end()
	case room.State == "ACTIVE" && room.NextActor == s.agent.id && room.Turn > s.lastTurn:
		s.lastTurn = room.Turn
		s.turns <- struct{}{}
	}
}

func (s *edgeSpeaker) await() bool { return s.news.await(s.w) }

func (s *switchSpeaker) await() bool { return s.news.await(s.w) }

func (s *edgeSpeaker) say(text string) error {
	_, err := s.at.Call(s.w.ctx, "post_message", text)
	return err
}

func (s *edgeSpeaker) blurt(text string) error { return s.say(text) }

func (s *edgeSpeaker) leave() {
	s.lobby.Close()
	if s.at != nil {
		s.at.Close()
		s.stop()
	}
	s.work.Wait()
}
