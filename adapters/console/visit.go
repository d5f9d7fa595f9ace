package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
)

// visit is one request, who makes it, and how to answer it.
type visit struct {
	console *Console
	echo    echo.Context
	// user is who asks, without an id when that is nobody; key is how it signed in.
	user core.User
	key  core.UserKey
}

// visitKey is where a request keeps its visit.
const visitKey = "visit"

func (c *Console) visit(ec echo.Context) *visit {
	if v, ok := ec.Get(visitKey).(*visit); ok {
		return v
	}
	v := &visit{console: c, echo: ec}
	v.user, v.key, _ = c.node.AuthenticateUser(sessionOf(ec.Request()))
	ec.Set(visitKey, v)
	return v
}

// ctx is the request's context; what is done in it is done by the user, for the record.
func (v *visit) ctx() context.Context {
	return core.WithActor(v.echo.Request().Context(), "user "+v.user.Name)
}

func (v *visit) request() *http.Request { return v.echo.Request() }

// param is a part of the path, field a field of a form without the space around it, typed one as it is, query one of the URL.
// A form's fields are those of the body alone: what stands in a URL gets into logs and histories (CWE-598).
func (v *visit) param(name string) string { return v.echo.Param(name) }
func (v *visit) field(name string) string { return strings.TrimSpace(v.typed(name)) }
func (v *visit) typed(name string) string { return v.echo.Request().PostFormValue(name) }
func (v *visit) query(name string) string { return v.echo.QueryParam(name) }

// redirect sends the browser to a page of the console after something was done.
func (v *visit) redirect(path string) error { return v.echo.Redirect(http.StatusSeeOther, path) }

// scripted tells whether a page's own script asks, which shows a line and no page.
func (v *visit) scripted() bool { return v.request().Header.Get("Accept") == "text/plain" }

// sees tells whether something of an owner is the user's to see.
func (v *visit) sees(owner string) bool { return v.user.Owns(owner) }

// baseURL is where clients reach the gateway.
func (v *visit) baseURL() string {
	if v.console.opts.PublicURL != "" {
		return strings.TrimRight(v.console.opts.PublicURL, "/")
	}
	u := url.URL{Scheme: "http", Host: v.request().Host}
	if v.request().TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// secure tells whether the browser came over TLS, as far as the gateway knows.
func (v *visit) secure() bool { return strings.HasPrefix(v.baseURL(), "https:") }

// address is what limits per address take for the visitor's.
func (v *visit) address() string { return transport.ClientNetwork(v.request()) }
