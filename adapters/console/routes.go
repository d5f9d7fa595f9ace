package console

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"
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
	e.Use(c.ownForms())
	add := func(r route) {
		e.Add(r.method, r.path, c.page(r))
		// A live stream has no end that could be told of beforehand.
		if r.method == http.MethodGet && path.Base(r.path) != livePath {
			e.Add(http.MethodHead, r.path, c.page(r))
		}
	}
	for _, r := range c.routes() {
		r.path = Prefix + r.path
		add(r)
	}
	for _, r := range c.watchRoutes() {
		add(r)
	}
	e.GET(Prefix+assetsPath+"*", c.assets.serve)
	e.HEAD(Prefix+assetsPath+"*", c.assets.serve)
	return e
}

// livePath is the last part of the path of every live stream that is no page as well.
const livePath = "live"

// ownForms lets what changes something come from the console's own pages alone (CWE-352). Those know the gateway by its public
// URL, whatever name a proxy before it asks for.
func (c *Console) ownForms() echo.MiddlewareFunc {
	own := http.NewCrossOriginProtection()
	if origin := originOf(c.opts.PublicURL); origin != "" {
		if err := own.AddTrustedOrigin(origin); err != nil {
			c.log.Warn("the public URL is no origin that a browser could name", zap.Error(err))
		}
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(ec echo.Context) error {
			if err := own.Check(ec.Request()); err != nil {
				return fmt.Errorf("%w: %w", errOtherSite, err)
			}
			return next(ec)
		}
	}
}

// originOf is a base URL as browsers name where a page is from: without a path, and without the port that goes without saying.
func originOf(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443" {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	return u.Scheme + "://" + host
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
