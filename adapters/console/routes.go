package console

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
)

// route is a page, or what its form does.
type route struct {
	method, path string
	// asks is what the visitor must be.
	asks  standing
	serve func(*visit) error
}

// standing is what somebody is to the console.
type standing int

const (
	anybody standing = iota
	signedIn
	admin
)

func (c *Console) routes() []route {
	return []route{
		{http.MethodGet, "/sign-in", anybody, c.showSignIn},
		{http.MethodPost, "/sign-in", anybody, c.signIn},
		{http.MethodPost, "/sign-out", signedIn, c.signOut},
		{http.MethodGet, "", signedIn, c.showOverview},
		{http.MethodGet, "/live", signedIn, c.liveOverview},
		{http.MethodGet, "/agents", signedIn, c.showAgents},
		{http.MethodPost, "/agents", signedIn, c.registerAgent},
		{http.MethodGet, "/agents/:agent", signedIn, c.showAgent},
		{http.MethodGet, "/agents/:agent/live", signedIn, c.liveAgent},
		{http.MethodGet, "/agents/:agent/trace", signedIn, c.showTrace},
		{http.MethodPost, "/agents/:agent/rotate", signedIn, c.rotateKey},
		{http.MethodPost, "/agents/:agent/delete", signedIn, c.deleteAgent},
		{http.MethodGet, "/account", signedIn, c.showAccount},
		{http.MethodPost, "/account/password", signedIn, c.changePassword},
		{http.MethodPost, "/account/tokens", signedIn, c.makeUserToken},
		{http.MethodPost, "/account/keys/:key/revoke", signedIn, c.revokeUserKey},
		{http.MethodGet, "/people", admin, c.showPeople},
		{http.MethodPost, "/people", admin, c.makePerson},
		{http.MethodPost, "/people/:user/password", admin, c.resetPassword},
		{http.MethodPost, "/people/:user/admin", admin, c.changeAdmin},
		{http.MethodPost, "/people/:user/delete", admin, c.deletePerson},
		{http.MethodGet, "/tokens", signedIn, c.showTokens},
		{http.MethodPost, "/tokens", signedIn, c.makeToken},
		{http.MethodPost, "/tokens/:token/revoke", signedIn, c.revokeToken},
		{http.MethodGet, "/start", signedIn, c.showStart},
		{http.MethodPost, "/start/token", signedIn, c.makeStartToken},
		{http.MethodGet, "/rooms", signedIn, c.showRooms},
		{http.MethodGet, "/rooms/:room", signedIn, c.showRoom},
		{http.MethodGet, "/rooms/:room/earlier", signedIn, c.showEarlier},
		{http.MethodGet, "/rooms/:room/live", signedIn, c.liveRoom},
		{http.MethodGet, "/rooms/:room/at/:version", signedIn, c.showEvent},
		{http.MethodGet, "/rooms/:room/at/:version/text", signedIn, c.showText},
		{http.MethodPost, "/rooms/:room/say", signedIn, c.say},
		{http.MethodPost, "/rooms/:room/join", signedIn, c.join},
		{http.MethodPost, "/rooms/:room/invite", signedIn, c.invite},
		{http.MethodPost, "/rooms/:room/archive", signedIn, c.archive},
		{http.MethodPost, "/rooms/:room/unarchive", signedIn, c.unarchive},
		{http.MethodPost, "/rooms/:room/close", signedIn, c.closeRoom},
		{http.MethodPost, "/rooms/:room/list", signedIn, c.publish},
	}
}

func (c *Console) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = func(err error, ec echo.Context) { c.visit(ec).fail(err) }
	e.Pre(c.surround)
	own := http.NewCrossOriginProtection()
	e.Use(echo.WrapMiddleware(own.Handler))
	for _, r := range c.routes() {
		e.Add(r.method, Prefix+r.path, c.page(r))
	}
	for _, r := range c.watchRoutes() {
		e.Add(r.method, r.path, c.page(r))
	}
	e.GET(Prefix+assetsPath+"*", c.assets.serve)
	return e
}

// page admits a visitor and lets the page answer.
func (c *Console) page(r route) echo.HandlerFunc {
	return func(ec echo.Context) error {
		v := c.visit(ec)
		switch {
		case r.asks >= signedIn && v.user.ID == "":
			return v.sendToSignIn()
		case r.asks == admin && !v.user.Admin:
			return errAdminsOnly
		}
		if err := v.request().ParseForm(); err != nil {
			return fmt.Errorf("%w: %w", errForm, err)
		}
		return r.serve(v)
	}
}
