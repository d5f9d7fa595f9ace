package areyouai

import (
	"context"
	"net/http"
	"sync"
)

// credentials are what a client proves itself with. The clients that
// [Client.ForRoom] makes share those of their origin.
type credentials struct {
	// loginMu lets one caller log in while the others wait for its token.
	loginMu sync.Mutex
	// mu guards what follows and is never held across I/O.
	mu      sync.Mutex
	apiKey  string
	session string
	// agentID is empty until the server has named it.
	agentID string
}

func (cr *credentials) get() (apiKey, session, agentID string) {
	cr.mu.Lock()
	defer cr.mu.Unlock()
	return cr.apiKey, cr.session, cr.agentID
}

func (cr *credentials) setSession(token string) {
	cr.mu.Lock()
	defer cr.mu.Unlock()
	cr.session = token
}

func (cr *credentials) setAgentID(id string) {
	cr.mu.Lock()
	defer cr.mu.Unlock()
	cr.agentID = id
}

// registered keeps what a registration gave, unless the client has a key.
func (cr *credentials) registered(r RegisterReply) {
	cr.mu.Lock()
	defer cr.mu.Unlock()
	if cr.apiKey == "" {
		cr.apiKey, cr.agentID = r.APIKey, r.AgentID
	}
}

// APIKey returns the key the client logs in with, empty before Register.
func (c *Client) APIKey() string {
	key, _, _ := c.cred.get()
	return key
}

// SessionToken returns the current bearer, empty before the first login.
func (c *Client) SessionToken() string {
	_, session, _ := c.cred.get()
	return session
}

// AgentID returns the id of the client's agent as far as it is known: from
// ClientOptions, from Register, from an acknowledged context or from the hello
// of an agent stream. Login does not tell it.
func (c *Client) AgentID() string {
	_, _, id := c.cred.get()
	return id
}

// withSession runs f with the current session token, and after a 401 once
// again with a new one. Without an API key the 401 stands.
func (c *Client) withSession(ctx context.Context, f func(token string) error) error {
	token := c.SessionToken()
	if token == "" && c.APIKey() != "" {
		if err := c.relogin(ctx, ""); err != nil {
			return err
		}
		token = c.SessionToken()
	}
	err := f(token)
	if !isStatus(err, http.StatusUnauthorized) || c.APIKey() == "" {
		return err
	}
	if err := c.relogin(ctx, token); err != nil {
		return err
	}
	return f(c.SessionToken())
}

// relogin replaces the token stale. When another caller was faster there is
// nothing left to do.
func (c *Client) relogin(ctx context.Context, stale string) error {
	c.cred.loginMu.Lock()
	defer c.cred.loginMu.Unlock()
	if c.SessionToken() != stale {
		return nil
	}
	_, err := c.login(ctx)
	return err
}
