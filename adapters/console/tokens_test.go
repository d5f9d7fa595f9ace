package console_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
)

// registers makes an agent as its owner does, with a registration token.
func (h *house) registers(token, name string) (core.Registered, error) {
	cred := h.node.Authenticate(token)
	require.Equal(h.t, core.RegistrationToken, cred.Kind)
	return h.node.Register(h.t.Context(), core.Registration{Token: cred, Agent: core.Agent{Name: name, Handle: name, Owner: cred.Owner}})
}

func TestRegistrationTokensAreTheOwners(t *testing.T) {
	h := newHouse(t, console.Options{})
	olga, karl := h.signedIn("olga"), h.signedIn("karl")
	a := karl.post("/gateway/tokens", nil)
	require.Equal(t, http.StatusOK, a.status)
	token := shown(t, a)
	require.NotContains(t, karl.get("/gateway/tokens").body, token, "shown once")
	made, err := h.registers(token, "ada")
	require.NoError(t, err)
	require.Equal(t, "karl", made.Agent.Owner)

	foreign := shown(t, olga.post("/gateway/tokens", url.Values{"owner": {"acme"}}))
	made, err = h.registers(foreign, "bob")
	require.NoError(t, err)
	require.Equal(t, "acme", made.Agent.Owner)
	info, err := h.node.TokenInfo(foreign)
	require.NoError(t, err)
	own, err := h.node.TokenInfo(token)
	require.NoError(t, err)
	require.Contains(t, olga.get("/gateway/tokens").body, own.ID)
	require.Contains(t, olga.get("/gateway/tokens").body, info.ID)
	require.Contains(t, karl.get("/gateway/tokens").body, own.ID)
	require.NotContains(t, karl.get("/gateway/tokens").body, info.ID)

	require.Equal(t, http.StatusForbidden, karl.post("/gateway/tokens", url.Values{"owner": {"acme"}}).status)
	require.Len(t, h.node.RegistrationTokens(), 2)
	require.Equal(t, http.StatusOK, karl.post("/gateway/tokens", url.Values{"owner": {"karl"}}).status)
	require.Equal(t, http.StatusBadRequest, olga.post("/gateway/tokens", url.Values{"owner": {"a\nb"}}).status)

	require.Equal(t, http.StatusNotFound, karl.post("/gateway/tokens/"+info.ID+"/revoke", nil).status)
	require.Equal(t, http.StatusSeeOther, karl.post("/gateway/tokens/"+own.ID+"/revoke", nil).status)
	require.Equal(t, core.NoCredential, h.node.Authenticate(token).Kind, "it registers nobody any more")
	require.Equal(t, http.StatusSeeOther, olga.post("/gateway/tokens/"+info.ID+"/revoke", nil).status)
	require.Equal(t, http.StatusNotFound, olga.post("/gateway/tokens/"+info.ID+"/revoke", nil).status)
}
