package conformance

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCredentials(t *testing.T) {
	t.Parallel()
	s := shared(t)
	r := s.room(t)
	t.Run("shapes", func(t *testing.T) {
		shows(t, "2-api-key", "2-session", "2-room-token", "2-human-code", "2-viewer-token", "2-ids")
		const chars = `[A-Za-z0-9_-]`
		hook := r.a.hook(t, "https://example.com/hook", "secret", nil)
		said := r.say(t, "one")
		st, _ := r.b.stream(t, "")
		for value, want := range map[string]string{
			r.a.key:                           "ak_" + chars + "{32}",
			r.a.session:                       "as_" + chars + "{32}",
			r.token(t, r.a):                   "rat_" + chars + "{32}",
			r.code:                            "hc_" + chars + "{24}",
			r.watches(t):                      "hv_" + chars + "{24}",
			r.a.id:                            "agt_" + chars + "{16,}",
			r.listing:                         "lst_" + chars + "{16,}",
			r.id:                              "room_" + chars + "{16,}",
			text(t, said, "message_id"):       "msg_" + chars + "{16,}",
			hook:                              "whk_" + chars + "{16,}",
			st.hears(t, "room.turn_ready").id: "dly_" + chars + "{16,}",
		} {
			require.Regexp(t, "^"+want+"$", value)
		}
	})
	t.Run("many sessions", func(t *testing.T) {
		shows(t, "2-session-many")
		for _, session := range []string{r.a.login(t), r.a.login(t), r.a.session} {
			s.do(t, "GET", r.path("/state"), session, nil).is(200)
		}
	})
	t.Run("bearer", func(t *testing.T) {
		shows(t, "2.1-scheme", "2.1-trim")
		path := r.path("/state")
		for _, good := range []string{"Bearer " + r.a.session, "Bearer " + r.a.session + "  "} {
			s.do(t, "GET", path, "", nil, "Authorization: "+good).is(200)
		}
		for _, bad := range []string{"bearer " + r.a.session, "BEARER " + r.a.session, r.a.session, "Basic " + r.a.session, "Bearer" + r.a.session, "Bearer\t" + r.a.session, "Bearer"} {
			s.do(t, "GET", path, "", nil, "Authorization: "+bad).refused("unauthorized")
		}
	})
	t.Run("in bodies", func(t *testing.T) {
		shows(t, "2.1-body", "2.1-query", "2.1-viewer-bearer", "13-29")
		r.transcript(t).is(200)
		viewer := r.watches(t)
		r.viewer(t, object{"op": "heartbeat", "human_code": "", "viewer_token": viewer}).is(200)
		s.do(t, "POST", r.path("/viewers"), viewer, object{"op": "heartbeat"}).refused("viewer_not_found")
		s.do(t, "POST", r.path("/transcript"), r.code, object{}).refused("forbidden")
		o := s.do(t, "POST", r.path("/transcript?human_code="+r.code), "", object{"human_code": r.code}).refused("invalid_request")
		require.NotEmpty(t, o["hint"])
		s.do(t, "GET", r.path("/transcript?human_code="+r.code), "", nil).refused("method_not_allowed")
		s.opens(t, r.path("/viewer-events"), viewer)
		_, refusal := s.tries(t, r.path("/viewer-events?viewer_token="+viewer), "")
		refusal.refused("unauthorized")
	})
	t.Run("stored", func(t *testing.T) {
		t.Parallel()
		shows(t, "2-stored", "14-20", "9-sealed")
		const seal, secret = "k1=a-key-of-the-operator", "the-secret-of-a-webhook"
		s := own(t, "--webhook-keys", seal, "--areyouai-admin-token", adminToken)
		r := s.room(t)
		r.a.hook(t, "https://example.com/hook", secret, nil)
		secrets := []string{
			r.a.key, r.a.session, r.token(t, r.a), r.code, r.watches(t), secret, "a-key-of-the-operator", adminToken,
		}
		s.restart(t, false)
		require.NoError(t, s.proc.Stop())
		log := s.proc.Log()
		s.proc = nil
		for _, secret := range secrets {
			require.NotContains(t, log, secret)
		}
		nowhere(t, s.dir, secrets...)
	})
	t.Run("no key no secret", func(t *testing.T) {
		t.Parallel()
		shows(t, "14-20", "4-true")
		s := own(t)
		a := s.agent(t)
		o := a.post(t, "/v1/agent/webhooks", object{"url": "https://example.com/", "secret": "s"}).refused("endpoint_not_supported")
		require.NotEmpty(t, o["hint"])
		require.Equal(t, []any{}, a.get(t, "/v1/agent/webhooks").is(200).object()["items"])
		truthful(t, s)
	})
}

// nowhere expects that no file below a folder contains one of the texts.
func nowhere(t *testing.T, dir string, texts ...string) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, text := range texts {
			if strings.Contains(string(data), text) {
				t.Errorf("%s contains %s", path, text)
			}
		}
		return nil
	}))
	require.Positive(t, files)
}

// roomRoutes are the routes that take a room token, with bodies that are in order.
func (r *room) roomRoutes(t *testing.T, who *agent) []route {
	return []route{
		{"GET", r.path("/state"), nil, 200},
		{"GET", r.path("/context"), nil, 200},
		{"POST", r.path("/context/ack"), object{"turn_index": 0}, 200},
		{"POST", r.path("/typing"), object{"state": "stop"}, 200},
		{"POST", r.path("/messages"), r.speech(t, who, "words"), 201},
		{"POST", r.path("/close"), nil, 200},
	}
}

type route struct {
	method, path string
	body         any
	status       int
}

// sessionRoutes are the routes that take a session alone.
func (r *room) sessionRoutes() []route {
	return []route{
		{"POST", "/v1/listings", object{"topic": "t"}, 201},
		{"POST", "/v1/listings/" + r.listing + "/connect", nil, 403},
		{"POST", r.path("/join"), nil, 200},
		{"GET", r.path("/events/history"), nil, 200},
		{"GET", "/v1/agent/actionable-rooms", nil, 200},
		{"GET", "/v1/agent/webhooks", nil, 200},
		{"POST", "/v1/agent/webhooks", object{"url": "https://example.com/", "secret": "s"}, 201},
		{"DELETE", "/v1/agent/webhooks/whk_none", nil, 404},
		{"POST", "/v1/agent/stream/ack", object{"delivery_id": "dly_none"}, 404},
		{"POST", r.path("/access-token"), nil, 201},
	}
}

func TestBearers(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("session", func(t *testing.T) {
		shows(t, "2.2-session", "2.2-membership", "3.0-7", "3.0-10", "3.0-11", "3.0-12", "3.0-13", "3.0-14", "3.0-15", "3.0-16", "3.0-17", "3.0-19", "3.0-26", "3.0-27")
		r, stranger := s.room(t), s.agent(t)
		for _, c := range append(r.sessionRoutes(), r.roomRoutes(t, r.a)...) {
			if strings.HasPrefix(c.path, r.path("")) {
				s.do(t, c.method, c.path, stranger.session, c.body).refused("forbidden")
				s.do(t, c.method, strings.Replace(c.path, r.id, "room_none", 1), r.a.session, c.body).refused("room_not_found")
			}
			s.do(t, c.method, c.path, r.a.session, c.body).is(c.status)
		}
		for _, path := range []string{r.path("/events"), "/v1/agent/stream"} {
			s.opens(t, path, r.a.session)
		}
	})
	t.Run("room token", func(t *testing.T) {
		shows(t, "2.2-room-token", "2.2-other-room", "2.2-session-only", "2.2-close-revokes", "13-3", "13-4", "16-7", "3.10-token", "13-24", "6-check-3")
		r, other := s.room(t), s.room(t)
		token, peers := r.token(t, r.a), r.token(t, r.b)
		for _, c := range r.sessionRoutes() {
			s.do(t, c.method, c.path, token, c.body).refused("unauthorized")
		}
		for _, path := range []string{r.path("/events"), "/v1/agent/stream", r.path("/viewer-events")} {
			_, refusal := s.tries(t, path, token)
			require.Contains(t, []string{"unauthorized", "viewer_not_found"}, refusal.code(), path)
		}
		for _, c := range other.roomRoutes(t, other.a) {
			s.do(t, c.method, c.path, token, c.body).refused("forbidden")
		}
		for _, c := range r.roomRoutes(t, r.a) {
			s.do(t, c.method, c.path, token, c.body).is(c.status)
		}
		for _, token := range []string{token, peers} {
			for _, c := range []route{{"GET", r.path("/state"), nil, 0}, {"POST", r.path("/close"), nil, 0}} {
				s.do(t, c.method, c.path, token, c.body).refused("unauthorized")
			}
		}
		r.close(t, r.a)
	})
	t.Run("others", func(t *testing.T) {
		shows(t, "2.2-unknown", "2.2-viewer-token", "3.1-login-401", "6-check-3")
		r := s.room(t)
		viewer := r.watches(t)
		for _, token := range []string{"", "as_none", "rat_none", "nonsense", viewer, r.code, r.a.key, r.listing, adminToken, strings.Repeat("x", 4096)} {
			for _, c := range append(r.sessionRoutes(), r.roomRoutes(t, r.a)...) {
				s.do(t, c.method, c.path, token, c.body).refused("unauthorized")
			}
			if token != "" && token != r.a.key {
				s.do(t, "POST", "/v1/agent/login", "", object{"api_key": token}).refused("unauthorized")
			}
		}
		s.do(t, "POST", "/v1/agent/login", "", object{"api_key": r.a.session}).refused("unauthorized")
		s.opens(t, r.path("/viewer-events"), viewer)
	})
	t.Run("minting", func(t *testing.T) {
		shows(t, "2.2-mint-revokes", "2.2-actionable-revokes", "2.2-scope", "14-33", "3.12-reply", "16-7")
		r := s.room(t)
		elsewhere := r.a.lists(t, nil)
		works := func(token string, r *room) {
			t.Helper()
			s.do(t, "GET", r.path("/state"), token, nil).is(200)
		}
		ended := func(token string) {
			t.Helper()
			s.do(t, "GET", r.path("/state"), token, nil).refused("unauthorized")
		}
		others, peers := elsewhere.token(t, r.a), r.token(t, r.b)
		first := r.token(t, r.a)
		works(first, r)
		o := r.a.post(t, r.path("/access-token"), nil).has(201, "room_id string, agent_id string, token string, scope string, expires_at string")
		require.Equal(t, "room:automation", o["scope"])
		require.Equal(t, r.id, o["room_id"])
		require.Equal(t, r.a.id, o["agent_id"])
		second := o["token"].(string)
		ended(first)
		works(second, r)
		third := text(t, r.a.get(t, "/v1/agent/actionable-rooms").is(200).object(), "actionable", 0, "token")
		ended(second)
		works(third, r)
		works(others, elsewhere)
		works(peers, r)
	})
}
