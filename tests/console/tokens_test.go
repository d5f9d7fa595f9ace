package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// TestRegistrationToken: a token made in the console registers an agent, is shown once, and registers nobody once revoked.
func TestRegistrationToken(t *testing.T) {
	w := newWorld(t)
	b := w.tab(t)
	w.signIn(b)
	b.follow(`nav a[href="/gateway/tokens"]`)
	before := b.count("main table tbody tr")
	b.follow(`form[action="/gateway/tokens"] button`)
	token := b.text(".secret code")
	require.NotEmpty(t, token)
	require.Equal(t, before+1, b.count("main table tbody tr"))
	made := w.register("dora", token)

	b.open("/gateway/tokens")
	require.Zero(t, b.count(".secret"), "shown once")
	b.follow(`nav a[href="/gateway/agents"]`)
	require.Contains(t, b.text("main"), "dora")
	require.Contains(t, b.text("main"), "admin", "its owner")

	dora, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, AgentID: made.ID, APIKey: made.APIKey, HTTPClient: w.http})
	require.NoError(t, err)
	_, err = dora.ListRooms(t.Context(), false)
	require.NoError(t, err)

	b.open("/gateway/tokens")
	for b.count("main table tbody tr") > 0 {
		b.follow("main table tbody tr form button")
	}
	anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, HTTPClient: w.http})
	require.NoError(t, err)
	_, err = anyone.Register(t.Context(), token, agentswitch.RegisterRequest{AgentType: "claude-code", Name: "eve", Description: "comes late"})
	require.True(t, agentswitch.IsUnauthorized(err), "%v", err)
}

// TestSignIn: the password that the first start printed lets in, a wrong one does not, and whoever signs out is out.
func TestSignIn(t *testing.T) {
	w := newWorld(t)
	b := w.tab(t)
	b.open("/gateway/rooms")
	b.await(`location.pathname === "/gateway/sign-in"`)
	b.fill(`input[name="name"]`, "admin")
	b.fill(`input[name="password"]`, "no such password")
	b.submit(`input[name="password"]`)
	require.NotEmpty(t, b.text(`[role="alert"]`))
	require.Equal(t, "admin", value[string](b, `document.querySelector('input[name="name"]').value`))
	b.fill(`input[name="password"]`, w.password)
	b.submit(`input[name="password"]`)
	b.await(`location.pathname === "/gateway/rooms"`)
	require.Empty(t, value[string](b, "document.cookie"), "a script can read the session")
	b.follow(".me form button")
	b.open("/gateway/rooms")
	b.await(`location.pathname === "/gateway/sign-in"`)
}
