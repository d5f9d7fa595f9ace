package edgefront

import (
	"context"
	"maps"
	"slices"
	"time"

	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// presenceEvery is how often a session looks how present the members are: no event of the room tells, and only of sockets and
// streams the node does at once.
const presenceEvery = 3 * time.Second

// ambience is what a client is shown of a room that no event of it tells: who writes, how present the members are, and
// which roles they hold live. It is patched into the state as it changes, and never logged.
type ambience struct {
	crowd  *crowd
	room   string
	typing *core.TypingReader
	// again fires when it is time to look again.
	again *time.Timer
	// stale: there may be something new to show.
	stale bool
	// typists are whom the client is shown to write, and shown is the scene that it has, nil for none, of which gone lists
	// members whom it has no more.
	typists map[string]time.Time
	shown   *scene
	gone    map[string]bool
	// since is the position of the newest event that may change a scene.
	since core.Position
}

// manner is how a member is there: its presence and the role that it holds, empty for none.
type manner struct{ presence, role string }

func newAmbience(c *crowd, room string) *ambience {
	c.enter(room)
	return &ambience{crowd: c, room: room, typing: c.node.NewTypingReader(room), again: time.NewTimer(presenceEvery)}
}

// close ends the wake-ups. A nil ambience has none.
func (a *ambience) close() {
	if a == nil {
		return
	}
	a.typing.Close()
	a.again.Stop()
	a.crowd.leave(a.room)
}

// wake holds a signal when somebody may have begun or ended to write, came or went; timer fires when it is time to look again. Both are nil
// for a nil ambience, whose client wants no state.
func (a *ambience) wake() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.typing.Wake()
}

func (a *ambience) timer() <-chan time.Time {
	if a == nil {
		return nil
	}
	return a.again.C
}

// look brings what the client has up to date and returns the patch that leads there, nil when nothing changed.
func (a *ambience) look(ctx context.Context) (*superjson.Object, error) {
	// A client that was shown nothing yet is not shown what is known to be old.
	fresh := a.shown == nil
	a.stale = false
	typists, until := a.typing.Now()
	now, wait, err := a.crowd.in(ctx, a.room, a.since, fresh)
	if err != nil {
		return nil, err
	}
	if !until.IsZero() {
		wait = min(wait, max(until.Sub(a.crowd.node.Now()), time.Millisecond))
	}
	a.again.Reset(wait)
	o := object{}
	if writing := a.writing(typists); len(writing) > 0 {
		o.put(keyTyping, writing.value())
	}
	present, err := a.present(ctx, now)
	if err != nil {
		return nil, err
	}
	if len(present) > 0 {
		o.put(keyParticipants, present.value())
	}
	if len(o) == 0 {
		return nil, nil
	}
	return o.value(), nil
}

// writing is what changed in who writes.
func (a *ambience) writing(typists map[string]core.Typing) (o object) {
	since := map[string]time.Time{}
	for _, agent := range slices.Sorted(maps.Keys(typists)) {
		since[agent] = typists[agent].Since
		if old, known := a.typists[agent]; !known || !old.Equal(since[agent]) {
			v := object{}
			v.dateIf("since", since[agent])
			o.put(agent, v.value())
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(a.typists)) {
		if _, still := since[agent]; !still {
			o.put(agent, superjson.Null{})
		}
	}
	a.typists = since
	return o
}

// present is what changed in how the members are there. A member that is gone is left to the event that says so, and must not
// come back by a scene from before it.
func (a *ambience) present(ctx context.Context, now *scene) (o object, err error) {
	old := a.shown
	if old == nil {
		old = &scene{}
	}
	if now.look == old.look && len(a.gone) == 0 {
		a.shown = now
		return nil, nil
	}
	err = a.crowd.node.ViewRoom(ctx, a.room, func(r *core.Room) {
		for _, agent := range slices.Sorted(maps.Keys(now.people)) {
			was := old.people[agent]
			if a.gone[agent] {
				was = manner{}
			}
			if is := now.people[agent]; is != was && r.Members[agent] != nil {
				o.put(agent, is.since(was))
			}
		}
	})
	a.shown, a.gone = now, nil
	return o, err
}

// since is what changed in a manner.
func (m manner) since(old manner) superjson.Value {
	o := object{}
	if m.presence != old.presence {
		o.text("presence", m.presence)
	}
	switch {
	case m.role == old.role:
	case m.role == "":
		o.put("role", superjson.Null{})
	default:
		o.text("role", m.role)
	}
	return o.value()
}

// note takes an event that the client was told: who comes or goes is to be shown anew, and whoever may be shown otherwise.
func (a *ambience) note(e *core.Entry) {
	if a == nil {
		return
	}
	switch p := e.Payload.(type) {
	case *core.MemberJoinedEvent:
		a.forget(p.Agent)
	case *core.MemberLeftEvent:
		a.forget(p.Agent)
	case *core.RoleAssumedEvent, *core.RoleReleasedEvent, *core.RoleDeletedEvent:
	default:
		return
	}
	a.stale, a.since = true, e.Position
}

func (a *ambience) forget(agent string) {
	if a.gone == nil {
		a.gone = map[string]bool{}
	}
	a.gone[agent] = true
}

// whole begins anew: the client is about to be sent a snapshot, which shows all of it.
func (a *ambience) whole(ctx context.Context, state *superjson.Object) (*superjson.Object, error) {
	a.typists, a.shown, a.gone = nil, nil, nil
	patch, err := a.look(ctx)
	if err != nil {
		return nil, err
	}
	typing := object{}
	typing.put(keyTyping, superjson.NewObject())
	state = edgeframes.MergeObject(state, typing.value())
	if patch != nil {
		state = edgeframes.MergeObject(state, patch)
	}
	return state, nil
}
