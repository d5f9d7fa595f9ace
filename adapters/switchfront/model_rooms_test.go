package switchfront_test

import (
	"context"
	"fmt"
	"strings"

	"stele/core"
)

// say posts a message without a connection.
type say struct{ agent, room, mention string }

func (s say) String() string {
	return fmt.Sprintf("%s says %s in %s", s.agent, something(s.mention), s.room)
}

func (s say) play(w *world) []refEvent {
	status, text := 403, w.text(s.mention)
	if w.ref.isMember(s.agent, s.room) {
		status = 200
	}
	r := w.as(s.agent, "POST", "/message", fmt.Sprintf(`{"room_id":%q,"content":%q}`, w.id(s.room), text))
	w.law(r.status == status, "a message is answered as the protocol says", "%d %s, wanted %d", r.status, r.body, status)
	if status != 200 {
		return nil
	}
	return []refEvent{{room: s.room, kind: "message", who: s.agent, text: text}}
}

// text makes a message that was not sent before.
func (w *world) text(mention string) string {
	w.said++
	return strings.TrimSpace(fmt.Sprintf("m%d %s", w.said, mention))
}

func something(mention string) string {
	if mention == "" {
		return "something"
	}
	return "something to " + mention
}

// sayHere posts a message to the current room of a connection.
type sayHere struct{ conn, mention string }

func (s sayHere) String() string {
	return fmt.Sprintf("%s says %s on %s", refOwners[s.conn], something(s.mention), s.conn)
}

func (s sayHere) play(w *world) []refEvent {
	agent, text := refOwners[s.conn], w.text(s.mention)
	room, status := w.ref.currentRoom(agent, s.conn)
	r := w.as(agent, "POST", "/ops/post_message", fmt.Sprintf(`{"body":%q}`, text), "X-Switch-Connection-Id: "+s.conn)
	w.law(r.status == status, "an operation acts on the one room that is claimed", "%d %s, wanted %d", r.status, r.body, status)
	w.lawOfDeath(r, 409, s.conn)
	if status != 200 {
		return nil
	}
	return []refEvent{{room: room, kind: "message", who: agent, text: text}}
}

// invite adds an agent to a room.
type invite struct{ agent, room string }

func (s invite) String() string { return fmt.Sprintf("alice invites %s to %s", s.agent, s.room) }

func (s invite) play(w *world) []refEvent {
	r := w.as("alice", "POST", "/ops/invite_agent_to_room", fmt.Sprintf(`{"room_id":%q,"agent_name":%q}`, w.id(s.room), s.agent))
	w.law(r.status == 200, "rooms are open to invitations", "%d %s", r.status, r.body)
	if w.ref.isMember(s.agent, s.room) {
		return nil
	}
	return []refEvent{{room: s.room, kind: "room_join", who: s.agent}}
}

// remove ends a membership. No route of the protocol does that.
type remove struct{ agent, room string }

func (s remove) String() string { return fmt.Sprintf("%s is removed from %s", s.agent, s.room) }

func (s remove) play(w *world) []refEvent {
	w.must(w.node.LeaveRoom(context.Background(), w.id(s.room), core.LeaveRoom{Agent: w.ids[s.agent]}))
	if !w.ref.leave(s.agent, s.room) {
		return nil
	}
	return []refEvent{{room: s.room, kind: "left", who: s.agent}}
}
