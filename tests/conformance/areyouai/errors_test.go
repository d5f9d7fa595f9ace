package conformance

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/core"
)

// methods are the paths of the protocol and the methods that they take.
var methods = map[string]string{
	"/v1/mode":                  "GET",
	"/v1/capabilities":          "GET",
	"/skill.md":                 "GET, HEAD",
	"/nodejs_loop.md":           "GET, HEAD",
	"/python_loop.md":           "GET, HEAD",
	"/v1/agent/register":        "POST",
	"/v1/agent/login":           "POST",
	"/v1/listings":              "POST",
	"/v1/listings/search":       "GET",
	"/v1/listings/x/connect":    "POST",
	"/v1/rooms/x/join":          "POST",
	"/v1/rooms/x/state":         "GET",
	"/v1/rooms/x/context":       "GET",
	"/v1/rooms/x/context/ack":   "POST",
	"/v1/rooms/x/messages":      "POST",
	"/v1/rooms/x/close":         "POST",
	"/v1/rooms/x/typing":        "POST",
	"/v1/rooms/x/access-token":  "POST",
	"/v1/rooms/x/events":        "GET",
	"/v1/rooms/x/transcript":    "POST",
	"/v1/rooms/x/viewers":       "POST",
	"/v1/rooms/x/viewer-events": "GET",
	"/v1/rooms/x/leave":         "POST",
	"/v1/agent/stream":          "GET",
	"/v1/agent/stream/ack":      "POST",
	"/v1/agent/webhooks/x":      "DELETE",
	"/v1/admin/overview":        "GET",
	"/v1/admin/rooms":           "GET",
	"/v1/admin/audit":           "GET",
	"/v1/rooms/state-machine":   "POST",

	"/v1/rooms/x/events/history": "GET",
	"/v1/agent/actionable-rooms": "GET",
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := shared(t)
	allows := func(t *testing.T, a answer, allow string) {
		t.Helper()
		require.Equal(t, allow, a.header.Get("Allow"), a.what)
		var want []any
		for m := range strings.SplitSeq(allow, ", ") {
			want = append(want, m)
		}
		require.Equal(t, want, a.refused("method_not_allowed")["allow"], a.what)
	}
	t.Run("405", func(t *testing.T) {
		shows(t, "1.4-allow", "1.4-method-first", "1.2-allow", "1.3-method_not_allowed", "6-check-1")
		for path, allow := range methods {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
				if !strings.Contains(allow, method) {
					allows(t, s.do(t, method, path, "", nil), allow)
				}
			}
		}
	})
	t.Run("webhooks", func(t *testing.T) {
		shows(t, "1.4-webhooks-first")
		s.do(t, "PUT", "/v1/agent/webhooks", "", nil).refused("unauthorized")
		allows(t, s.do(t, "PUT", "/v1/agent/webhooks", s.agent(t).session, nil), "GET, POST")
	})
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	for _, c := range []struct {
		name, row string
		paths     []string
	}{
		{"suffix", "1.4-suffix", []string{
			"/v1/rooms/", "/v1/rooms/x", "/v1/rooms/x/nothing", "/v1/rooms/x/state/more", "/v1/listings/x", "/v1/listings/x/nothing",
			"/v1/admin", "/v1/admin/", "/v1/admin/overview/more",
		}},
		{"elsewhere", "1.4-logout", []string{"/v1/agent/logout", "/v1", "/v1/nothing", "/v1/agent", "/v1/agent/stream/nothing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			shows(t, c.row, "1.3-not_found")
			for _, path := range c.paths {
				for _, method := range []string{"GET", "POST"} {
					for _, token := range []string{"", a.session} {
						s.do(t, method, path, token, nil).refused("not_found")
					}
				}
			}
		})
	}
	t.Run("logout", func(t *testing.T) {
		shows(t, "13-23", "14-29", "1.3-endpoint_not_supported", "1.2-endpoint", "3.16-leave", "3.0-23")
		s.do(t, "POST", "/v1/agent/logout", a.session, object{}).refused("not_found")
		r := s.room(t)
		for _, token := range []string{"", a.session, r.a.session, "nonsense"} {
			for _, path := range []string{r.path("/leave"), "/v1/rooms/none/leave"} {
				o := s.do(t, "POST", path, token, nil).refused("endpoint_not_supported")
				require.Equal(t, "/v1/rooms/{id}/leave", o["endpoint"])
				require.Contains(t, o["hint"], "close")
			}
		}
	})
}

// TestRefusals makes each refusal that a client can cause and looks at its shape.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := shared(t)
	r, open := s.room(t), s.agent(t).lists(t, nil)
	closed := s.room(t)
	closed.close(t, closed.a)
	stranger := s.agent(t)
	speech := r.speech(t, r.a, "words")
	with := func(changes object) object {
		out := object{}
		for k, v := range speech {
			out[k] = v
		}
		for k, v := range changes {
			out[k] = v
		}
		return out
	}
	for code, ask := range map[string]func(t *testing.T) answer{
		"invalid_request": func(t *testing.T) answer { return r.a.post(t, r.path("/messages"), "[") },
		"unsupported_op":  func(t *testing.T) answer { return r.viewer(t, object{"op": "dance"}) },
		"unauthorized":    func(t *testing.T) answer { return s.do(t, "GET", r.path("/state"), "as_none", nil) },
		"forbidden":       func(t *testing.T) answer { return stranger.get(t, r.path("/state")) },
		"policy_blocked": func(t *testing.T) answer {
			return r.a.post(t, r.path("/messages"), with(object{"ciphertext": "rm -rf /"}))
		},
		"listing_not_found": func(t *testing.T) answer { return stranger.post(t, "/v1/listings/lst_none/connect", nil) },
		"room_not_found":    func(t *testing.T) answer { return stranger.get(t, "/v1/rooms/room_none/state") },
		"viewer_not_found": func(t *testing.T) answer {
			return r.viewer(t, object{"op": "heartbeat", "viewer_token": "hv_none"})
		},
		"listing_already_connected": func(t *testing.T) answer { return stranger.post(t, "/v1/listings/"+r.listing+"/connect", nil) },
		"room_not_active":           func(t *testing.T) answer { return open.a.post(t, open.path("/messages"), speech) },
		"turn_mismatch":             func(t *testing.T) answer { return r.a.post(t, r.path("/messages"), with(object{"expected_turn": 7})) },
		"stale_bundle_hash":         func(t *testing.T) answer { return r.a.post(t, r.path("/messages"), with(object{"bundle_hash": "00"})) },
		"conflict": func(t *testing.T) answer {
			key := "Idempotency-Key: " + unique("key")
			stranger.post(t, "/v1/listings", object{"topic": "one"}, key).is(201)
			return stranger.post(t, "/v1/listings", object{"topic": "two"}, key)
		},
		"gone": func(t *testing.T) answer { return closed.a.post(t, closed.path("/messages"), speech) },
		"payload_too_large": func(t *testing.T) answer {
			return r.a.post(t, r.path("/messages"), with(object{"ciphertext": strings.Repeat("x", 8193)}))
		},
	} {
		t.Run(code, func(t *testing.T) {
			shows(t, "1.3-"+code, "1.2-error", "1.2-status", "1.2-recoverable", "1.2-hint", "1.2-max_chars", "1.2-endpoint", "1.2-allow")
			o := ask(t).refused(code)
			switch code {
			case "unauthorized":
				require.Contains(t, o["hint"], "/v1/agent/login")
			case "room_not_active":
				require.Contains(t, o["hint"], "ACTIVE")
			case "turn_mismatch", "stale_bundle_hash":
				require.Contains(t, o["hint"], "context")
			case "payload_too_large":
				require.Equal(t, 8192.0, o["max_chars"])
				require.Contains(t, o["hint"], "8192")
			}
		})
	}
	t.Run("409 bodies", func(t *testing.T) {
		shows(t, "6-409")
		for _, a := range []answer{
			open.a.post(t, open.path("/messages"), speech),
			r.a.post(t, r.path("/messages"), with(object{"expected_turn": 7})),
			r.a.post(t, r.path("/messages"), with(object{"bundle_hash": "00"})),
		} {
			require.Equal(t, true, a.has(409, "error string, status int, recoverable bool, hint string")["recoverable"])
		}
	})
	t.Run("admin_not_configured", func(t *testing.T) {
		t.Parallel()
		shows(t, "1.3-admin_not_configured", "14-27", "3.19-order")
		closed, _ := inside(t, core.PurgePolicy{}, areyouaifront.Options{})
		closed.do(t, "GET", "/v1/admin/overview", "", nil).refused("admin_not_configured")
		closed.do(t, "GET", "/v1/admin/overview", "any", nil, "X-Admin-Token: any").refused("admin_not_configured")
		closed.do(t, "POST", "/v1/admin/overview", "", nil).refused("method_not_allowed")
	})
	t.Run("rate_limited", func(t *testing.T) {
		t.Parallel()
		shows(t, "1.3-rate_limited", "3.19-events")
		few, _ := inside(t, core.PurgePolicy{}, areyouaifront.Options{AdminToken: adminToken, Limits: &areyouaifront.Limits{AccountsPerIP: 1}})
		few.do(t, "POST", "/v1/agent/register", "", "{").refused("invalid_request")
		a := few.do(t, "POST", "/v1/agent/register", "", object{"name": "n"})
		require.NotEmpty(t, a.refused("rate_limited")["hint"])
		require.Equal(t, "60", a.header.Get("Retry-After"))
		audit := few.do(t, "GET", "/v1/admin/audit", adminToken, nil).is(200).object()
		require.Equal(t, "ip_rate_limited", at(t, audit, "items", 0, "event"))
	})
}

// TestUnableToWrite: the log behind the gateway is full.
func TestUnableToWrite(t *testing.T) {
	t.Parallel()
	shows(t, "1.3-internal_error")
	s, end := broken(t)
	r := s.room(t)
	speech := r.speech(t, r.a, "words")
	end()
	for _, a := range []answer{
		r.a.post(t, r.path("/messages"), speech), r.a.post(t, "/v1/listings", object{"topic": "t"}),
		s.do(t, "POST", "/v1/agent/register", "", object{"name": "n"}),
	} {
		o := a.is(http.StatusServiceUnavailable).object()
		require.Equal(t, object{"error": "internal_error", "status": 503.0, "recoverable": true, "hint": o["hint"]}, o)
		require.NotEmpty(t, o["hint"])
	}
}

// TestOldHTTP: a client of the last century streams too.
func TestOldHTTP(t *testing.T) {
	t.Parallel()
	shows(t, "1.3-stream_unsupported")
	s := shared(t)
	a := s.agent(t)
	r := a.lists(t, nil)
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(context.Background(), "tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n", r.path("/events"), a.session)
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	var got strings.Builder
	for !strings.Contains(got.String(), "room.joined") {
		line, err := in.ReadString('\n')
		require.NoError(t, err, got.String())
		got.WriteString(line)
	}
	require.Contains(t, got.String(), " 200 OK\r\n")
	require.Contains(t, got.String(), "\r\n\r\nretry: 3000\n\nid: 1\nevent: room.created\ndata: {")
}
