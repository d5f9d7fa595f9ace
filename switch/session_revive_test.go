package agentswitch_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// deadUntil answers with a dead connection until the stream was opened so often.
func deadUntil(s *server, opens *int, mu *sync.Mutex, want int, status int, answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if *opens < want {
			reply(w, status, string(agentswitch.DeadConnection(status, "c-1").AppendBody(nil)))
			return
		}
		reply(w, 200, answer)
	}
}

func TestSessionMakesCallsAgainThatFoundTheConnectionDead(t *testing.T) {
	var mu sync.Mutex
	opens := 0
	stream := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		opens++
		mu.Unlock()
		stays(stateFrame(`"r-1"`, "0"))(w, r)
	}
	s := newServer(t, stream)
	s.beat = deadUntil(s, &opens, &mu, 2, 404, `{"ok":true,"rooms":[],"cursor":0}`)
	s.mux.HandleFunc("POST /agents/a-1/ops/post_message", deadUntil(s, &opens, &mu, 2, 409, `{"result":{"event_id":"m-1"}}`))
	s.mux.HandleFunc("POST /agents/a-1/ops/connect_to_room", deadUntil(s, &opens, &mu, 2, 409, `{"result":{"room_id":"r-1"}}`))
	s.mux.HandleFunc("POST /agents/a-1/connection/subscribe", deadUntil(s, &opens, &mu, 2, 404, `{"ok":true,"rooms":["r-1"],"evicted_connection_id":null,"warning":null}`))

	for _, call := range []func(*agentswitch.Session) error{
		func(session *agentswitch.Session) error {
			_, err := session.PostMessage(t.Context(), "hi", "")
			return err
		},
		func(session *agentswitch.Session) error {
			_, err := session.ConnectToRoom(t.Context(), "r-1")
			return err
		},
		func(session *agentswitch.Session) error {
			_, err := session.Subscribe(t.Context(), "r-1", false)
			return err
		},
	} {
		mu.Lock()
		opens = 0
		mu.Unlock()
		session := connect(t, s, agentswitch.StreamOptions{ConnectionID: "c-1"})
		require.NoError(t, session.Await(t.Context()))
		require.NoError(t, call(session), "the caller takes no frames meanwhile: a session needs nobody to heal")
		session.Close()
	}
}

func TestCallsGiveUpOnAConnectionThatStaysDead(t *testing.T) {
	s := newServer(t, ends(stateFrame("", "0")))
	tries := 0
	s.mux.HandleFunc("POST /agents/a-1/ops/post_message", func(w http.ResponseWriter, _ *http.Request) {
		tries++
		reply(w, 409, string(agentswitch.DeadConnection(409, "c-1").AppendBody(nil)))
	})
	session := connect(t, s, noBeats)
	go func() {
		for range session.Frames(t.Context()) { // the streams end and end
		}
	}()
	_, err := session.PostMessage(t.Context(), "hi", "")
	require.True(t, agentswitch.IsDeadConnection(err, "c-1"))
	require.Equal(t, 3, tries)

	tries = 0
	_, err = s.client.WithConnection("c-1").PostMessage(t.Context(), "hi", "")
	require.True(t, agentswitch.IsDeadConnection(err, "c-1"))
	require.Equal(t, 1, tries, "a borrowed connection is not this client's to open")
	tries = 0
	_, err = session.WithConnection("c-2").PostMessage(t.Context(), "hi", "")
	require.Error(t, err)
	require.Equal(t, 1, tries)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = session.PostMessage(ctx, "hi", "")
	require.ErrorIs(t, err, context.Canceled)
}
