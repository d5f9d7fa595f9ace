package areyouaifront

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/areyouai"
	"stele/core"
)

// public serves a route that needs no credential.
func (f *Front) public(h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, err := newRequest(c)
		if err != nil {
			return err
		}
		return f.reply(r, h)
	}
}

// withSession serves a route that needs a session. A room token or an API key is not one (areyouai: which bearer works
// where).
func (f *Front) withSession(h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, err := newRequest(c)
		if err != nil {
			return err
		}
		if r.cred, err = f.session(c); err != nil {
			return err
		}
		return f.reply(r, h)
	}
}

// inRoom serves a route that takes a session or the room's own token. Whether the agent of a session is in the room the
// route finds out later.
func (f *Front) inRoom(h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, err := newRequest(c)
		if err != nil {
			return err
		}
		if r.cred, err = f.authenticate(c); err != nil {
			return err
		}
		switch r.cred.Kind {
		case core.SessionToken:
		case core.RoomTokenKind:
			if r.cred.Room != r.id {
				return areyouai.NewError(areyouai.CodeForbidden)
			}
		default:
			return areyouai.NewError(areyouai.CodeUnauthorized)
		}
		return f.reply(r, h)
	}
}

// session returns the session that the bearer is.
func (f *Front) session(c echo.Context) (core.Credential, error) {
	cred, err := f.authenticate(c)
	if err == nil && cred.Kind != core.SessionToken {
		err = areyouai.NewError(areyouai.CodeUnauthorized)
	}
	return cred, err
}

// authenticate tells what the bearer proves, after this node knows everything that the client may have been told by
// another: a token, a room, a turn.
func (f *Front) authenticate(c echo.Context) (core.Credential, error) {
	if err := f.catchUp(c.Request().Context()); err != nil {
		return core.Credential{}, err
	}
	token, _ := areyouai.ParseBearer(c.Request().Header.Get(echo.HeaderAuthorization))
	return f.node.Authenticate(token), nil
}

// catchUp waits for what other nodes have committed, where there are any.
func (f *Front) catchUp(ctx context.Context) error {
	if !f.node.Shared() {
		return nil
	}
	return f.node.CatchUp(ctx)
}

// reply runs a handler and writes what it returns.
func (f *Front) reply(r *request, h handler) error {
	status, reply, err := h(r)
	if err != nil {
		return err
	}
	f.slide(r)
	if status == http.StatusNoContent {
		return r.NoContent(status)
	}
	return f.answer(r, status, reply)
}

// slide gives a room token that was used shortly before its end a full life again. The call has succeeded already, so a
// failure is for the operator only.
func (f *Front) slide(r *request) {
	if r.cred.Kind != core.RoomTokenKind {
		return
	}
	if sum, ok := f.node.Room(r.cred.Room); !ok || sum.State == core.StateClosed || sum.State == core.StatePurged {
		return
	}
	if err := f.node.UseRoomToken(r.ctx(), r.cred); err != nil {
		f.log.Warn("room token was not extended", zap.String("room", r.cred.Room), zap.String("agent", r.cred.Agent), zap.Error(err))
	}
}
