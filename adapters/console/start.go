package console

import "strings"

// startPage tells how to point real clients at this gateway.
type startPage struct {
	// Base is where clients reach the gateway, Socket the same for WebSockets.
	Base, Socket string
	// Token is a registration token that was just made, shown this once.
	Token string
}

func (c *Console) showStart(v *visit) error { return c.startPage(v, "") }

func (c *Console) startPage(v *visit, token string) error {
	base := v.baseURL()
	socket := base
	if rest, ok := strings.CutPrefix(base, "http"); ok {
		socket = "ws" + rest
	}
	return v.render("start", startPage{Base: base, Socket: socket, Token: token})
}

// makeStartToken makes a registration token of the user's for the lines on the page.
func (c *Console) makeStartToken(v *visit) error {
	token, err := c.node.NewRegistrationToken(v.ctx(), v.user.Name)
	if err != nil {
		return err
	}
	return c.startPage(v, token)
}
