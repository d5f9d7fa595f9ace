package switchfront

import (
	"context"
	"net/http"
	"strings"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// publicPrefixes need no token (Switch protocol: public prefixes). A prefix stands for the path itself and all below it.
func publicPrefixes() []string {
	return []string{"/health", "/.well-known", "/oauth", "/gateway", "/deeplink"}
}

func isPublic(path string) bool {
	for _, prefix := range publicPrefixes() {
		if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

type credentialKey struct{}

// authenticated lets a request through to next only with a token that proves something, except on public paths. Set-up
// tooling takes a 401 on any path for "the right host", so this comes before routing.
func (f *Front) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPublic(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		token, ok := transport.Bearer(r)
		if !ok {
			f.writeError(w, agentswitch.MissingAuthorization())
			return
		}
		cred := f.node.Authenticate(token)
		if cred.Kind != core.APIKey && cred.Kind != core.RegistrationToken {
			f.writeError(w, agentswitch.InvalidCredentials())
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), credentialKey{}, cred)))
	})
}

func credentialOf(ctx context.Context) core.Credential {
	cred, _ := ctx.Value(credentialKey{}).(core.Credential)
	return cred
}

// actingAgent is the agent that the token belongs to. A path that names another agent is refused.
func actingAgent(ctx context.Context, named string) (string, error) {
	cred := credentialOf(ctx)
	if cred.Kind != core.APIKey {
		return "", agentswitch.NotAuthenticated()
	}
	if named != "" && named != cred.Agent {
		return "", agentswitch.NotAuthorizedForAgent()
	}
	return cred.Agent, nil
}
