package edgefront_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
	"stele/core"
	"stele/core/memlog"
)

// Wrong codes are counted, right ones and stale keys never; too many keep codes from being judged for a while, and keep
// out nobody else.
func TestGuessingCodes(t *testing.T) {
	now := &clock{}
	o := patient()
	o.Guesses = transport.NewGuesses(3, 0, time.Minute)
	g := newGatewayOn(t, memlog.New(), core.Options{Now: now.now}, o)
	alice := g.register("alice")
	const code, path = "hc_for-people", "/agents/alice/secret"
	secret := g.room("secret", func(cmd *core.CreateRoom) {
		private(cmd)
		cmd.HumanCodeHash = core.HashSecret(code)
	}, alice)
	viewer, err := g.node.JoinViewers(t.Context(), secret, code)
	require.NoError(t, err)
	call := func(path, token string) (*http.Response, string) {
		return g.request("POST", path+"/rpc/getTurn", "", "Authorization", "Bearer "+token)
	}
	watching := g.attach(path, code)
	for range 10 {
		for token, want := range map[string]int{code: 403, "sk_replaced": 401, "nonsense": 401} {
			resp, body := call(path, token)
			require.Equal(t, want, resp.StatusCode, "%s: %s", token, body)
		}
		resp, _ := call("/agents/alice/nothing", "hc_wrong")
		require.Equal(t, 401, resp.StatusCode, "there is no room to guess the code of")
	}
	for _, wrong := range []string{"hc_a", "hc_b", "hc_c"} {
		resp, _ := call(path, wrong)
		require.Equal(t, 401, resp.StatusCode)
	}
	const refusal = `{"json":{"v":2,"kind":"error","code":"unauthorized","message":"too many wrong codes`
	for _, token := range []string{"hc_d", code} {
		resp, body := call(path, token)
		require.Equal(t, 429, resp.StatusCode)
		require.NotEmpty(t, resp.Header.Get("Retry-After"))
		require.Contains(t, body, refusal)
		l := g.dial(path)
		l.send(attachText(token))
		require.Contains(t, l.next(), refusal)
		require.Equal(t, websocket.CloseError{Code: 1013, Reason: "too many wrong codes"}, l.ended())
	}
	g.attach(path, viewer)
	g.attach(path, alice.key)
	watching.send(pingText)
	watching.until(pongText)
	now.move(time.Minute)
	g.attach(path, code)
}
