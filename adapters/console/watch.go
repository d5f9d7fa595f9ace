package console

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"stele/core"
)

// WatchPrefix is the path below which people watch rooms, with the room's code and without signing in.
const WatchPrefix = "/watch"

// viewerCookie holds the token of somebody who watches a room. Its path is the room's own.
const viewerCookie = "stele_viewer"

func (c *Console) watchRoutes() []route {
	return []route{
		{http.MethodGet, WatchPrefix, anybody, c.showWatchDoor},
		{http.MethodGet, WatchPrefix + "/:room", anybody, c.showWatch},
		{http.MethodPost, WatchPrefix + "/:room", anybody, c.joinWatch},
		{http.MethodPost, WatchPrefix + "/:room/leave", anybody, c.leaveWatch},
		{http.MethodGet, WatchPrefix + "/:room/live", anybody, c.liveWatch},
		{http.MethodGet, WatchPrefix + "/:room/earlier", anybody, c.showWatchedEarlier},
		{http.MethodGet, WatchPrefix + "/:room/at/:version", anybody, c.showWatchedMessage},
		{http.MethodGet, WatchPrefix + "/:room/at/:version/text", anybody, c.showWatchedText},
	}
}

// watchPath is where a room is watched.
func watchPath(room string) string { return WatchPrefix + "/" + url.PathEscape(room) }

// watchAsk is the page that asks for a code.
type watchAsk struct {
	Room, Problem string
}

// showWatchDoor asks which room it is, for somebody who was told its id and its code.
func (c *Console) showWatchDoor(v *visit) error {
	if room := v.query("room"); room != "" {
		return v.redirect(watchPath(room))
	}
	return v.render("watch-ask", watchAsk{})
}

// showWatch shows a room to a viewer, and asks anybody else for the code.
func (c *Console) showWatch(v *visit) error {
	room := v.param("room")
	view, err := c.watchAs(v, room)
	var refused *watchRefusal
	switch {
	case errors.As(err, &refused):
		return c.refuseWatch(v, room, refused)
	case err != nil:
		return err
	}
	return c.watchPage(v, view)
}

// refuseWatch tells a visitor why there is nothing to watch, or asks for the code.
func (c *Console) refuseWatch(v *visit, room string, refused *watchRefusal) error {
	if refused.end == endPurged {
		end, err := c.watchEndOf(v.ctx(), room, refused.end)
		if err != nil {
			return err
		}
		return v.renderStatus(http.StatusGone, "watch-over", end)
	}
	page, status := watchAsk{Room: room}, http.StatusOK
	if viewerOf(v.request()) != "" {
		v.setViewer(room, "", time.Unix(0, 0))
		page.Problem, status = refused.end.text(), http.StatusForbidden
	}
	return v.renderStatus(status, "watch-ask", page)
}

// joinWatch lets somebody in who has the room's code.
func (c *Console) joinWatch(v *visit) error {
	room := v.param("room")
	if _, ok := c.node.Room(room); !ok {
		return core.ErrNoRoom
	}
	token, err := c.joinViewers(v, room, v.field("code"))
	var gone *core.RoomNotActiveError
	switch {
	case errors.As(err, &gone):
		return c.refuseWatch(v, room, &watchRefusal{endPurged})
	case err != nil:
		f := statusOf(err)
		if f.status == http.StatusInternalServerError || f.status == http.StatusNotFound {
			return err
		}
		return v.renderStatus(f.status, "watch-ask", watchAsk{Room: room, Problem: f.sentence(err)})
	}
	view, err := c.lookAt(v.ctx(), room)
	if err != nil {
		return err
	}
	v.setViewer(room, token, view.CodeUntil)
	return v.redirect(watchPath(room))
}

// joinViewers judges a code unless too many wrong ones came before it, and makes a viewer. A browser that watches already stays
// the viewer that it is. Errors: [errTooManyCodes], the core's.
func (c *Console) joinViewers(v *visit, room, code string) (token string, err error) {
	if wait, _ := c.opts.Guesses.Wait(v.address(), room, c.node.Now()); wait > 0 {
		return "", errTooManyCodes
	}
	if err = c.node.CheckHumanCode(v.ctx(), room, code); err == nil {
		if token = viewerOf(v.request()); token != "" && c.node.BeatViewer(room, token) == nil {
			return token, nil
		}
		token, err = c.node.JoinViewers(v.ctx(), room, code)
	}
	if errors.Is(err, core.ErrWrongCode) {
		c.opts.Guesses.Wrong(v.address(), room, c.node.Now())
	}
	return token, err
}

// leaveWatch ends the viewer, and with it the streams of all its pages.
func (c *Console) leaveWatch(v *visit) error {
	room := v.param("room")
	if token := viewerOf(v.request()); token != "" {
		if err := c.node.LeaveViewers(v.ctx(), room, token); err != nil && !errors.Is(err, core.ErrNoViewer) {
			return err
		}
	}
	v.setViewer(room, "", time.Unix(0, 0))
	return v.redirect(watchPath(room))
}

// viewerOf is the token with which a browser watches the room of the path.
func viewerOf(r *http.Request) string {
	cookie, err := r.Cookie(viewerCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setViewer puts a viewer into the browser until its code ends, for this room alone.
func (v *visit) setViewer(room, token string, until time.Time) {
	v.echo.SetCookie(&http.Cookie{
		Name: viewerCookie, Value: token, Path: watchPath(room), Expires: until, HttpOnly: true, Secure: v.secure(),
		SameSite: http.SameSiteStrictMode,
	})
}
