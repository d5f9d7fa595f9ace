package agentswitch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// recorded is one request that the recorder answered.
type recorded struct {
	method, path, authorization, connection, contentType, body string
}

// recorder answers every request with the same bytes and keeps the last.
func recorder(t *testing.T, status int, answer string) (*agentswitch.Client, *recorded) {
	t.Helper()
	last := &recorded{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*last = recorded{
			r.Method, r.URL.EscapedPath(), r.Header.Get("Authorization"), r.Header.Get("X-Switch-Connection-Id"), r.Header.Get("Content-Type"), string(body),
		}
		reply(w, status, answer)
	}))
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	client, err := agentswitch.NewClient(agentswitch.Options{
		BaseURL: srv.URL + "/prefix//", AgentID: "a/1", APIKey: "key-1", HTTPClient: &http.Client{Transport: transport}, MaxAnswerBytes: 4096,
	})
	require.NoError(t, err)
	return client, last
}

func TestCalls(t *testing.T) {
	ctx := context.Background()
	const json, key = "application/json", "Bearer key-1"
	tests := []struct {
		name   string
		answer string
		call   func(t *testing.T, c *agentswitch.Client) (any, error)
		want   any
		sent   recorded
	}{
		{
			"health", `{"status":"ok"}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) { return nil, c.Health(ctx) },
			nil,
			recorded{method: "GET", path: "/prefix/health"},
		},
		{
			"register", `{"id":"a-9","api_key":"new"}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.Register(ctx, "token", agentswitch.RegisterRequest{AgentType: "codex", Name: "n", Description: "d"})
			},
			agentswitch.RegisterAnswer{ID: "a-9", APIKey: "new"},
			recorded{"POST", "/prefix/agents/register-known", "Bearer token", "", json, `{"agent_type":"codex","name":"n","description":"d"}`},
		},
		{
			"register with everything", `{}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				options, err := agentswitch.MarshalOptions(agentswitch.KnownOptions{})
				if err != nil {
					return nil, err
				}
				return c.Register(ctx, "token", agentswitch.RegisterRequest{
					AgentType: "codex", Name: "n", Description: "d", Options: options, Overwrite: true, IconURL: ptr("i"), ParentAgentID: ptr("p"),
				})
			},
			agentswitch.RegisterAnswer{},
			recorded{"POST", "/prefix/agents/register-known", "Bearer token", "", json, `{"agent_type":"codex","name":"n","description":"d",` +
				`"options":{"auto_session":false,"channels_enabled":false,"repo_dir":null,"subagent_name":null},"overwrite":true,"icon_url":"i","parent_agent_id":"p"}`},
		},
		{
			"operations", `{"operations":{"b":{"description":"d","input_schema":{"type":"object"}},"a":{}}}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) { return c.Operations(ctx) },
			agentswitch.Catalog{{Name: "b", Description: "d", InputSchema: []byte(`{"type":"object"}`)}, {Name: "a"}},
			recorded{method: "GET", path: "/prefix/agents/a%2F1/ops", authorization: key},
		},
		{
			"call without arguments", `{"result":[1]}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				var got []int
				err := c.Call(ctx, "list_things", nil, &got)
				return got, err
			},
			[]int{1},
			recorded{method: "POST", path: "/prefix/agents/a%2F1/ops/list_things", authorization: key},
		},
		{
			"call on a connection, result ignored", `{"result":null}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return nil, c.WithConnection("c-1").Call(ctx, "x/y", map[string]any{"a": nil}, nil)
			},
			nil,
			recorded{"POST", "/prefix/agents/a%2F1/ops/x%2Fy", key, "c-1", json, `{"a":null}`},
		},
		{
			"connect_to_room", `{"result":{"agent_id":"a","room_id":"r","warning":"w"}}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.WithConnection("c-1").ConnectToRoom(ctx, "r")
			},
			agentswitch.ConnectToRoomAnswer{AgentID: "a", RoomID: "r", Warning: ptr("w")},
			recorded{"POST", "/prefix/agents/a%2F1/ops/connect_to_room", key, "c-1", json, `{"room_id":"r"}`},
		},
		{
			"post_message", `{"result":{"event_id":"m"}}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) { return c.PostMessage(ctx, "<hi>", "") },
			"m",
			recorded{"POST", "/prefix/agents/a%2F1/ops/post_message", key, "", json, `{"body":"<hi>"}`},
		},
		{
			"post_message in a thread", `{"result":{"event_id":"m"}}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) { return c.PostMessage(ctx, "hi", "t") },
			"m",
			recorded{"POST", "/prefix/agents/a%2F1/ops/post_message", key, "", json, `{"body":"hi","thread_id":"t"}`},
		},
		{
			"send_targeted_message", `{"result":{"event_id":"m","target_statuses":{"b":"live"}}}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.SendTargetedMessage(ctx, agentswitch.TargetedMessage{Body: "hi", TargetNames: []string{"b"}})
			},
			agentswitch.TargetedMessageAnswer{EventID: "m", TargetStatuses: agentswitch.Map[agentswitch.Status]{"b": agentswitch.StatusLive}},
			recorded{"POST", "/prefix/agents/a%2F1/ops/send_targeted_message", key, "", json, `{"body":"hi","target_names":["b"]}`},
		},
		{
			"read_context", `{"result":{"threads":[],"truncated":true,"oldest_timestamp":5}}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.ReadContext(ctx, agentswitch.ContextQuery{})
			},
			agentswitch.ReadContextAnswer{Threads: agentswitch.List[agentswitch.Thread]{}, Truncated: true, OldestTimestamp: ptr(int64(5))},
			recorded{"POST", "/prefix/agents/a%2F1/ops/read_context", key, "", json, `{}`},
		},
		{
			"list_participants", `{"result":[{"id":"u","name":"n","type":"user","status":null,"alias":null}]}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) { return c.ListParticipants(ctx) },
			[]agentswitch.ParticipantRow{{ID: "u", Name: "n", Type: "user"}},
			recorded{method: "POST", path: "/prefix/agents/a%2F1/ops/list_participants", authorization: key},
		},
		{
			"list_rooms", `{"result":[{"room_id":"r","connected":true}]}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) { return c.ListRooms(ctx, true) },
			[]agentswitch.RoomRow{{RoomID: "r", Connected: true}},
			recorded{"POST", "/prefix/agents/a%2F1/ops/list_rooms", key, "", json, `{"include_archived":true}`},
		},
		{
			"beat", `{"ok":true,"rooms":["r"],"cursor":7}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.Beat(ctx, agentswitch.BeatRequest{ConnectionID: "c", Cursor: 7})
			},
			agentswitch.BeatAnswer{OK: true, Rooms: agentswitch.Rooms{"r"}, Cursor: 7},
			recorded{"POST", "/prefix/agents/a%2F1/connection/beat", key, "", json, `{"connection_id":"c","cursor":7}`},
		},
		{
			"subscribe", `{"ok":true,"rooms":["r"],"evicted_connection_id":"c-2","warning":"w"}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.Subscribe(ctx, agentswitch.SubscribeRequest{ConnectionID: "c", RoomID: "r", Takeover: true})
			},
			agentswitch.SubscribeAnswer{OK: true, Rooms: agentswitch.Rooms{"r"}, EvictedConnectionID: ptr("c-2"), Warning: ptr("w")},
			recorded{"POST", "/prefix/agents/a%2F1/connection/subscribe", key, "", json, `{"connection_id":"c","room_id":"r","takeover":true}`},
		},
		{
			"unsubscribe", `{"ok":true,"rooms":[]}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.Unsubscribe(ctx, agentswitch.SubscribeRequest{ConnectionID: "c", RoomID: "r"})
			},
			agentswitch.UnsubscribeAnswer{OK: true, Rooms: agentswitch.Rooms{}},
			recorded{"POST", "/prefix/agents/a%2F1/connection/unsubscribe", key, "", json, `{"connection_id":"c","room_id":"r"}`},
		},
		{
			"typing", `{"ok":true}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return nil, c.Typing(ctx, agentswitch.TypingRequest{RoomID: "r", IsTyping: true})
			},
			nil,
			recorded{"POST", "/prefix/agents/a%2F1/typing", key, "", json, `{"room_id":"r","is_typing":true}`},
		},
		{
			"message", `{"ok":true,"event_id":"m"}`,
			func(_ *testing.T, c *agentswitch.Client) (any, error) {
				return c.PostNotice(ctx, agentswitch.MessageRequest{RoomID: "r", Content: "x"})
			},
			agentswitch.MessageAnswer{OK: true, EventID: "m"},
			recorded{"POST", "/prefix/agents/a%2F1/message", key, "", json, `{"room_id":"r","content":"x"}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, sent := recorder(t, 200, tt.answer)
			got, err := tt.call(t, client)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.sent, *sent)
		})
	}
}

func TestCallsReturnTypedErrors(t *testing.T) {
	client, _ := recorder(t, 403, `{"detail":"not a member"}`)
	err := client.Call(t.Context(), "post_message", nil, nil)
	var refused agentswitch.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 403, refused.Status())
	require.Equal(t, "agentswitch: operation post_message: 403: not a member", err.Error())

	client, _ = recorder(t, 200, `<html>`)
	require.Error(t, client.Health(t.Context()))
	client, _ = recorder(t, 200, `{"status":"starting"}`)
	require.ErrorContains(t, client.Health(t.Context()), "starting")
	client, _ = recorder(t, 200, `{"result":"text"}`)
	require.ErrorContains(t, client.Call(t.Context(), "x", nil, &struct{}{}), "operation x: result")
	client, _ = recorder(t, 200, `"`+strings.Repeat("x", 5000)+`"`)
	require.ErrorContains(t, client.Health(t.Context()), "answer is too large")
	require.Error(t, client.Call(t.Context(), "x", func() {}, nil))
}

func TestWithAgentLeavesTheOriginalAlone(t *testing.T) {
	client, sent := recorder(t, 200, `{}`)
	other := client.WithAgent("b", "key-2")
	require.Equal(t, "a/1", client.AgentID())
	require.Equal(t, "b", other.AgentID())
	require.NoError(t, other.Typing(t.Context(), agentswitch.TypingRequest{}))
	require.Equal(t, "Bearer key-2", sent.authorization)
	require.Equal(t, "/prefix/agents/b/typing", sent.path)
	require.NoError(t, client.Call(t.Context(), "x", nil, nil))
	require.Empty(t, sent.connection)
}

func TestNewClientChecksItsOptions(t *testing.T) {
	for _, base := range []string{"", "example.org", "ftp://example.org", "http://", "http://h?x=1", "http://h#x", "http://[", "http://user:s3cret@h?x"} {
		_, err := agentswitch.NewClient(agentswitch.Options{BaseURL: base})
		require.Error(t, err, base)
		require.NotContains(t, err.Error(), "s3cret")
	}
	_, err := agentswitch.NewClient(agentswitch.Options{BaseURL: "http://h", APIKey: "s3cret\r\nX: y"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
	_, err = agentswitch.NewClient(agentswitch.Options{BaseURL: "https://h/prefix"})
	require.NoError(t, err)
}

func TestRetryWaitsForTheServer(t *testing.T) {
	clock := newFakeClock()
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: "http://h", Clock: clock, Rand: func() float64 { return 0.75 }})
	require.NoError(t, err)
	answers := []error{errors.New("connection refused"), agentswitch.InternalServerError(), fmt.Errorf("call: %w", agentswitch.ParseError(502, "", nil)), nil}
	calls := 0
	require.NoError(t, client.Retry(t.Context(), func() error { calls++; return answers[calls-1] }))
	require.Equal(t, 4, calls)
	const step = 750 * time.Millisecond
	require.Equal(t, []time.Duration{step, 2 * step, 4 * step}, clock.waits())

	refusal := agentswitch.NotFound()
	calls = 0
	require.ErrorIs(t, client.Retry(t.Context(), func() error { calls++; return refusal }), refusal)
	require.Equal(t, 1, calls)

	ctx, cancel := context.WithCancel(t.Context())
	lost := errors.New("lost")
	calls = 0
	require.ErrorIs(t, client.Retry(ctx, func() error { calls++; cancel(); return lost }), lost)
	require.Equal(t, 1, calls)
}

func TestIdempotencyKeysAreSentWithWhatWrites(t *testing.T) {
	keys := map[string][]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys[r.URL.Path] = r.Header.Values("Idempotency-Key")
		reply(w, 200, `{"status":"ok","result":{}}`)
	}))
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: srv.URL, AgentID: "a", HTTPClient: &http.Client{Transport: transport}})
	require.NoError(t, err)
	keyed := client.WithIdempotencyKey("k-1")
	require.NoError(t, keyed.Health(t.Context()))
	_, err = keyed.PostMessage(t.Context(), "x", "")
	require.NoError(t, err)
	require.NoError(t, client.Typing(t.Context(), agentswitch.TypingRequest{}))
	require.Equal(t, map[string][]string{"/health": nil, "/agents/a/ops/post_message": {"k-1"}, "/agents/a/typing": nil}, keys)
}
