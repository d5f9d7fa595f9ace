package conformance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFraming(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	t.Run("bytes", func(t *testing.T) {
		shows(t, "2.2-lf", "2.2-space", "2.2-data-json", "2.2-id", "2.2-order", "2.2-flush", "2.3-first", "2.8-no-id", "3.1-event-type")
		raw := a.rawOpen(t, "rooms="+room)
		raw.until(t, "\r\n\r\n")
		hello := raw.until(t, "\n\n")
		require.Regexp(t, `(?s)^([0-9a-f]+\r\n)?event: connection_state\ndata: \{[^\n]*\}\n\n$`, hello, "before anything else has happened")
		b.say(t, room, "one\ntwo \"three\" é")
		got := raw.until(t, "\n\n")
		require.Regexp(t, `(?s)^\r\n[0-9a-f]+\r\nid: [0-9]+\nevent: message\ndata: \{[^\n]*\}\n\n$`, got)
		id := regexp.MustCompile(`id: ([0-9]+)`).FindStringSubmatch(got)[1]
		require.Contains(t, got, `"sequence":`+id+"}")
		require.Contains(t, got, `one\ntwo \"three\" é`)
		a.unsubscribe(t, raw.id, room).is(200)
		require.Regexp(t, `(?s)^\r\n[0-9a-f]+\r\nevent: subscription_changed\ndata: \{[^\n]*\}\n\n$`, raw.until(t, "\n\n"))
	})
	t.Run("connection_state", func(t *testing.T) {
		shows(t, "2.3-fields", "2.3-cursor", "2.3-protocol", "2.3-server", "0.1-heartbeat-interval")
		stream := a.open(t, "scope=all", "filter=addressed", "spawn_capable=true")
		require.Regexp(t, `^event: connection_state\ndata: \{"connection_id":.*\}\n\n$`, stream.hello.raw)
		require.Contains(t, stream.hello.data, `"heartbeat_interval_seconds":2.0,`)
		o := shape(t, stream.state, "connection_id string, agent_id string, scope string, filter string, spawn_capable bool, "+
			"rooms list, cursor int, protocol int, heartbeat_interval_seconds number, server object, client object")
		require.Equal(t, stream.conn, o["connection_id"])
		require.Equal(t, a.id, o["agent_id"])
		require.Equal(t, "all", o["scope"])
		require.Equal(t, "addressed", o["filter"])
		require.Equal(t, true, o["spawn_capable"])
		require.Equal(t, 1.0, o["protocol"])
		shape(t, o["client"], "speaks int?, accepts int?, artifact string?, version string?")
		server := shape(t, o["server"], "version string?, contracts object")
		require.Equal(t, object{"agent-protocol": object{"speaks": 1.0, "accepts": 1.0}}, server["contracts"])
	})
	t.Run("keepalive", func(t *testing.T) {
		t.Parallel()
		shows(t, "0.1-keepalive", "2.2-comment", "2.7-5-park-keepalive", "2.7-10-wait")
		quiet := b.room(t, a, b)
		parked := a.open(t)
		began := time.Now()
		require.Equal(t, ": keepalive\n\n", parked.raw(t).raw)
		require.GreaterOrEqual(t, time.Since(began), 14*time.Second)
		require.LessOrEqual(t, time.Since(began), 19*time.Second)
		a.subscribe(t, parked.conn, quiet, false).is(200)
		parked.changed(t, quiet)
		b.say(t, quiet, "after the silence")
		parked.hears(t, "after the silence")
		require.NotContains(t, parked.hello.raw, "retry:")
	})
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	t.Run("fields", func(t *testing.T) {
		shows(t, "3.1-fields", "3.1-explicit", "3.2-message", "3.2-timestamps", "2.9-sequence", "4.5-post_message", "3.6-root")
		room := a.room(t, a, b)
		stream := a.within(t, room)
		before := time.Now().Add(-time.Minute).UnixMilli()
		id := b.say(t, room, "hello")
		e := stream.hears(t, "hello")
		shape(t, e.envelope, "type string, room_id string, bridge_id string?, channel_type string?, payload object, sequence int")
		require.Equal(t, room, e.envelope["room_id"])
		require.Equal(t, "message", e.envelope["type"])
		require.Equal(t, fmt.Sprint(e.sequence), fmt.Sprint(int(e.envelope["sequence"].(float64))))
		require.Positive(t, e.sequence)
		p := shape(t, e.payload, "addressed bool, sender string, sender_name string, message_id string, body string, timestamp int, thread_id string?, attachments list")
		require.Equal(t, b.name, p["sender_name"])
		require.Equal(t, id, p["message_id"])
		require.Nil(t, p["thread_id"])
		require.Equal(t, []any{}, p["attachments"])
		require.Equal(t, false, p["addressed"])
		require.Greater(t, p["timestamp"], float64(before))
		require.Less(t, p["timestamp"], float64(time.Now().Add(time.Minute).UnixMilli()))
		posted := b.within(t, room).call(t, "post_message", object{"body": "second"})
		second := stream.hears(t, "second")
		require.Equal(t, second.payload["message_id"], at(t, posted, "event_id"))
		require.Equal(t, p["sender"], second.payload["sender"], "stable")
		require.Greater(t, second.sequence, e.sequence)
	})
	t.Run("channel_type", func(t *testing.T) {
		shows(t, "3.1-channel-type")
		for _, kind := range []any{nil, "channel_public", "channel_private", "direct", "group", "lobby"} {
			room := a.roomWith(t, object{"channel_type": kind, "internal_only": true}, a, b)
			stream := a.open(t, "rooms="+room)
			word := unique("typed")
			b.say(t, room, word)
			want := kind
			if kind == nil {
				want = "channel_public"
			}
			require.Equal(t, want, stream.hears(t, word).envelope["channel_type"])
		}
	})
}

// TestReceivers is about who gets what.
func TestReceivers(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, c := s.agents(t)
	t.Run("message", func(t *testing.T) {
		shows(t, "3.3-message")
		room := a.room(t, a, b, c)
		streams := []*stream{a.within(t, room), b.within(t, room), c.within(t, room)}
		a.say(t, room, "from a")
		b.say(t, room, "from b")
		streams[0].hears(t, "from b")
		streams[1].hears(t, "from a")
		streams[2].hears(t, "from a")
		streams[2].hears(t, "from b")
		c.say(t, room, "from c")
		streams[0].hears(t, "from c")
		streams[1].hears(t, "from c")
	})
	t.Run("join", func(t *testing.T) {
		shows(t, "3.2-room_join", "3.2-room_join-notifiable", "3.3-join", "3.3-join-listening", "8-22", "4.4-create_room.join_event_listeners",
			"4.4-invite_agent_to_room", "4.4-invite_agent_to_room.event")
		room := a.roomWith(t, object{"join_event_listeners": []string{a.name}}, a, b)
		d := s.agent(t)
		listening, deaf := a.within(t, room), b.within(t, room)
		filtered, unfiltered := a.open(t, "scope=all", "filter=addressed"), b.open(t, "scope=all", "filter=addressed")
		joiner := d.open(t, "scope=all")
		for range 2 {
			require.Equal(t, object{"ok": true}, a.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": d.name}))
		}
		for stream, want := range map[*stream]bool{listening: true, deaf: false} {
			p := shape(t, stream.event(t, "room_join").payload, "member string, member_name string, timestamp int, listening bool")
			require.Equal(t, d.name, p["member_name"])
			require.Equal(t, want, p["listening"])
			require.Greater(t, p["timestamp"], 1e12)
		}
		id := d.say(t, room, "I am "+d.name)
		require.Equal(t, id, listening.hears(t, "I am "+d.name).payload["message_id"])
		deaf.hears(t, "I am "+d.name)
		a.say(t, room, "welcome @"+d.name+" and @"+b.name)
		joiner.hears(t, "welcome @"+d.name+" and @"+b.name)
		// The sessions hold the room, so their siblings hear of it only after they give it up.
		a.unsubscribe(t, listening.conn, room).is(200)
		b.unsubscribe(t, deaf.conn, room).is(200)
		e := s.agent(t)
		b.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": e.name})
		require.Equal(t, e.name, filtered.event(t, "room_join").payload["member_name"])
		e.say(t, room, "hello @"+b.name)
		unfiltered.hears(t, "hello @"+b.name)
		require.Equal(t, anys(a.name), at(t, a.call(t, "get_room_detail", object{"room_id": room}), "join_event_listeners"))
	})
	t.Run("arrival", func(t *testing.T) {
		shows(t, "3.3-arrival", "4.5-read_context.before-arrival", "8-21")
		room := a.room(t, a, b)
		d := s.agent(t)
		d.open(t, "scope=all")
		a.say(t, room, "before")
		a.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": d.name})
		a.say(t, room, "just after @"+d.name)
		all := d.open(t, "scope=all", "start_from=0")
		f := all.next(t)
		if f.event == "gap" {
			f = all.next(t)
		}
		e := asEvent(t, f, "message")
		require.Equal(t, "just after @"+d.name, e.payload["body"])
		require.Equal(t, true, e.payload["addressed"])
		read := d.within(t, room).call(t, "read_context", object{})
		bodies := []any{}
		for _, thread := range list(t, read, "threads") {
			bodies = append(bodies, at(t, thread, "root", "body"))
		}
		require.Contains(t, bodies, "before")
	})
	t.Run("created", func(t *testing.T) {
		shows(t, "4.4-create_room.events")
		watcher := b.open(t, "scope=all")
		d := s.agent(t)
		room := a.room(t, b, d)
		e := watcher.event(t, "room_join")
		require.Equal(t, d.name, e.payload["member_name"])
		require.Equal(t, room, e.envelope["room_id"])
	})
	t.Run("commands", func(t *testing.T) {
		shows(t, "3.2-command", "3.3-commands", "3.4-agents", "3.4-targets", "8-35", "3.3-automatic", "3.3-notices", "8-27", "8-37")
		room := a.room(t, a, b, c)
		stream, other := b.within(t, room), c.within(t, room)
		for _, body := range []string{"!reset @" + b.name, "!compact-all-agents", "!interrupt @" + b.name + " now", "!help", "!reset-all-agents"} {
			a.say(t, room, body)
			stream.hears(t, body)
			other.hears(t, body)
		}
		a.say(t, room, "@"+b.name+" @"+c.name+" are you there?")
		require.Equal(t, true, stream.hears(t, "@"+b.name+" @"+c.name+" are you there?").payload["addressed"])
		a.say(t, room, "nobody answered by itself")
		stream.hears(t, "nobody answered by itself")
		for _, e := range list(t, a.get(t, "/rooms/"+room+"/history").is(200).object(), "events") {
			require.Equal(t, a.name, at(t, e, "sender_name"))
		}
	})
}

// TestAutomaticMessages: nothing is said in an agent's name but what the agent says, and the outcome of a task.
func TestAutomaticMessages(t *testing.T) {
	t.Parallel()
	s := shared(t)
	shows(t, "3.3-automatic", "3.3-notices")
	a, b, c := s.agents(t)
	room := a.withRoles(t, a, b)
	ears, mine := b.within(t, room), a.within(t, room)
	a.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": c.name})
	require.Equal(t, c.name, ears.event(t, "room_join").payload["member_name"])
	mine.call(t, "assume_role", object{"role": "chair"})
	mine.call(t, "release_role", nil)
	document := mine.call(t, "create_room_document", object{"name": "plan", "description": "d", "instructions": "i", "content": "c"})
	mine.call(t, "update_room_document", object{"document_id": at(t, document, "document_id"), "content": "d"})
	mine.call(t, "delete_room_document", object{"document_id": at(t, document, "document_id")})
	mine.call(t, "send_targeted_message", object{"body": "are you there?", "target_names": []string{c.name}})
	ears.hears(t, "@"+c.name+" are you there?")
	mine.call(t, "delegate_task", object{"performer_agent_id": c.id, "summary": "s", "description": "d"})
	a.say(t, room, "last")
	ears.hears(t, "last")
}

// TestCatchUp: a long backlog comes whole, in order, and to each connection.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	shows(t, "0.1-catch-up-batch", "2.9-unconnected", "2.9-shared", "8-06", "2.5-rooms-first", "8-05", "2.6-zero", "2.9-cursors")
	began := a.open(t).state["cursor"]
	const many = 450
	for i := range many {
		b.say(t, room, fmt.Sprint(i))
	}
	hear := func(stream *stream) {
		last := 0
		for i := range many {
			e := stream.hears(t, fmt.Sprint(i))
			require.Greater(t, e.sequence, last)
			last = e.sequence
		}
		a.beat(t, stream.conn, last).is(200)
	}
	start := fmt.Sprintf("start_from=%d", int(began.(float64)))
	claimed := a.within(t, room, start)
	hear(claimed)
	a.unsubscribe(t, claimed.conn, room).is(200)
	hear(a.open(t, "scope=all", start))
	hear(a.within(t, room, start))
	zero := a.open(t, "scope=all", "start_from=0", "rooms="+room)
	for {
		f := zero.next(t)
		if f.event == "message" {
			require.Contains(t, f.data, `"body":"0"`)
			break
		}
		require.Contains(t, []string{"gap", "room_join"}, f.event)
	}
	require.NotContains(t, strings.Join([]string{zero.hello.raw}, ""), "gap")
}
