package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCapabilities(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.do(t, "GET", "/v1/capabilities", "", nil).has(200, "mode string, poll_interval_ms int, structured_errors bool, "+
		"owner_first_listing bool, features object, endpoints list, error_codes list")
	t.Run("head", func(t *testing.T) {
		shows(t, "4-mode", "4-flags", "3.0-3")
		require.Equal(t, []any{"sse", 5000.0, true, true}, []any{c["mode"], c["poll_interval_ms"], c["structured_errors"], c["owner_first_listing"]})
	})
	t.Run("features", func(t *testing.T) {
		features := []string{
			"owner_first_listing", "structured_errors", "prompt_context", "agent_stream", "events_stream", "events_history", "events_webhook",
			"webhook_endpoints", "room_scoped_tokens", "viewer_controls", "typing_indicator",
		}
		shows(t, "13-22")
		require.Len(t, c["features"], len(features))
		for _, f := range features {
			shows(t, "4-feature-"+f)
			require.Equal(t, true, at(t, c, "features", f), f)
		}
	})
	t.Run("endpoints", func(t *testing.T) {
		shows(t, "4-entry")
		entries := list(t, c, "endpoints")
		names := []any{}
		for _, want := range endpoints {
			name, rest, _ := strings.Cut(want, " ")
			shows(t, "4-endpoint-"+name)
			names = append(names, name)
			for _, e := range entries {
				o := e.(object)
				if o["name"] != name {
					continue
				}
				require.Equal(t, rest, o["method"].(string)+" "+o["path"].(string)+" "+o["auth"].(string))
				if name == "room_leave" {
					shape(t, o, "name string, method string, path string, auth string, supported bool, status_if_called int, error string, hint string")
					require.Equal(t, []any{false, 501.0, "endpoint_not_supported"}, []any{o["supported"], o["status_if_called"], o["error"]})
					continue
				}
				shape(t, o, "name string, method string, path string, auth string, supported bool")
				require.Equal(t, true, o["supported"], name)
			}
		}
		require.Equal(t, names, column(t, entries, "name"))
	})
	t.Run("codes", func(t *testing.T) {
		shows(t, "13-1")
		listed := map[string]bool{}
		for _, e := range list(t, c, "error_codes") {
			o := shape(t, e, "error string, status int, recoverable bool")
			name := o["error"].(string)
			want, known := codes[name]
			require.True(t, known, name)
			require.Equal(t, []any{float64(want.status), want.recoverable}, []any{o["status"], o["recoverable"]}, name)
			require.False(t, listed[name], name)
			listed[name] = true
		}
		for name := range codes {
			if name == "unsupported_op" || name == "stream_unsupported" {
				continue
			}
			shows(t, "4-code-"+name)
			require.True(t, listed[name], name)
		}
	})
	t.Run("true", func(t *testing.T) {
		shows(t, "4-true")
		truthful(t, s)
	})
}

// truthful expects that what the capabilities call supported is served, and that the rest answers as they say.
func truthful(t *testing.T, s *server) {
	t.Helper()
	for _, e := range list(t, s.do(t, "GET", "/v1/capabilities", "", nil).is(200).object(), "endpoints") {
		o := e.(object)
		a := s.do(t, o["method"].(string), strings.ReplaceAll(o["path"].(string), "{id}", "x"), "", nil)
		if o["supported"] == true {
			require.NotContains(t, []int{405, 501}, a.status, a.what)
			require.NotEqual(t, "not_found", a.code(), a.what)
			continue
		}
		require.Equal(t, o["status_if_called"], float64(a.status), a.what)
		require.Equal(t, o["error"], a.code(), a.what)
		require.Equal(t, o["hint"], at(t, a.object(), "hint"), a.what)
		require.Equal(t, o["path"], at(t, a.object(), "endpoint"), a.what)
	}
}

// endpoints is the protocol's table: name, method, path and auth, in order.
var endpoints = []string{
	"mode GET /v1/mode none",
	"capabilities GET /v1/capabilities none",
	"agent_register POST /v1/agent/register none",
	"agent_login POST /v1/agent/login none",
	"listings_create POST /v1/listings bearer",
	"listings_search GET /v1/listings/search none",
	"listing_connect POST /v1/listings/{id}/connect bearer",
	"room_join POST /v1/rooms/{id}/join bearer",
	"room_state GET /v1/rooms/{id}/state bearer_or_room_token",
	"room_messages POST /v1/rooms/{id}/messages bearer_or_room_token",
	"room_close POST /v1/rooms/{id}/close bearer_or_room_token",
	"room_transcript POST /v1/rooms/{id}/transcript human_code",
	"room_viewers POST /v1/rooms/{id}/viewers none",
	"room_leave POST /v1/rooms/{id}/leave bearer",
	"agent_stream GET /v1/agent/stream bearer",
	"agent_stream_ack POST /v1/agent/stream/ack bearer",
	"agent_actionable_rooms GET /v1/agent/actionable-rooms bearer",
	"agent_webhooks_list GET /v1/agent/webhooks bearer",
	"agent_webhooks_create POST /v1/agent/webhooks bearer",
	"agent_webhooks_delete DELETE /v1/agent/webhooks/{id} bearer",
	"room_access_token POST /v1/rooms/{id}/access-token bearer",
	"room_context GET /v1/rooms/{id}/context bearer_or_room_token",
	"room_context_ack POST /v1/rooms/{id}/context/ack bearer_or_room_token",
	"room_events GET /v1/rooms/{id}/events bearer",
	"room_events_history GET /v1/rooms/{id}/events/history bearer",
	"room_typing POST /v1/rooms/{id}/typing bearer_or_room_token",
	"room_viewer_events GET /v1/rooms/{id}/viewer-events viewer_token",
}
