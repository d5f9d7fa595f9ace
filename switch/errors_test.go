package agentswitch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

func TestErrorsAreTheExactBytes(t *testing.T) {
	server := agentswitch.Range{Speaks: 1, Accepts: 1}
	tooNew := agentswitch.Negotiate(ptr("0.19.0"), server, agentswitch.Declaration{Protocol: ptr(2)})
	tests := []struct {
		name        string
		err         agentswitch.Error
		status      int
		contentType string
		body        string
	}{
		{"missing authorization", agentswitch.MissingAuthorization(), 401, "", "Missing or invalid Authorization header"},
		{"invalid credentials", agentswitch.InvalidCredentials(), 401, "", "Invalid credentials"},
		{"not authenticated", agentswitch.NotAuthenticated(), 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token", agentswitch.InvalidRegistrationToken(), 401, "application/json", `{"detail":"Invalid registration token"}`},
		{"not found", agentswitch.NotFound(), 404, "application/json", `{"detail":"Not Found"}`},
		{"method", agentswitch.MethodNotAllowed(), 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent id", agentswitch.NotAuthorizedForAgent(), 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"internal", agentswitch.InternalServerError(), 500, "text/plain; charset=utf-8", "Internal Server Error"},
		{"not connected", agentswitch.NotConnected(), 400, "application/json", `{"detail":"Not connected to a room. Call connect_to_room first."}`},
		{"quotes", agentswitch.Refuse(400, "%s", `a "b" <c>`), 400, "application/json", `{"detail":"a \"b\" <c>"}`},
		{
			"range", tooNew, 409, "application/json",
			`{"detail":{"message":"the client speaks agent-protocol revision 2 and accepts 2 and later, the server speaks 1 and accepts 1 and later: update switch-core",` +
				`"contract":"agent-protocol","server":{"version":"0.19.0","speaks":1,"accepts":1},"client":{"speaks":2,"accepts":2},"remedy":"update switch-core"}}`,
		},
		{
			"validation", &agentswitch.ValidationError{Code: 422, Issues: []agentswitch.Issue{
				{Type: "missing", Loc: []any{"body", "name"}, Msg: "Field required", Input: json.RawMessage(`{ "a": 1 }`)},
				{Type: "json_invalid", Loc: []any{"body", 7}, Msg: "JSON decode error", Input: json.RawMessage(`{`), Ctx: map[string]any{"error": "x"}},
			}}, 422, "application/json",
			`{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{"a":1}},` +
				`{"type":"json_invalid","loc":["body",7],"msg":"JSON decode error","input":null,"ctx":{"error":"x"}}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.status, tt.err.Status())
			require.Equal(t, tt.contentType, tt.err.ContentType())
			body := tt.err.AppendBody(nil)
			require.Equal(t, tt.body, string(body))
			require.True(t, strings.HasPrefix(tt.err.Error(), fmt.Sprint(tt.status)))

			back := agentswitch.ParseError(tt.status, tt.contentType, body)
			require.IsType(t, tt.err, back)
			require.Equal(t, tt.body, string(back.AppendBody(nil)))
			require.Equal(t, tt.err.Error(), back.Error())
		})
	}
}

func TestTextsThatClientsMatch(t *testing.T) {
	for _, status := range []int{http.StatusConflict, http.StatusNotFound} {
		dead := agentswitch.DeadConnection(status, "c-1")
		require.Equal(t, status, dead.Status())
		require.Contains(t, dead.Detail, "c-1")
		require.Contains(t, dead.Detail, "is not open")
		require.True(t, agentswitch.IsDeadConnection(fmt.Errorf("call: %w", dead), "c-1"))
		require.False(t, agentswitch.IsDeadConnection(dead, "c-2"))
		require.False(t, agentswitch.IsDeadConnection(dead, ""))
	}
	require.False(t, agentswitch.IsDeadConnection(nil, "c-1"))
	require.False(t, agentswitch.IsDeadConnection(errors.New("connection c-1 is not open"), "c-1"), "only a server can tell")
	require.False(t, agentswitch.IsDeadConnection(agentswitch.DeadConnection(400, "c-1"), "c-1"))
	foreign := agentswitch.ParseError(409, "text/plain", []byte("connection c-1 is not open"))
	require.True(t, agentswitch.IsDeadConnection(foreign, "c-1"), "the form of the body does not matter")
	detached := agentswitch.StreamNotAttached("c-1")
	require.Contains(t, detached.Detail, "c-1")
	require.False(t, agentswitch.IsDeadConnection(detached, "c-1"))

	_, err := agentswitch.ParseKnownOptions("hal", nil)
	require.Contains(t, err.Error(), "Unknown agent type: hal")
	require.Contains(t, agentswitch.NameTaken("a").Detail, "overwrite")
	require.Contains(t, agentswitch.UnknownOperation("x", agentswitch.OperationNames()).Detail, "list_rooms, connect_to_room")
	require.Contains(t, agentswitch.GapRestarted(1).Reason, "restarted")
	require.Contains(t, agentswitch.GapExpiredAtOpen(1).Reason, "re-read")
	require.Contains(t, agentswitch.GapExpired(1, 2).Reason, "re-read")
	require.Contains(t, agentswitch.GapDamaged(1, 2).Reason, "re-read")
	warning := agentswitch.TakeoverWarning("r-1", "c-9")
	require.Contains(t, warning, "r-1")
	require.Contains(t, warning, "c-9")
	occupied := agentswitch.RoomOccupied("r-1", "c-9")
	require.Equal(t, http.StatusConflict, occupied.Status())
	require.Contains(t, occupied.Detail, "r-1")
	require.Contains(t, occupied.Detail, "c-9")
	require.Equal(t, http.StatusConflict, agentswitch.TooManyConnections().Status())
	require.Equal(t, http.StatusRequestEntityTooLarge, agentswitch.BodyTooLarge().Status())
}

func TestParseErrorOfForeignAnswers(t *testing.T) {
	for _, body := range []string{
		"<html>proxy</html>", "", `{"detail":5}`, `{"detail":{"contract":"other"}}`, `{"detail":[5]}`, `{"error":"x"}`, `[]`, `{"detail":{"contract":5}}`,
	} {
		got := agentswitch.ParseError(502, "text/html", []byte(body))
		require.Equal(t, &agentswitch.PlainError{Code: 502, Text: body, Type: "text/html"}, got)
	}
	long := agentswitch.ParseError(502, "", []byte(strings.Repeat("x", 1<<20)))
	require.LessOrEqual(t, len(long.Error()), 5000)
}

func TestValidationErrorDoesNotQuoteInputs(t *testing.T) {
	_, err := agentswitch.ParseBeatRequest([]byte(`{"connection_id":{"key":"s3cret"}}`))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
	require.Equal(t, "422: body.connection_id: Input should be a valid string", err.Error())
}

func TestNegotiate(t *testing.T) {
	span := func(speaks, accepts int) agentswitch.Range {
		return agentswitch.Range{Speaks: speaks, Accepts: accepts}
	}
	tests := []struct {
		name             string
		server           agentswitch.Range
		speaks, accepts  *int
		remedy           string
		echoed, echoedTo *int
	}{
		{"undeclared", span(3, 2), nil, nil, "", nil, nil},
		{"undeclared with accepts", span(3, 2), nil, ptr(9), "", nil, nil},
		{"same", span(1, 1), ptr(1), ptr(1), "", ptr(1), ptr(1)},
		{"accepts defaults to speaks", span(1, 1), ptr(1), nil, "", ptr(1), ptr(1)},
		{"overlap from above", span(2, 1), ptr(4), ptr(2), "", ptr(4), ptr(2)},
		{"overlap from below", span(4, 2), ptr(2), ptr(1), "", ptr(2), ptr(1)},
		{"client too old", span(4, 3), ptr(2), ptr(1), agentswitch.RemedyUpdateRuntime, ptr(2), ptr(1)},
		{"client too new", span(2, 1), ptr(4), ptr(3), agentswitch.RemedyUpdateServer, ptr(4), ptr(3)},
		{"client too new, one revision", span(1, 1), ptr(2), nil, agentswitch.RemedyUpdateServer, ptr(2), ptr(2)},
		{"inverted", span(5, 5), ptr(5), ptr(6), agentswitch.RemedyUpdateServer, ptr(5), ptr(6)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := agentswitch.Declaration{Protocol: tt.speaks, ProtocolAccepts: tt.accepts, Client: ptr("x")}
			refused := agentswitch.Negotiate(nil, tt.server, d)
			if tt.remedy == "" {
				require.Nil(t, refused)
			} else {
				require.Equal(t, tt.remedy, refused.Remedy)
				require.Contains(t, string(refused.AppendBody(nil)), `"version":null`)
			}
			require.Equal(t, agentswitch.ClientInfo{Speaks: tt.echoed, Accepts: tt.echoedTo, Artifact: ptr("x")}, d.Info())
		})
	}
}

func FuzzParseError(f *testing.F) {
	f.Add(409, []byte(`{"detail":{"message":"m","contract":"agent-protocol","server":{"version":null,"speaks":1,"accepts":1},"client":{"speaks":2,"accepts":2},"remedy":"r"}}`))
	f.Add(422, []byte(`{"detail":[{"type":"missing","loc":["body",1],"msg":"m","input":null,"ctx":{"error":{}}}]}`))
	f.Add(404, []byte(`{"detail":"x"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		err := agentswitch.ParseError(status, "", body)
		var r *agentswitch.RangeError
		if !errors.As(err, &r) {
			require.Equal(t, status, err.Status())
		}
		again := agentswitch.ParseError(status, "", err.AppendBody(nil))
		require.IsType(t, err, again)
		require.Equal(t, string(err.AppendBody(nil)), string(again.AppendBody(nil)))
	})
}
