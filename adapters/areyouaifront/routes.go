package areyouaifront

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"stele/areyouai"
)

// route is one method of one path. A nil serve is a route of the protocol that this gateway does not offer: it answers
// 501, as its entry in the capabilities says.
type route struct {
	method, path string
	serve        echo.HandlerFunc
}

// routes are the routes that are served, beside /healthz.
func (f *Front) routes() []route {
	return []route{
		{http.MethodGet, areyouai.PathMode, f.public(f.mode)},
		{http.MethodGet, areyouai.PathCapabilities, f.public(f.showCapabilities)},
		{http.MethodPost, areyouai.PathRegister, f.perIP(f.rates.accounts, f.public(f.register))},
		{http.MethodPost, areyouai.PathLogin, f.perIP(f.rates.accounts, f.public(f.login))},
		{http.MethodPost, areyouai.PathListings, f.withSession(f.createListing)},
		{http.MethodGet, areyouai.PathListingsSearch, f.public(f.search)},
		{http.MethodPost, areyouai.PathListingConnect, f.withSession(f.connect)},
		{http.MethodGet, areyouai.PathRoomState, f.inRoom(f.state)},
		{http.MethodGet, areyouai.PathRoomContext, f.inRoom(f.context)},
		{http.MethodPost, areyouai.PathRoomContextAck, f.inRoom(f.ack)},
		{http.MethodPost, areyouai.PathRoomMessages, f.perIP(f.rates.posts, f.inRoom(f.send))},
		{http.MethodPost, areyouai.PathRoomClose, f.inRoom(f.close)},
		{http.MethodPost, areyouai.PathRoomJoin, f.withSession(f.join)},
		{http.MethodPost, areyouai.PathRoomTyping, f.inRoom(f.typing)},
		{http.MethodPost, areyouai.PathRoomTranscript, f.transcript},
		{http.MethodPost, areyouai.PathRoomViewers, f.public(f.viewers)},
		{http.MethodGet, areyouai.PathRoomViewerEvents, f.viewerEvents},
		{http.MethodGet, areyouai.PathRoomEvents, f.perIP(f.rates.opensIP, f.events)},
		{http.MethodGet, areyouai.PathRoomHistory, f.history},
		{http.MethodPost, areyouai.PathRoomAccessToken, f.withSession(f.accessToken)},
		{http.MethodGet, areyouai.PathAgentStream, f.serveAgentStream},
		{http.MethodPost, areyouai.PathAgentStreamAck, f.withSession(f.ackDelivery)},
		{http.MethodGet, areyouai.PathActionableRooms, f.withSession(f.actionableRooms)},
		{http.MethodGet, areyouai.PathWebhooks, f.withSession(f.listWebhooks)},
		{http.MethodDelete, areyouai.PathWebhook, f.withSession(f.removeWebhook)},
		{http.MethodPost, areyouai.PathStateMachine, f.public(f.transition)},
		{http.MethodGet, pathAdmin, f.public(f.admin)},
	}
}

// newEcho wires the routes. Which method a path takes is decided before anything else is looked at.
func (f *Front) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = f.answerError
	e.Pre(f.frame)

	routes := append(f.routes(), f.markdownRoutes()...)
	if f.opts.Keys.Configured() {
		routes = append(routes, route{http.MethodPost, areyouai.PathWebhooks, f.withSession(f.addWebhook)})
	}
	f.capabilities = offered(routes)
	routes = append(routes, missing(routes)...)
	allowed := map[string][]string{}
	for _, r := range routes {
		serve := r.serve
		if serve == nil {
			serve = notSupported(r.path)
		}
		e.Add(r.method, echoPath(r.path), ofShape(r.path, f.audited(r.path, f.measured(r, serve))))
		allowed[r.path] = append(allowed[r.path], r.method)
	}
	for path, methods := range allowed {
		slices.Sort(methods)
		refuse := notAllowed(methods)
		if path == areyouai.PathWebhooks {
			// The one path where the credential comes before the method (areyouai: 405 and 404 details).
			refuse = f.withSession(func(*request) (int, any, error) { return 0, nil, areyouai.MethodNotAllowed(methods...) })
		}
		e.RouteNotFound(echoPath(path), ofShape(path, refuse))
	}
	e.RouteNotFound(areyouai.PathHealth, f.public(f.health))
	return e
}

// echoPath writes a route template as the router wants it.
func echoPath(template string) string { return strings.ReplaceAll(template, "{id}", ":id") }

// wirePath undoes it.
func wirePath(path string) string { return strings.ReplaceAll(path, ":id", "{id}") }

// ofShape keeps a route to paths with as many parts as its template has: the router lets an id at the end stand for all
// that follows.
func ofShape(template string, serve echo.HandlerFunc) echo.HandlerFunc {
	parts := strings.Count(template, "/")
	return func(c echo.Context) error {
		u := c.Request().URL
		path := u.Path
		if u.RawPath != "" {
			path = u.RawPath
		}
		if strings.Count(path, "/") != parts {
			return areyouai.NewError(areyouai.CodeNotFound)
		}
		return serve(c)
	}
}

func notAllowed(methods []string) echo.HandlerFunc {
	return func(echo.Context) error { return areyouai.MethodNotAllowed(methods...) }
}

// hintFor says why a route is not offered; empty: in the protocol's own words.
func hintFor(template string) string {
	switch template {
	case areyouai.PathRoomLeave:
		return ""
	case areyouai.PathWebhooks:
		return hintNoSealKey
	}
	return hintNotOffered
}

func notSupported(template string) echo.HandlerFunc {
	return func(echo.Context) error {
		e := areyouai.EndpointNotSupported(template)
		if hint := hintFor(template); hint != "" {
			e.Hint = hint
		}
		return e
	}
}
