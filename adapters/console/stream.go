package console

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
	"stele/internal/sse"
)

// stream begins a live stream of a user. leave ends it.
func (v *visit) stream() (out *transport.EventStream, leave func(), err error) {
	return v.streamWithin(func() (func(), bool) { return v.console.gate.openStream(v.user.ID) })
}

// streamWithin begins a live stream if there is a place for it.
func (v *visit) streamWithin(place func() (leave func(), ok bool)) (out *transport.EventStream, leave func(), err error) {
	c := v.console
	if c.life.Err() != nil {
		return nil, nil, core.ErrDraining
	}
	free, ok := place()
	if !ok {
		return nil, nil, errTooMany
	}
	h := v.echo.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	h.Set(echo.HeaderCacheControl, "no-cache, no-transform")
	v.echo.Response().WriteHeader(http.StatusOK)
	out, err = transport.NewEventStream(v.echo.Response(), v.request(), transport.EventStreamOptions{KeepAlive: c.opts.KeepAlive})
	if err != nil {
		free()
		return nil, nil, err
	}
	return out, func() {
		out.Close()
		free()
	}, nil
}

// listens tells whether a browser's event source asks.
func (v *visit) listens() bool {
	return v.request().Method == http.MethodGet && v.request().Header.Get("Accept") == "text/event-stream"
}

// over answers an event source that there is nothing to follow any more: from a refusal its page would learn nothing, and ask
// again for ever.
func (v *visit) over() error {
	end := sse.Frame{Event: "over", Data: []byte(`<p class="notice">There is nothing to follow here any more.</p>`)}
	return v.echo.Blob(http.StatusOK, "text/event-stream", sse.Append(nil, end))
}

// stillIn tells whether the visitor is signed in still, and learns what it is by now.
func (v *visit) stillIn() bool {
	user, _, ok := v.console.node.AuthenticateUser(sessionOf(v.request()))
	if !ok || user.ID != v.user.ID {
		return false
	}
	v.user = user
	return true
}

// errOver: the visitor may not see any more what the page has.
var errOver = errors.New("the visitor may not see this any more")
