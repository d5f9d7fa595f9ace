package areyouai_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

func mint(token string, expires areyouai.Time) step {
	return step{
		want: "POST /v1/rooms/room_1/access-token", bearer: "as_1", status: 201,
		answer: fmt.Sprintf(`{"room_id":"room_1","agent_id":"agt_a","token":%q,"scope":"room:automation","expires_at":%q}`, token, expires.Format(time.RFC3339)),
	}
}

func as(token, want string) step { return step{want: want, bearer: token, answer: `{}`} }

// TestForRoom: the room token goes to the six routes of its room, the session
// to everything else.
func TestForRoom(t *testing.T) {
	opt := session
	opt.Now = func() time.Time { return at(0).Time }
	body := func(st step, body string) step { st.body = body; return st }
	c, _ := play(t, opt,
		mint("rat_1", at(300)),
		as("rat_1", "GET /v1/rooms/room_1/state"),
		as("rat_1", "GET /v1/rooms/room_1/context"),
		body(as("rat_1", "POST /v1/rooms/room_1/context/ack"), `{"turn_index":1}`),
		body(as("rat_1", "POST /v1/rooms/room_1/messages"), `{"expected_turn":1,"ciphertext":"hi","bundle_hash":"hb"}`),
		body(as("rat_1", "POST /v1/rooms/room_1/typing"), `{"state":"start","ttl_ms":30000}`),
		body(as("rat_1", "POST /v1/rooms/room_1/typing"), `{"state":"stop"}`),
		as("as_1", "GET /v1/rooms/room_1/events/history?since=0"),
		as("as_1", "GET /v1/rooms/room_2/state"),
		as("as_1", "GET /v1/agent/webhooks"),
		as("rat_1", "POST /v1/rooms/room_1/close"),
	)
	r, ctx := c.ForRoom("room_1"), t.Context()
	_, err := r.State(ctx, "room_1")
	require.NoError(t, err)
	_, err = r.Context(ctx, "room_1")
	require.NoError(t, err)
	_, err = r.Ack(ctx, "room_1", 1)
	require.NoError(t, err)
	_, err = r.Send(ctx, "room_1", areyouai.SendRequest{ExpectedTurn: 1, Ciphertext: "hi", BundleHash: "hb"})
	require.NoError(t, err)
	_, err = r.StartTyping(ctx, "room_1", 30*time.Second)
	require.NoError(t, err)
	_, err = r.StopTyping(ctx, "room_1")
	require.NoError(t, err)
	_, err = r.History(ctx, "room_1", 0, 0)
	require.NoError(t, err)
	_, err = r.State(ctx, "room_2")
	require.NoError(t, err)
	_, err = r.Webhooks(ctx)
	require.NoError(t, err)
	_, err = r.Close(ctx, "room_1")
	require.NoError(t, err)
}

// TestRoomTokenRenewal: with 60 s or less left a new one is minted first.
func TestRoomTokenRenewal(t *testing.T) {
	now := at(0).Time
	opt := session
	opt.Now = func() time.Time { return now }
	state := "GET /v1/rooms/room_1/state"
	c, _ := play(t, opt, mint("rat_1", at(300)), as("rat_1", state), as("rat_1", state), mint("rat_2", at(540)), as("rat_2", state))
	r := c.ForRoom("room_1")
	for _, later := range []int{0, 239, 240} {
		now = at(later).Time
		_, err := r.State(t.Context(), "room_1")
		require.NoError(t, err)
	}
}

func TestRoomTokenRevoked(t *testing.T) {
	opt := session
	opt.Now = func() time.Time { return at(0).Time }
	state := "GET /v1/rooms/room_1/state"
	refused := refuse(state, http.StatusUnauthorized, "unauthorized")
	t.Run("a new one helps", func(t *testing.T) {
		c, _ := play(t, opt, mint("rat_1", at(300)), refused, mint("rat_2", at(300)), as("rat_2", state))
		_, err := c.ForRoom("room_1").State(t.Context(), "room_1")
		require.NoError(t, err)
	})
	t.Run("a second refusal stands", func(t *testing.T) {
		c, _ := play(t, opt, mint("rat_1", at(300)), refused, mint("rat_2", at(300)), refused)
		_, err := c.ForRoom("room_1").State(t.Context(), "room_1")
		require.ErrorIs(t, err, areyouai.CodeUnauthorized)
	})
	t.Run("a closed room gives none", func(t *testing.T) {
		c, _ := play(t, opt, mint("rat_1", at(300)), refused, refuse("POST /v1/rooms/room_1/access-token", 410, "gone"))
		_, err := c.ForRoom("room_1").State(t.Context(), "room_1")
		require.ErrorIs(t, err, areyouai.CodeGone)
	})
}
