package gatewayfront

import (
	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
)

// looker is who looks at a room.
type looker struct {
	room core.Summary
	// agent is the member that looks, empty for everybody else.
	agent string
	cred  core.Credential
	// viewer, code and operator are what people came with, empty for everybody else: at most one is set.
	viewer, code, operator string
	// token is that of a user who sees what is theirs, and user who that is.
	token string
	user  core.User
	// shows tells of a private event whether it is for the user.
	shows func(*core.Entry) bool
}

// isPeople tells that somebody watches who is no member.
func (l looker) isPeople() bool { return !l.isOperator() && l.agent == "" && l.token == "" }

func (l looker) isOperator() bool { return l.operator != "" }

// look finds out who asks and whether they may read the room in the path.
func (f *Front) look(c echo.Context) (looker, error) {
	bearer, given := transport.Bearer(c.Request())
	l, err := f.judge(c, bearer, given)
	if err == nil && l.room.State == core.StatePurged {
		return looker{}, gone()
	}
	return l, err
}

// judge tells what a bearer opens. Whoever comes as an agent is told what is wrong; whoever does not learns nothing of what
// rooms there are. Where many come from one address, such as a proxy's, somebody who guesses there keeps no agent out: a code
// for people is all that may be guessed, and only who comes with one waits.
func (f *Front) judge(c echo.Context, bearer string, given bool) (looker, error) {
	id := c.Param("id")
	room, exists := f.node.Room(id)
	l := looker{room: room}
	if given && f.isOperator(bearer) {
		l.operator = bearer
		if !exists {
			return l, core.ErrNoRoom
		}
		return l, nil
	}
	if user, ok := f.userOf(bearer); given && ok {
		if !exists || !f.node.RoomsSeenBy(user)(room) {
			return l, core.ErrNoRoom
		}
		l.token, l.user = bearer, user
		l.shows = func(e *core.Entry) bool { return f.node.Shows(user, e) }
		return l, nil
	}
	if given {
		l.cred = f.node.Authenticate(bearer)
	}
	if l.cred.Agent != "" {
		return f.judgeAgent(l, id, exists)
	}
	if exists && given {
		return f.judgePeople(c, l, bearer)
	}
	return l, unauthorized()
}

// judgePeople tells whether a bearer is the code of a room or the token of one of its viewers. What has not the form of a code is
// no guess.
func (f *Front) judgePeople(c echo.Context, l looker, bearer string) (looker, error) {
	if f.node.BeatViewer(l.room.ID, bearer) == nil {
		l.viewer = bearer
		return l, nil
	}
	if !core.HasCodeForm(bearer) {
		return l, unauthorized()
	}
	from, now := transport.ClientNetwork(c.Request()), f.node.Now()
	if wait, _ := f.opts.Guesses.Wait(from, l.room.ID, now); wait > 0 {
		return l, refuse(CodeTooMany, "too many wrong codes were tried: wait a minute")
	}
	opens, err := f.node.HumanCodeOpens(c.Request().Context(), l.room.ID, bearer)
	if err != nil {
		return l, err
	}
	if !opens {
		f.opts.Guesses.Wrong(from, l.room.ID, now)
		return l, unauthorized()
	}
	l.code = bearer
	return l, nil
}

func unauthorized() error {
	return refuse(CodeUnauthorized, "come with the API key, session token or room token of a member, with a user's token, or with the room's code or viewer token, as a bearer")
}

func (f *Front) isOperator(bearer string) bool {
	user, ok := f.userOf(bearer)
	return ok && user.Admin || f.opts.Operator != nil && f.opts.Operator(bearer)
}

// userOf is whose token a bearer is. A session of a browser is none: it is for pages alone.
func (f *Front) userOf(bearer string) (core.User, bool) {
	user, key, ok := f.node.AuthenticateUser(bearer)
	return user, ok && key.What == core.UserToken
}

// userStands tells whether a user's token still opens the room.
func (f *Front) userStands(l looker) bool {
	user, ok := f.userOf(l.token)
	room, exists := f.node.Room(l.room.ID)
	return ok && exists && user.ID == l.user.ID && f.node.RoomsSeenBy(user)(room)
}

func (f *Front) judgeAgent(l looker, id string, exists bool) (looker, error) {
	switch {
	case l.cred.Kind == core.RoomTokenKind && l.cred.Room != id:
		return l, refuse(CodeForbidden, "this token opens another room")
	case !exists:
		return l, core.ErrNoRoom
	case f.node.IsMember(l.cred.Agent, id):
		l.agent = l.cred.Agent
		return l, nil
	}
	return l, core.ErrNotMember
}

// stillMay tells whether a stream that is open may go on.
func (f *Front) stillMay(c echo.Context, l looker) bool {
	id := l.room.ID
	switch {
	case l.isOperator():
		return f.isOperator(l.operator)
	case l.token != "":
		return f.userStands(l)
	case l.agent != "":
		return f.node.StillValid(l.cred) && f.node.IsMember(l.agent, id)
	case l.viewer != "":
		// Whoever watches a stream is there.
		return f.node.BeatViewer(id, l.viewer) == nil
	case l.code != "":
		opens, err := f.node.HumanCodeOpens(c.Request().Context(), id, l.code)
		return err == nil && opens
	}
	return false
}

// stands tells whether what the looker came with was not revoked, as far as that costs nothing to know.
func (f *Front) stands(l looker) bool {
	switch {
	case l.isOperator():
		return f.isOperator(l.operator)
	case l.token != "":
		_, ok := f.userOf(l.token)
		return ok
	case l.agent != "":
		return f.node.KeyStands(l.cred)
	}
	return true
}

// key is by what the looker's streams are counted. It holds no secret.
func (l looker) key(ip string) string {
	switch {
	case l.isOperator():
		return "operator"
	case l.token != "":
		return "user/" + l.user.ID
	case l.agent != "":
		return "agent/" + l.agent
	}
	return "people/" + l.room.ID + "/" + ip
}
