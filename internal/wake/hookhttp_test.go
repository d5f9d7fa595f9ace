package wake

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

func TestHTTPHookRequest(t *testing.T) {
	var got *http.Request
	var job Job
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(context.Background())
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		_ = strictjson.Unmarshal(body, &job)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer srv.Close()
	h := newHTTPHook(Options{HookURL: srv.URL + "/hook?a=b", HookToken: "tok", HookHTTP: srv.Client()})
	want := newJob(&Wake{RoomID: "room_1", Round: 1, Attempts: 2}, Token{}, "p", "s")
	require.NoError(t, h.call(t.Context(), want))
	require.Equal(t, want, job)
	require.Equal(t, http.MethodPost, got.Method)
	require.Equal(t, "/hook?a=b", got.RequestURI)
	require.Equal(t, "Bearer tok", got.Header.Get("Authorization"))
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Equal(t, want.WakeID, got.Header.Get("Idempotency-Key"))
	require.NoError(t, h.reachable(t.Context()))

	h.token = ""
	require.NoError(t, h.call(t.Context(), want))
	require.Empty(t, got.Header.Get("Authorization"))
}

func TestHTTPHookRefusals(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(status)
		}))
		h := newHTTPHook(Options{HookURL: srv.URL, HookToken: "tok", HookHTTP: srv.Client()})
		var refused *HookError
		require.ErrorAs(t, h.call(t.Context(), Job{}), &refused, status)
		srv.Close()
		require.ErrorAs(t, h.call(t.Context(), Job{}), &refused, "a server that is gone")
		require.NotContains(t, refused.Error(), srv.URL+"/")
		require.ErrorAs(t, h.reachable(t.Context()), &refused)
	}
	require.Zero(t, elsewhere, "a redirect is not followed: the token is for one host")
}
