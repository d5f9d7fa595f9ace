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
		{http.MethodGet, areyouai.PathRoomEvents, f.perIP(f.rates.opensIP, f.events)},
		{http.MethodGet, areyouai.PathRoomHistory, f.withSession(f.history)},
	}
}

// newEcho wires the routes. Which method a path takes is decided before anything else is looked at.
func (f *Front) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = f.answerError
	e.Pre(f.frame)

	routes := f.routes()
	f.capabilities = offered(routes)
	routes = append(routes, missing(routes)...)
	allowed := map[string][]string{}
	for _, r := range routes {
		serve := r.serve
		if serve == nil {
			serve = notSupported(r.path)
		}
		e.Add(r.method, echoPath(r.path), serve)
		allowed[r.path] = append(allowed[r.path], r.method)
	}
	for path, methods := range allowed {
		slices.Sort(methods)
		e.RouteNotFound(echoPath(path), notAllowed(methods))
	}
	e.RouteNotFound(areyouai.PathHealth, f.public(f.health))
	return e
}

// echoPath writes a route template as the router wants it.
func echoPath(template string) string { return strings.ReplaceAll(template, "{id}", ":id") }

func notAllowed(methods []string) echo.HandlerFunc {
	return func(echo.Context) error { return areyouai.MethodNotAllowed(methods...) }
}

func notSupported(template string) echo.HandlerFunc {
	return func(echo.Context) error {
		e := areyouai.EndpointNotSupported(template)
		if template != areyouai.PathRoomLeave {
			e.Hint = hintNotOffered
		}
		return e
	}
}
