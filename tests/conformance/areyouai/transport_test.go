package conformance

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/core"
	"stele/core/memlog"
)

func TestTransport(t *testing.T) {
	t.Parallel()
	s := shared(t)
	r := s.room(t)
	t.Run("below a prefix", func(t *testing.T) {
		shows(t, "1.1-root")
		for _, prefix := range []string{"", "/areyouai"} {
			r.a.get(t, prefix+r.path("/state")).is(200)
			require.Equal(t, 404, s.do(t, "GET", prefix+"/v1/nothing", "", nil).status)
		}
	})
	t.Run("bodiless", func(t *testing.T) {
		shows(t, "1.1-bodiless")
		for _, send := range []struct {
			body    any
			headers []string
		}{
			{nil, nil},
			{"{}", nil},
			{"", nil},
			{"", []string{"Content-Type"}},
		} {
			q := s.agent(t).lists(t, nil)
			b := s.agent(t)
			b.post(t, "/v1/listings/"+q.listing+"/connect", send.body, send.headers...).is(201)
			b.post(t, q.path("/join"), send.body, send.headers...).is(200)
			b.post(t, q.path("/access-token"), send.body, send.headers...).is(201)
			b.post(t, q.path("/close"), send.body, send.headers...).is(200)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		shows(t, "1.1-json", "1.1-times", "1.1-null-times")
		for _, a := range []answer{
			s.do(t, "GET", "/healthz", "", nil), s.do(t, "GET", "/v1/capabilities", "", nil), r.a.get(t, r.path("/context")),
			s.do(t, "GET", "/v1/nothing", "", nil), r.transcript(t),
		} {
			a.object()
		}
		state := r.state(t)
		instant(t, state["created_at"])
		instant(t, state["ttl_at"])
		for _, o := range []object{state, r.transcript(t).object()} {
			for _, name := range []string{"closed_at", "purged_at"} {
				require.Contains(t, o, name)
				require.Nil(t, o[name])
			}
		}
	})
	t.Run("slashes", func(t *testing.T) {
		shows(t, "1.1-slash")
		for _, path := range []string{r.path("/state/"), r.path("/context//"), r.path("/events/history/")} {
			r.a.get(t, path).is(200)
		}
		s.do(t, "GET", "/v1/listings/search/", "", nil).is(200)
	})
	t.Run("HEAD", func(t *testing.T) {
		shows(t, "1.1-head")
		for _, path := range []string{"/healthz", "/skill.md", "/nodejs_loop.md", "/python_loop.md"} {
			require.Empty(t, s.do(t, "HEAD", path, "", nil).is(200).body)
		}
		for _, path := range []string{"/v1/mode", "/v1/capabilities", "/v1/listings/search", r.path("/state"), r.path("/context"), "/v1/agent/stream"} {
			require.Equal(t, 405, s.do(t, "HEAD", path, r.a.session, nil).status, path)
		}
	})
	t.Run("OPTIONS", func(t *testing.T) {
		shows(t, "1.1-options")
		for _, path := range []string{"/healthz", "/v1/mode", "/v1/rooms/x/messages", "/v1/agent/webhooks", "/v1/nothing", "/v1/rooms/"} {
			for _, origin := range []string{"Origin", "Origin: https://example.com", "Origin: https://areyouai.fun"} {
				require.Empty(t, s.do(t, "OPTIONS", path, "", nil, origin).is(204).body)
			}
		}
	})
	t.Run("unknown fields", func(t *testing.T) {
		shows(t, "1.1-unknown-fields")
		s.do(t, "POST", "/v1/agent/register", "", `{"name":"n","more":{"a":[1,null]},"NAME":7}`).is(201)
		body := r.speech(t, r.a, "with more")
		body["topic"], body["nested"] = 1, object{"a": []any{1}}
		r.a.post(t, r.path("/messages"), body).is(201)
	})
	t.Run("size of a body", func(t *testing.T) {
		shows(t, "1.1-body-cap", "1.3-payload_too_large", "1.2-max_chars")
		q := s.room(t)
		escaped := strings.Repeat(`\ud83d\ude00`, 8192)
		body := `{"expected_turn":0,"bundle_hash":"` + q.hash(t, q.a) + `","ciphertext":"` + escaped + `"}`
		require.Greater(t, len(body), 96<<10)
		q.a.post(t, q.path("/messages"), body).is(201)
		large := q.b.post(t, q.path("/messages"), `{"more":"`+strings.Repeat("x", 257<<10)+`"}`).refused("payload_too_large")
		require.Equal(t, 8192.0, large["max_chars"])
		require.NotEmpty(t, large["hint"])
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := shared(t)
	id := func(t *testing.T, headers ...string) string {
		t.Helper()
		return s.do(t, "GET", "/v1/mode", "", nil, headers...).header.Get("X-Request-Id")
	}
	t.Run("request id", func(t *testing.T) {
		shows(t, "1.1-request-id")
		require.Equal(t, "mine", id(t, "X-Request-Id: mine", "X-Correlation-Id: other"))
		require.Equal(t, "other", id(t, "X-Correlation-Id: other"))
		require.Equal(t, "other", id(t, "X-Request-Id: ", "X-Correlation-Id: other"))
		require.Equal(t, strings.Repeat("x", 64), id(t, "X-Request-Id: "+strings.Repeat("x", 65)))
		require.Regexp(t, `^req_[0-9a-f]{16}$`, id(t))
		require.NotEqual(t, id(t), id(t))
	})
	t.Run("security", func(t *testing.T) {
		shows(t, "1.1-headers")
		// That every plain answer has them is looked at in each test of this suite.
		s.do(t, "OPTIONS", "/v1/mode", "", nil).is(204)
		s.do(t, "GET", "/v1/nothing", "", nil).is(404)
		s.do(t, "PUT", "/v1/mode", "", nil).is(405)
		a := s.agent(t)
		st, _ := a.stream(t, "")
		for name, want := range everywhere {
			require.Equal(t, want, st.resp.Header.Get(name))
		}
		require.NotEmpty(t, st.resp.Header.Get("X-Request-Id"))
		require.Empty(t, st.resp.Header.Get("Strict-Transport-Security"))
	})
	t.Run("TLS", func(t *testing.T) {
		shows(t, "1.1-hsts")
		log := memlog.New()
		node, err := core.Open(context.Background(), log, core.Options{})
		require.NoError(t, err)
		web := httptest.NewTLSServer(adapters.New(node, adapters.Options{}).Handler())
		secure := web.Client()
		secure.Transport.(*http.Transport).TLSClientConfig.MinVersion = tls.VersionTLS12
		for _, path := range []string{"/v1/mode", "/v1/nothing"} {
			resp, err := secure.Get(web.URL + path)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, "max-age=31536000; includeSubDomains", resp.Header.Get("Strict-Transport-Security"))
		}
		web.Close()
		require.NoError(t, node.Close(context.Background()))
		require.NoError(t, log.Close())
	})
}

// crossOrigin are the headers that an allowed origin gets.
var crossOrigin = []string{"Access-Control-Allow-Origin", "Vary", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"}

func origins(t *testing.T, s *server, origin string, allowed bool) {
	t.Helper()
	want := []string{"", "", "", ""}
	if allowed {
		want = []string{origin, "Origin", "GET,POST,OPTIONS", "Authorization,Content-Type"}
	}
	for _, ask := range [][2]string{{"GET", "/v1/mode"}, {"OPTIONS", "/v1/rooms/x/messages"}, {"GET", "/v1/rooms/x/state"}} {
		a := s.do(t, ask[0], ask[1], "", nil, "Origin: "+origin)
		var got []string
		for _, name := range crossOrigin {
			got = append(got, a.header.Get(name))
		}
		require.Equal(t, want, got, "%s for %q", a.what, origin)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	t.Run("default", func(t *testing.T) {
		shows(t, "1.1-cors", "1.1-cors-other", "1.1-cors-default")
		s := shared(t)
		for _, origin := range []string{"http://localhost:3000", "http://127.0.0.1:3000", "https://areyouai.fun", "https://www.areyouai.fun", "HTTPS://AreYouAI.fun"} {
			origins(t, s, origin, true)
		}
		for _, origin := range []string{"", "https://example.com", "http://areyouai.fun", "https://areyouai.fun.example.com", "null"} {
			origins(t, s, origin, false)
		}
	})
	t.Run("the operator's", func(t *testing.T) {
		t.Parallel()
		shows(t, "1.1-cors-flag")
		s := own(t, "--areyouai-origins", "https://one.example,https://two.example:8443")
		origins(t, s, "https://one.example", true)
		origins(t, s, "https://Two.example:8443", true)
		origins(t, s, "https://areyouai.fun", false)
	})
}
