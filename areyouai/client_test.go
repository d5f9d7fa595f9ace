package areyouai_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// TestClientCalls pins what each call sends and how it reads the answer.
func TestClientCalls(t *testing.T) {
	ctx := t.Context()
	const s = "as_1"
	c, _ := play(t, areyouai.ClientOptions{},
		step{want: "POST /v1/agent/register", body: `{"name":"Ada"}`, status: 201, answer: `{"agent_id":"agt_a","api_key":"ak_1"}`},
		login(s),
		step{want: "POST /v1/listings", bearer: s, body: `{"topic":"tea"}`, status: 201, answer: `{"id":"lst_1","room_id":"room_1","created_at":"2026-04-02T10:00:00Z"}`},
		step{want: "GET /v1/listings/search?q=te+a", answer: `{"items":null}`},
		step{want: "POST /v1/listings/lst_1/connect", bearer: s, status: 201, answer: `{"room_id":"room_1","room_state":"ACTIVE"}`},
		step{want: "GET /v1/rooms/room_1/state", bearer: s, answer: `{"id":"room_1","closed_at":null,"ttl_at":"2026-04-02T10:00:00+02:00"}`},
		step{want: "GET /v1/rooms/room_1/context", bearer: s, answer: `{"bundle_hash":"hb","system_core_hash":"h1","extra":[{}]}`},
		step{want: "POST /v1/rooms/room_1/context/ack", bearer: s, body: `{"turn_index":0}`, answer: `{"room_id":"room_1"}`},
		step{want: "POST /v1/rooms/room_1/messages", bearer: s, body: `{"expected_turn":0,"ciphertext":"<hi>","bundle_hash":"hb"}`, status: 201, answer: `{"message_id":"msg_1","next_turn":1}`},
		step{want: "POST /v1/rooms/room_1/access-token", bearer: s, status: 201, answer: `{"token":"rat_1"}`},
		step{want: "GET /v1/rooms/room_1/events/history?limit=2&since=7", bearer: s, answer: `{"items":[],"next_since":7}`},
		step{want: "POST /v1/rooms/room_1/close", bearer: s, answer: `{"room_id":"room_1","state":"CLOSED"}`},
		step{want: "GET /v1/capabilities", answer: reply(t, areyouai.NewCapabilities())},
		step{want: "GET /v1/mode", answer: reply(t, areyouai.NewModeReply())},
	)
	reg, err := c.Register(ctx, "Ada")
	require.NoError(t, err)
	require.Equal(t, areyouai.RegisterReply{AgentID: "agt_a", APIKey: "ak_1"}, reg)
	require.Equal(t, "ak_1", c.APIKey())

	listing, err := c.CreateListing(ctx, areyouai.ListingRequest{Topic: "tea"})
	require.NoError(t, err)
	require.Equal(t, "lst_1", listing.ID)
	require.Equal(t, s, c.SessionToken())
	found, err := c.Search(ctx, "te a")
	require.NoError(t, err)
	require.Empty(t, found.Items)
	connected, err := c.Connect(ctx, listing.ID)
	require.NoError(t, err)
	require.Equal(t, areyouai.StateActive, connected.RoomState)
	state, err := c.State(ctx, "room_1")
	require.NoError(t, err)
	require.Nil(t, state.ClosedAt)
	require.Equal(t, 8, state.TTLAt.Hour())
	prompt, err := c.Context(ctx, "room_1")
	require.NoError(t, err)
	require.Equal(t, "h1", prompt.SystemCore)
	_, err = c.Ack(ctx, "room_1", 0)
	require.NoError(t, err)
	sent, err := c.Send(ctx, "room_1", areyouai.SendRequest{Ciphertext: "<hi>", BundleHash: prompt.BundleHash})
	require.NoError(t, err)
	require.EqualValues(t, 1, sent.NextTurn)
	token, err := c.AccessToken(ctx, "room_1")
	require.NoError(t, err)
	require.Equal(t, "rat_1", token.Token)
	page, err := c.History(ctx, "room_1", 7, 2)
	require.NoError(t, err)
	require.EqualValues(t, 7, page.NextSince)
	closed, err := c.Close(ctx, "room_1")
	require.NoError(t, err)
	require.Equal(t, areyouai.NewCloseReply("room_1"), closed)
	caps, err := c.Capabilities(ctx)
	require.NoError(t, err)
	require.Equal(t, areyouai.NewCapabilities(), caps)
	mode, err := c.Mode(ctx)
	require.NoError(t, err)
	require.Equal(t, areyouai.NewModeReply(), mode)
}

func TestClientLogsInAgainOnce(t *testing.T) {
	state := "GET /v1/rooms/room_1/state"
	withToken := func(st step, token string) step { st.bearer = token; return st }

	t.Run("new session works", func(t *testing.T) {
		c, _ := play(t, areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_old"},
			withToken(refuse(state, 401, "unauthorized"), "as_old"), login("as_new"),
			step{want: state, bearer: "as_new", answer: `{"id":"room_1"}`})
		got, err := c.State(t.Context(), "room_1")
		require.NoError(t, err)
		require.Equal(t, "room_1", got.ID)
		require.Equal(t, "as_new", c.SessionToken())
	})
	t.Run("second refusal stands", func(t *testing.T) {
		c, _ := play(t, areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_old"},
			refuse(state, 401, "unauthorized"), login("as_new"), withToken(refuse(state, 401, "unauthorized"), "as_new"))
		_, err := c.State(t.Context(), "room_1")
		require.ErrorIs(t, err, areyouai.CodeUnauthorized)
	})
	t.Run("key refused", func(t *testing.T) {
		c, _ := play(t, areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_old"},
			refuse(state, 401, "unauthorized"), refuse2login())
		_, err := c.State(t.Context(), "room_1")
		require.ErrorIs(t, err, areyouai.CodeUnauthorized)
	})
	t.Run("no key", func(t *testing.T) {
		c, _ := play(t, areyouai.ClientOptions{SessionToken: "rat_1"}, withToken(refuse(state, 401, "unauthorized"), "rat_1"))
		_, err := c.State(t.Context(), "room_1")
		require.ErrorIs(t, err, areyouai.CodeUnauthorized)
	})
	t.Run("other refusals do not", func(t *testing.T) {
		c, _ := play(t, areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_1"}, refuse(state, 403, "forbidden"))
		_, err := c.State(t.Context(), "room_1")
		require.ErrorIs(t, err, areyouai.CodeForbidden)
	})
}

func refuse2login() step {
	st := refuse("POST /v1/agent/login", 401, "unauthorized")
	st.body = `{"api_key":"ak_1"}`
	return st
}

// TestClientSharesOneLogin: callers that fail together log in once.
func TestClientSharesOneLogin(t *testing.T) {
	const callers = 8
	var (
		mu     sync.Mutex
		logins int
		failed sync.WaitGroup
	)
	failed.Add(callers)
	transport := roundTrip(func(r *http.Request) *http.Response {
		switch {
		case r.URL.Path == areyouai.PathLogin:
			mu.Lock()
			defer mu.Unlock()
			logins++
			return respond(200, `{"session_token":"as_new"}`)
		case r.Header.Get("Authorization") == "Bearer as_new":
			return respond(200, `{"id":"room_1"}`)
		}
		failed.Done()
		failed.Wait()
		return respond(401, ``)
	})
	c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}, APIKey: "ak_1", SessionToken: "as_old"})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			_, err := c.State(context.Background(), "room_1")
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1, logins)
}

func TestClientErrors(t *testing.T) {
	get := "GET /v1/mode"
	c, _ := play(t, areyouai.ClientOptions{},
		step{want: get, status: 502, answer: "<html>"},
		step{want: get, status: 429, answer: `{"error":"rate_limited","status":429,"recoverable":true}`, header: map[string]string{"Retry-After": "7"}},
		step{want: get, answer: "<html>"},
		step{want: get, status: 204},
	)
	_, err := c.Mode(t.Context())
	require.ErrorIs(t, err, areyouai.CodeInternalError)
	require.Equal(t, 502, areyouai.AsError(err).Status())
	_, err = c.Mode(t.Context())
	require.Equal(t, 7*time.Second, areyouai.AsError(err).RetryAfter)
	_, err = c.Mode(t.Context())
	require.ErrorContains(t, err, "GET /v1/mode: reply")
	_, err = c.Mode(t.Context())
	require.Error(t, err)
}

func TestClientCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := waitForever{}
		c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}})
		require.NoError(t, err)
		start := time.Now()
		_, err = c.Mode(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 30*time.Second, time.Since(start))
	})
}

func TestNewClient(t *testing.T) {
	for _, bad := range []string{"", "room.test", "ftp://room.test", "http://", "://", "/v1", "http://user:secret@room.test"} {
		_, err := areyouai.NewClient(bad, areyouai.ClientOptions{})
		require.Error(t, err, bad)
	}
	var got string
	transport := roundTrip(func(r *http.Request) *http.Response {
		got = r.URL.String()
		return respond(200, reply(t, areyouai.NewModeReply()))
	})
	c, err := areyouai.NewClient("http://gate.test/areyouai/?x=1#y", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}})
	require.NoError(t, err)
	_, err = c.Mode(t.Context())
	require.NoError(t, err)
	require.Equal(t, "http://gate.test/areyouai/v1/mode", got)
}

// TestErrorsHoldNoSecret: what goes into logs must not open a door.
func TestErrorsHoldNoSecret(t *testing.T) {
	c, err := areyouai.NewClient("http://127.0.0.1:1", areyouai.ClientOptions{APIKey: "ak_secret", SessionToken: "as_secret"})
	require.NoError(t, err)
	_, err = c.Login(t.Context())
	require.Error(t, err)
	require.False(t, strings.Contains(err.Error(), "secret"))
	_, err = c.State(t.Context(), "room_1")
	require.Error(t, err)
	require.False(t, strings.Contains(err.Error(), "secret"))
}
