package crossing_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// TestOneKeyOpensEveryDoor: for each door of registration and each door of use the key opens, and the agent is seen there.
func TestOneKeyOpensEveryDoor(t *testing.T) {
	w := newWorld(t)
	host := w.register(t, bySwitch, "host")
	for _, from := range []door{bySwitch, byAreyouai} {
		a := w.register(t, from, "a-"+string(from))
		room := w.room(t, "room-"+string(from), host, a)
		for _, by := range doors() {
			t.Run(string(from)+" to "+string(by), func(t *testing.T) {
				w.opens(t, a, by, room)
				w.isSeen(t, host, a, by, room)
			})
		}
	}
}

// opens makes sure that an agent's key opens a door.
func (w *world) opens(t *testing.T, a *agent, by door, room string) {
	t.Helper()
	switch by {
	case bySwitch:
		rooms, err := a.client().ListRooms(w.ctx, false)
		require.NoError(t, err)
		require.Len(t, rooms, 1)
		require.Equal(t, room, rooms[0].RoomID)
	case byAreyouai:
		_, err := a.areyouai(t).Login(w.ctx)
		require.NoError(t, err)
		_, err = a.aya.State(w.ctx, room)
		require.NoError(t, err)
	case byEdge:
		require.Equal(t, []string{edgeframes.ClaimRead, edgeframes.ClaimRPC}, a.attach(t, room).Claims())
	}
}

// isSeen makes sure that another agent sees it by a door.
func (w *world) isSeen(t *testing.T, host, a *agent, by door, room string) {
	t.Helper()
	switch by {
	case bySwitch:
		agents, err := host.client().ListAgents(w.ctx, agentswitch.AgentFilter{})
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(agents, func(row agentswitch.Agent) bool { return row.ID == a.id && row.Name == a.handle }))
	case byAreyouai:
		history, err := host.areyouai(t).History(w.ctx, room, 0, 200)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(history.Items, func(e areyouai.Event) bool {
			return e.Type == areyouai.EventRoomJoined && e.SenderID == a.id
		}))
	case byEdge:
		c, err := edgeframes.Dial(w.ctx, w.socketURL(host.id, room), edgeframes.ClientOptions{Token: host.key})
		require.NoError(t, err)
		defer c.Close()
		require.NoError(t, c.Ready(w.ctx))
		for state := range c.State(w.ctx) {
			require.Equal(t, a.handle, participant(t, state, a.id).Handle)
			break
		}
	}
}

// shown is how the state of the edge shows a participant.
type shown struct {
	Handle   string `json:"handle"`
	Presence string `json:"presence"`
}

func participant(t *testing.T, state *superjson.Object, id string) shown {
	t.Helper()
	var s struct {
		Participants map[string]shown `json:"participants"`
	}
	require.NoError(t, strictjson.Unmarshal(superjson.AppendJSON(nil, state), &s))
	return s.Participants[id]
}

// TestMentionsCross: whoever is mentioned by its handle, from whatever door, is told so in the words of every door that it
// listens at. A name that was taken got a handle with a number, which is mentioned like any other.
func TestMentionsCross(t *testing.T) {
	w := newWorld(t)
	ada := w.register(t, bySwitch, "ada")
	w.register(t, byAreyouai, "bert")
	second := w.register(t, byAreyouai, "bert")
	second.handle = "bert-2"
	dora := w.register(t, bySwitch, "dora")
	for _, called := range []*agent{second, dora} {
		room := w.room(t, "for-"+called.handle, ada, called)
		onSwitch := called.listen(t, bySwitch, room)
		turns := w.turnsOf(t, called, room)
		called.attach(t, room)
		for _, by := range doors() {
			require.NoError(t, ada.say(t, by, room, "nobody is meant by "+string(by)))
			require.False(t, next(t, w, onSwitch).addressed, by)
			require.NoError(t, ada.say(t, by, room, "ask @"+called.handle+" by "+string(by)))
			got := next(t, w, onSwitch)
			require.True(t, got.addressed, "%s by %s", called.handle, by)
			select {
			case <-turns:
			case <-w.ctx.Done():
				require.Fail(t, "no room.turn_ready", "%s by %s", called.handle, by)
			}
		}
		addressed := 0
		for ev, err := range called.events {
			require.NoError(t, err)
			var p struct {
				Addressed []string `json:"addressed"`
			}
			require.NoError(t, strictjson.Unmarshal(superjson.AppendJSON(nil, ev.Payload), &p))
			if slices.Contains(p.Addressed, called.id) {
				if addressed++; addressed == len(doors()) {
					break
				}
			}
		}
		require.Equal(t, len(doors()), addressed)
		// The next one makes its connections for its own room.
		ada.session.Close()
		ada.socket.Close()
		ada.session, ada.socket = nil, nil
	}
}

// turnsOf follows the agent stream of an agent and tells of each time that it is its turn in a room.
func (w *world) turnsOf(t *testing.T, a *agent, room string) <-chan struct{} {
	t.Helper()
	out := make(chan struct{}, 64)
	ctx, cancel := context.WithCancel(w.ctx)
	var work sync.WaitGroup
	t.Cleanup(func() { cancel(); work.Wait() })
	stream := a.areyouai(t).AgentStream(areyouai.AgentStreamOptions{})
	open := make(chan struct{})
	work.Go(func() {
		first := true
		for frame, err := range stream.Frames(ctx) {
			if err != nil {
				return
			}
			if first {
				close(open)
				first = false
			}
			if ready, ok := frame.(areyouai.TurnReady); ok && ready.RoomID == room {
				_ = stream.Ack(ctx, ready.Delivery())
				out <- struct{}{}
			}
		}
	})
	select {
	case <-open:
	case <-w.ctx.Done():
		require.Fail(t, "no agent stream")
	}
	return out
}

// status is how the Switch protocol reports an agent in a room, by its route and by its operation, which agree.
func (w *world) status(t *testing.T, host, a *agent, room string) agentswitch.Status {
	t.Helper()
	detail, err := host.client().GetAgentDetail(w.ctx, a.id)
	require.NoError(t, err)
	for _, r := range detail.Rooms {
		if r.RoomID == room {
			return r.Status
		}
	}
	require.Fail(t, "not in the room")
	return ""
}

// TestPresenceCrosses: a socket, an event stream and an agent stream are presence for the Switch protocol and in the state of
// the edge, from when they are open until they end.
func TestPresenceCrosses(t *testing.T) {
	w := newWorld(t)
	host, cleo := w.register(t, bySwitch, "host"), w.register(t, bySwitch, "cleo")
	bert := w.register(t, byAreyouai, "bert")
	room := w.room(t, "harbour", host, cleo, bert)
	watch := host.attach(t, room)
	becomes := func(a *agent, want agentswitch.Status) {
		t.Helper()
		for state := range watch.State(w.ctx) {
			if participant(t, state, a.id).Presence == string(want) {
				break
			}
		}
		require.Equal(t, want, w.status(t, host, a, room))
	}
	becomes(cleo, agentswitch.StatusNoSession)
	becomes(bert, agentswitch.StatusAwaitingManualPoll)

	cleo.attach(t, room)
	becomes(cleo, agentswitch.StatusLive)
	cleo.socket.Close()
	becomes(cleo, agentswitch.StatusNoSession)

	stream, err := bert.areyouai(t).OpenOnce(w.ctx, room, areyouai.EventsOptions{})
	require.NoError(t, err)
	becomes(bert, agentswitch.StatusLive)
	require.NoError(t, stream.Close())
	becomes(bert, agentswitch.StatusAwaitingManualPoll)

	ctx, cancel := context.WithCancel(w.ctx)
	var work sync.WaitGroup
	work.Go(func() {
		for _, err := range bert.aya.AgentStream(areyouai.AgentStreamOptions{}).Frames(ctx) {
			if err != nil {
				return
			}
		}
	})
	becomes(bert, agentswitch.StatusLive)
	cancel()
	work.Wait()
	becomes(bert, agentswitch.StatusAwaitingManualPoll)
}

// TestAnEndedKeyEndsEverywhere: a key that was replaced at one door opens none, and what it opened before ends with it.
func TestAnEndedKeyEndsEverywhere(t *testing.T) {
	for _, ends := range []string{"replaced", "deleted"} {
		t.Run(ends, func(t *testing.T) {
			w := newWorld(t)
			host, ada := w.register(t, bySwitch, "host"), w.register(t, bySwitch, "ada")
			room := w.room(t, "harbour", host, ada)
			_, err := ada.areyouai(t).Login(w.ctx)
			require.NoError(t, err)
			session := ada.aya.SessionToken()
			ada.attach(t, room)
			events, err := ada.aya.OpenOnce(w.ctx, room, areyouai.EventsOptions{})
			require.NoError(t, err)
			defer func() { _ = events.Close() }()
			if ends == "replaced" {
				_, err = w.anyone.Register(w.ctx, registrationToken, agentswitch.RegisterRequest{
					AgentType: "claude-code", Name: "ada", Description: "d", Overwrite: true,
				})
			} else {
				err = ada.client().DeleteAgent(w.ctx)
			}
			require.NoError(t, err)
			require.NoError(t, host.say(t, bySwitch, room, "for members"))
			_, err = ada.client().ListRooms(w.ctx, false)
			require.Error(t, err)
			again, err := areyouai.NewClient(w.url, areyouai.ClientOptions{APIKey: ada.key})
			require.NoError(t, err)
			_, err = again.Login(w.ctx)
			require.Error(t, err)
			status, _ := w.post(t, "/v1/rooms/"+room+"/context/ack", session, "", `{"turn_index":0}`)
			require.Equal(t, 401, status, "the session of the key ended as well")
			for {
				ev, err := events.Next()
				if err != nil {
					break
				}
				require.NotEqual(t, "for members", ev.Ciphertext)
			}
			req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.url+"/edge/agents/host/harbour?subscribe=messages", nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+ada.key)
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.GreaterOrEqual(t, res.StatusCode, 400, "nor does it open an address")
			if ends == "replaced" {
				require.Eventually(t, func() bool {
					return w.status(t, host, ada, room) == agentswitch.StatusNoSession
				}, patience, 10*time.Millisecond, "its socket ended")
			}
			http.DefaultClient.CloseIdleConnections()
		})
	}
}
