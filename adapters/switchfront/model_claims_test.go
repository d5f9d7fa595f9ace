package switchfront_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// subscribeTo claims a room.
type subscribeTo struct {
	conn, who, room string
	takeover        bool
}

func (s subscribeTo) String() string {
	text := fmt.Sprintf("%s subscribes %s to %s", who(s.who, s.conn), s.conn, s.room)
	if s.takeover {
		text += " taking over"
	}
	return text
}

func (s subscribeTo) play(w *world) []refEvent {
	agent := who(s.who, s.conn)
	alive := w.ref.live(agent, s.conn) != nil
	status, loser := w.ref.subscribe(agent, s.conn, s.room, s.takeover)
	r := w.as(agent, "POST", "/connection/subscribe",
		fmt.Sprintf(`{"connection_id":%q,"room_id":%q,"takeover":%v}`, s.conn, w.id(s.room), s.takeover))
	w.tell("    %d %s", r.status, r.body)
	w.law(r.status == status, "a claim is answered as the protocol says", "%d %s, wanted %d", r.status, r.body, status)
	w.law(alive || strings.Contains(r.body, s.conn+" is not open"), "a dead connection is called so", "%s", r.body)
	if status == 409 {
		w.law(strings.Contains(r.body, s.room) && strings.Contains(r.body, loser), "a refusal names room and holder",
			"%s, wanted %s and %s", r.body, s.room, loser)
	}
	if status != 200 {
		return nil
	}
	var out struct {
		OK      bool     `json:"ok"`
		Rooms   []string `json:"rooms"`
		Evicted *string  `json:"evicted_connection_id"`
		Warning *string  `json:"warning"`
	}
	w.must(json.Unmarshal([]byte(r.body), &out))
	claims := w.ref.conns[s.conn].claims()
	w.law(out.OK && slices.Equal(out.Rooms, claims), "a claim tells the claims", "%s, wanted %v", r.body, claims)
	told := ""
	if out.Evicted != nil {
		told = *out.Evicted
	}
	w.law(told == loser && (out.Warning != nil) == (loser != ""), "a claim names whom it took the room from",
		"%s, wanted %q", r.body, loser)
	return nil
}

// unsubscribeFrom gives up a room.
type unsubscribeFrom struct{ conn, who, room string }

func (s unsubscribeFrom) String() string {
	return fmt.Sprintf("%s unsubscribes %s from %s", who(s.who, s.conn), s.conn, s.room)
}

func (s unsubscribeFrom) play(w *world) []refEvent {
	agent := who(s.who, s.conn)
	status := w.ref.unsubscribe(agent, s.conn, s.room)
	r := w.as(agent, "POST", "/connection/unsubscribe", fmt.Sprintf(`{"connection_id":%q,"room_id":%q}`, s.conn, w.id(s.room)))
	w.law(r.status == status, "giving up a room is answered as the protocol says", "%d %s, wanted %d", r.status, r.body, status)
	w.lawOfDeath(r, 404, s.conn)
	if status == 200 {
		rooms, err := json.Marshal(append([]string{}, w.ref.conns[s.conn].claims()...))
		w.must(err)
		w.law(r.body == `{"ok":true,"rooms":`+string(rooms)+`}`, "giving up a room tells the claims", "%s, wanted %s", r.body, rooms)
	}
	return nil
}

// connectTo is the operation that enters a room.
type connectTo struct{ conn, who, room string }

func (s connectTo) String() string {
	return fmt.Sprintf("%s connects %s to %s", who(s.who, s.conn), s.conn, s.room)
}

func (s connectTo) play(w *world) []refEvent {
	agent := who(s.who, s.conn)
	status, loser := w.ref.connect(agent, s.conn, s.room)
	r := w.as(agent, "POST", "/ops/connect_to_room", fmt.Sprintf(`{"room_id":%q}`, w.id(s.room)), "X-Switch-Connection-Id: "+s.conn)
	w.law(r.status == status, "entering a room is answered as the protocol says", "%d %s, wanted %d", r.status, r.body, status)
	w.lawOfDeath(r, 409, s.conn)
	if status != 200 {
		return nil
	}
	var out struct {
		Result struct {
			Warning *string `json:"warning"`
		} `json:"result"`
	}
	w.must(json.Unmarshal([]byte(r.body), &out))
	warning := ""
	if out.Result.Warning != nil {
		warning = *out.Result.Warning
	}
	w.law((warning != "") == (loser != "") && strings.Contains(warning, loser), "entering a room warns of whom it was taken from",
		"warning %q, wanted %q", warning, loser)
	return nil
}

// rush lets all sessions of alice take one room at once. Nothing is unread, so that it does not matter who had it when.
type rush struct{ room string }

func (s rush) String() string { return "all of alice rush into " + s.room }

func (s rush) play(w *world) []refEvent {
	var conns []string
	for _, conn := range refConns {
		c, l := w.ref.live("alice", conn), w.listeners[conn]
		if c != nil && l != nil && !l.away && c.cursor.low >= w.ref.newest("alice") {
			conns = append(conns, conn)
		}
	}
	if !w.ref.isMember("alice", s.room) {
		return nil
	}
	held := ""
	if h := w.ref.holder("alice", s.room); h != nil {
		held = h.id
	}
	losers := make([]string, len(conns))
	var calls sync.WaitGroup
	for i, conn := range conns {
		calls.Go(func() { losers[i] = w.take(conn, s.room) })
	}
	calls.Wait()
	// The answers must fit an order in which the sessions came one after the other.
	order := chain(held, conns, losers)
	w.law(order != nil, "claims at once are as good as one after the other", "%v took it from %q, %q had it", conns, losers, held)
	for _, conn := range order {
		c := w.ref.conns[conn]
		w.ref.claim(c, s.room)
		c.stream.rushed = true
		c.cursor.high = w.head()
	}
	return nil
}

// take claims a room with takeover and returns whom it was taken from.
func (w *world) take(conn, room string) (loser string) {
	r := w.as("alice", "POST", "/connection/subscribe",
		fmt.Sprintf(`{"connection_id":%q,"room_id":%q,"takeover":true}`, conn, w.id(room)))
	var out struct {
		Evicted string `json:"evicted_connection_id"`
	}
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || r.status != 200 {
		return r.body
	}
	return out.Evicted
}

// chain finds an order of takers in which each took the room from the one before, beginning with who held it; nil when
// there is none.
func chain(held string, takers, losers []string) []string {
	if len(takers) == 0 {
		return []string{}
	}
	for i, taker := range takers {
		if losers[i] != held && (losers[i] != "" || taker != held) {
			continue
		}
		rest := chain(taker, slices.Delete(slices.Clone(takers), i, i+1), slices.Delete(slices.Clone(losers), i, i+1))
		if rest != nil {
			return append([]string{taker}, rest...)
		}
	}
	return nil
}
