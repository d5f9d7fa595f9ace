package switchfront

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// answer writes a successful answer as JSON. Every success of the protocol is a 200.
func answer(c echo.Context, v any) error {
	body, err := strictjson.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	write(c.Response(), http.StatusOK, agentswitch.ContentTypeJSON, body)
	return nil
}

// asked reads who asks, by the path and the token, and then what for, by the body.
func asked[T any](f *Front, c echo.Context, parse func(body []byte) (T, error)) (agent string, body []byte, req T, err error) {
	if agent, err = actingAgent(c.Request().Context(), c.Param(paramAgent)); err != nil {
		return "", nil, req, err
	}
	if body, err = f.body(c); err != nil {
		return "", nil, req, err
	}
	req, err = parse(body)
	return agent, body, req, err
}

// body reads a request's body within the front's bound.
func (f *Front) body(c echo.Context) ([]byte, error) { return f.bodyUpTo(c, f.opts.MaxBody) }

func (f *Front) bodyUpTo(c echo.Context, most int64) ([]byte, error) {
	data, err := transport.ReadBody(c.Request(), most)
	var large *transport.TooLargeError
	if err != nil && !errors.As(err, &large) {
		return nil, &bodyError{cause: err}
	}
	return data, err
}

func (f *Front) writeError(w http.ResponseWriter, wire agentswitch.Error) {
	write(w, wire.Status(), wire.ContentType(), wire.AppendBody(nil))
}

// write sends a whole response. Without a content type it sends none: the server must not guess one from the body.
func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h["Content-Type"] = nil
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that has gone does not get its answer; there is nobody left to tell.
	_, _ = w.Write(body)
}
