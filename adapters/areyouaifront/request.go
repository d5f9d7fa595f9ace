package areyouaifront

import (
	"context"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/areyouai"
	"stele/core"
)

// request is a call of a route.
type request struct {
	echo.Context
	// id stands in the path: a room's or a listing's.
	id string
	// cred is who asks; it proves nothing on a public route.
	cred core.Credential
}

// handler answers a call with a status and a body, or with an error that the table in errors.go knows.
type handler func(*request) (status int, reply any, err error)

func (r *request) ctx() context.Context { return r.Request().Context() }

// body reads the request's body.
func (f *Front) body(r *request) ([]byte, error) { return f.opts.Sizes.ReadBody(r.Request().Body) }

// query reads the query string, which must parse as a whole. Only routes that look into it ask for it.
func (r *request) query() (url.Values, error) { return areyouai.ParseQuery(r.Request().URL.RawQuery) }

// key returns the idempotency key, nil without one. One that cannot be used is refused: the client believes that it may
// repeat the request.
func (r *request) key(body []byte) (*core.Key, error) {
	if !transport.ValidKey(r.Request()) {
		return nil, areyouai.InvalidRequest("Header Idempotency-Key must be one value of 1 to 255 visible ASCII characters.")
	}
	return transport.Key(r.Request(), r.cred.Agent, body), nil
}

// newRequest takes the id out of the path. The router matches the escaped form if there is one, so that an escaped slash
// is part of an id and never of a route.
func newRequest(c echo.Context) (*request, error) {
	r := &request{Context: c, id: c.Param("id")}
	if c.Request().URL.RawPath != "" {
		id, err := url.PathUnescape(r.id)
		if err != nil {
			return nil, areyouai.NewError(areyouai.CodeNotFound)
		}
		r.id = id
	}
	if r.id == "" && len(c.ParamNames()) > 0 {
		return nil, areyouai.NewError(areyouai.CodeNotFound)
	}
	return r, nil
}

// answer writes a reply: one JSON object and a newline.
func (f *Front) answer(c echo.Context, status int, reply any) error {
	buf := f.buffers.Get()
	defer f.buffers.Put(buf)
	out, err := areyouai.AppendReply(*buf, reply)
	if err != nil {
		return err
	}
	*buf = out
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(len(out)))
	return c.Blob(status, "application/json", out)
}
