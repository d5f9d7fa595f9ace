package agentswitch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

func TestSessionKeepsItsClaims(t *testing.T) {
	s := newServer(t,
		ends(stateFrame(`"r-1"`, "4"), subscriptionFrame(`"r-2"`)),
		ends(stateFrame(`"r-2"`, "4"), subscriptionFrame(``)),
		stays(stateFrame(``, "4")),
	)
	opts := noBeats
	opts.Rooms = []string{"r-1"}
	session := connect(t, s, opts)
	for range 5 {
		for _, err := range session.Frames(t.Context()) {
			require.NoError(t, err)
			break
		}
	}
	for _, want := range []string{"rooms=r-1&", "rooms=r-2&", ""} {
		query, _ := s.opened(t)
		if want == "" {
			require.NotContains(t, query, "rooms", "a room that was lost is not taken back")
			continue
		}
		require.Contains(t, query, want)
	}
	require.Empty(t, session.Rooms())
}

// A claim is known from its answer, so that it survives a stream that breaks
// before it told of the claim.
func TestSessionRemembersClaimsByTheirAnswers(t *testing.T) {
	tests := []struct {
		name  string
		scope agentswitch.Scope
		do    func(*agentswitch.Session) error
		want  string
	}{
		{"connect_to_room, single", agentswitch.ScopeSingle, func(s *agentswitch.Session) error {
			_, err := s.ConnectToRoom(context.Background(), "r-9")
			return err
		}, "rooms=r-9&"},
		{"connect_to_room, all", agentswitch.ScopeAll, func(s *agentswitch.Session) error {
			_, err := s.ConnectToRoom(context.Background(), "r-9")
			return err
		}, "rooms=r-1%2Cr-9&"},
		{"connect_to_room again", agentswitch.ScopeAll, func(s *agentswitch.Session) error {
			_, err := s.ConnectToRoom(context.Background(), "r-1")
			return err
		}, "rooms=r-1&"},
		{"subscribe", agentswitch.ScopeAll, func(s *agentswitch.Session) error {
			answer, err := s.Subscribe(context.Background(), "r-5", true)
			if err == nil && *answer.EvictedConnectionID != "c-2" {
				return errors.New("the answer is another")
			}
			return err
		}, "rooms=r-1%2Cr-5&"},
		{"unsubscribe", agentswitch.ScopeAll, func(s *agentswitch.Session) error {
			_, err := s.Unsubscribe(context.Background(), "r-1")
			return err
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			over := make(chan struct{})
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
				begin(w)
				send(w, stateFrame(`"r-1"`, "0"))
				<-over
			}, stays(stateFrame("", "0")))
			s.mux.HandleFunc("POST /agents/a-1/ops/connect_to_room", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				reply(w, 200, `{"result":{"agent_id":"a-1","room_id":"r","name":`+strconv.Quote(string(body))+`}}`)
			})
			s.mux.HandleFunc("POST /agents/a-1/connection/subscribe", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if string(body) != `{"connection_id":"c-1","room_id":"r-5","takeover":true}` {
					reply(w, 422, string(body))
					return
				}
				reply(w, 200, `{"ok":true,"rooms":["r-1","r-5"],"evicted_connection_id":"c-2","warning":"w"}`)
			})
			s.mux.HandleFunc("POST /agents/a-1/connection/unsubscribe", func(w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, `{"ok":true,"rooms":[]}`)
			})
			opts := noBeats
			opts.Scope = tt.scope
			session := connect(t, s, opts)
			next[agentswitch.ConnectionState](t, session)
			require.NoError(t, tt.do(session))
			close(over)
			next[agentswitch.ConnectionState](t, session)
			s.opened(t)
			query, _ := s.opened(t)
			if tt.want == "" {
				require.NotContains(t, query, "rooms")
				return
			}
			require.Contains(t, query, tt.want)
		})
	}
}

func TestSessionForgetsARoomThoughTheServerCouldNotBeTold(t *testing.T) {
	s := newServer(t, stays(stateFrame(`"r-1"`, "0")))
	s.mux.HandleFunc("POST /agents/a-1/connection/unsubscribe", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 500, "Internal Server Error")
	})
	session := connect(t, s, noBeats)
	next[agentswitch.ConnectionState](t, session)
	require.Equal(t, []string{"r-1"}, session.Rooms())
	_, err := session.Unsubscribe(t.Context(), "r-1")
	require.Error(t, err)
	require.Empty(t, session.Rooms())
	_, err = session.Subscribe(t.Context(), "r-2", false) // 404 without the words: no reason to wait
	require.Error(t, err)
	require.Empty(t, session.Rooms())
}
