package switchfront_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"

	"pgregory.net/rapid"
)

// openStream opens a stream.
type openStream struct {
	conn, who     string
	scope, filter string
	spawn         bool
	rooms         []string
	start         cursor
	// header: the position is in Last-Event-ID and the query says another.
	header bool
}

func drawOpen(t *rapid.T) openStream {
	return openStream{
		conn:   rapid.SampledFrom(refConns).Draw(t, "conn"),
		who:    drawWho(t),
		scope:  rapid.SampledFrom([]string{"single", "all"}).Draw(t, "scope"),
		filter: rapid.SampledFrom([]string{"all", "all", "addressed"}).Draw(t, "filter"),
		spawn:  rapid.Bool().Draw(t, "spawn"),
		rooms:  drawRooms(t),
		start:  drawCursor(t),
		header: rapid.Bool().Draw(t, "header"),
	}
}

func (s openStream) String() string {
	text := fmt.Sprintf("%s opens %s %s/%s", who(s.who, s.conn), s.conn, s.scope, s.filter)
	if s.spawn {
		text += " spawn"
	}
	if len(s.rooms) > 0 {
		text += " rooms=" + strings.Join(s.rooms, ",")
	}
	text += " " + s.start.String()
	if s.header {
		text += " by header"
	}
	return text
}

func (s openStream) play(w *world) []refEvent {
	agent := who(s.who, s.conn)
	if agent != refOwners[s.conn] && w.ref.conns[s.conn] == nil {
		// Whether the id of a connection that is dead and not swept up yet is free for others is nobody's promise.
		return nil
	}
	o := opening{id: s.conn, agent: agent, scope: s.scope, filter: s.filter, spawn: s.spawn, rooms: s.rooms, head: true}
	query, headers := s.query(w, &o)
	old := w.ref.conns[s.conn]
	status := w.ref.open(o)
	l, answered, refused := w.listen(agent, s.conn, query, headers...)
	w.law(answered == status, "an open is answered as the protocol says", "%d %s, wanted %d", answered, refused, status)
	if status != 200 {
		w.tell("    refused: %d %s", answered, refused)
		w.law(status != 409 || strings.Contains(refused, s.conn+" is not open"), "a foreign connection is not open", "%s", refused)
	}
	if old != nil && old.agent == agent && old.stream != nil {
		w.retire(s.conn)
	}
	if status != 200 {
		return nil
	}
	c := w.ref.conns[s.conn]
	l.stream = c.stream
	w.listeners[s.conn] = l
	synctest.Wait()
	frames := l.peek()
	w.law(len(frames) > 0, "a stream begins at once", "nothing came")
	hello := w.parse(frames[0])
	w.law(hello.kind == "connection_state", "connection_state comes first", "%v", hello)
	w.law(c.cursor.has(hello.number), "a stream begins where it was asked to, and where its client is otherwise",
		"at %d, wanted %v", hello.number, c.cursor)
	w.ref.begun(c, hello.number, w.head())
	return nil
}

// query is what the open asks for, beside the id.
func (s openStream) query(w *world, o *opening) (query string, headers []string) {
	query = "&scope=" + s.scope + "&filter=" + s.filter
	if s.spawn {
		query += "&spawn_capable=true"
	}
	if len(s.rooms) > 0 {
		ids := make([]string, len(s.rooms))
		for i, r := range s.rooms {
			ids[i] = w.id(r)
		}
		query += "&rooms=" + strings.Join(ids, ",")
	}
	n, number := s.start.of(w, s.conn)
	if !number {
		if s.header {
			return query, nil
		}
		return query + "&start_from=head", nil
	}
	o.head, o.start = false, uint64(max(n, 0))
	if s.header {
		return query + "&start_from=head", []string{fmt.Sprintf("Last-Event-ID: %d", n)}
	}
	return fmt.Sprintf("%s&start_from=%d", query, n), nil
}

// drop closes the socket of a stream.
type drop struct{ conn string }

func (s drop) String() string { return refOwners[s.conn] + " drops the stream of " + s.conn }

func (s drop) play(w *world) []refEvent {
	if l := w.listeners[s.conn]; l != nil {
		l.cancel()
		delete(w.listeners, s.conn)
		w.ref.detach(w.ref.conns[s.conn])
	}
	return nil
}

// lookAway lets a client read nothing for a while, or go on reading.
type lookAway struct{ conn string }

func (s lookAway) String() string {
	return refOwners[s.conn] + " looks away from " + s.conn + ", or back"
}

func (s lookAway) play(w *world) []refEvent {
	if l := w.listeners[s.conn]; l != nil {
		l.away = !l.away
	}
	return nil
}

// beatOnce sends one beat.
type beatOnce struct {
	conn, who string
	at        cursor
}

func (s beatOnce) String() string {
	return fmt.Sprintf("%s beats %s %v", who(s.who, s.conn), s.conn, s.at)
}

func (s beatOnce) play(w *world) []refEvent {
	n, _ := s.at.of(w, s.conn)
	if s.at.kind == "head" {
		n = int64(w.head())
	}
	w.beat(who(s.who, s.conn), s.conn, n)
	return nil
}

func (w *world) beat(agent, conn string, cursor int64) {
	w.t.Helper()
	// The beat of a dead connection before this one may have been written down.
	w.ref.learn(nil, w.now(), w.head())
	status, answer := w.ref.beats(agent, conn, cursor)
	r := w.as(agent, "POST", "/connection/beat", fmt.Sprintf(`{"connection_id":%q,"cursor":%d}`, conn, cursor))
	w.law(r.status == status, "a beat is answered as the protocol says", "%d %s, wanted %d", r.status, r.body, status)
	w.lawOfDeath(r, 404, conn)
	if status != 200 {
		return
	}
	var out struct {
		OK     bool     `json:"ok"`
		Rooms  []string `json:"rooms"`
		Cursor uint64   `json:"cursor"`
	}
	w.must(json.Unmarshal([]byte(r.body), &out))
	claims := w.ref.conns[conn].claims()
	w.law(out.OK && out.Rooms != nil && slices.Equal(out.Rooms, claims), "a beat tells the claims", "%s, wanted %v", r.body, claims)
	w.law(answer.has(out.Cursor), "a beat tells the cursor", "%s, wanted %v", r.body, answer)
}

// lawOfDeath checks the words for a connection that is no more, and that nothing else uses them.
func (w *world) lawOfDeath(r reply, dead int, conn string) {
	w.t.Helper()
	says := strings.Contains(r.body, conn+" is not open")
	w.law(says || r.status != dead, "a dead connection is called so", "%d %s", r.status, r.body)
	w.law(!says || r.status == dead, "nothing else is called dead", "%d %s", r.status, r.body)
}
