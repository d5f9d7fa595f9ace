package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadContext(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.room(t, a)
	a.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": b.name})
	mine, theirs := a.within(t, room), b.within(t, room)
	read := func(t *testing.T, args object) object {
		t.Helper()
		return shape(t, mine.call(t, "read_context", args), shapeContext)
	}
	bodies := func(t *testing.T, context object) []any {
		t.Helper()
		out := []any{}
		for _, thread := range list(t, context, "threads") {
			shape(t, thread, "root object, replies list")
			out = append(out, at(t, thread, "root", "body"))
			for _, r := range list(t, thread, "replies") {
				out = append(out, at(t, r, "body"))
			}
		}
		return out
	}
	post := func(t *testing.T, stream *stream, body string, thread any) string {
		t.Helper()
		return text(t, stream.call(t, "post_message", object{"body": body, "thread_id": thread}), "event_id")
	}
	first := post(t, mine, "first", nil)
	second := post(t, theirs, "second", nil)
	post(t, mine, "third", nil)
	t.Run("threads", func(t *testing.T) {
		shows(t, "4.5-read_context", "4.5-read_context.order", "4.5-read_context.own", "4.5-read_context.join", "4.3-ENTRY", "8-18")
		post(t, theirs, "first reply", first)
		post(t, mine, "second reply", second)
		post(t, theirs, "second reply of first", first)
		o := read(t, object{})
		require.Equal(t, anys(a.name+" joined the room", b.name+" joined the room", "third", "second", "second reply", "first", "first reply", "second reply of first"), bodies(t, o))
		require.Equal(t, false, o["truncated"])
		threads := list(t, o, "threads")
		joined := shape(t, at(t, threads, 0, "root"), shapeEntry)
		require.Equal(t, "room_join", joined["kind"])
		require.Equal(t, a.name, joined["sender_name"])
		require.Equal(t, joined["timestamp"], o["oldest_timestamp"])
		root := shape(t, at(t, threads, 4, "root"), shapeEntry)
		require.Equal(t, first, root["id"])
		require.Equal(t, "message", root["kind"])
		require.Equal(t, []any{}, root["attachments"])
		shape(t, at(t, threads, 4, "replies", 0), shapeEntry)
	})
	t.Run("limit", func(t *testing.T) {
		shows(t, "4.5-read_context.limit", "4.5-read_context.zero", "4.5-read_context.root", "8-18")
		o := read(t, object{"limit": 1})
		require.Equal(t, anys("first", "second reply of first"), bodies(t, o), "the root is added for its reply")
		require.Equal(t, true, o["truncated"])
		require.Equal(t, at(t, o, "threads", 0, "replies", 0, "timestamp"), o["oldest_timestamp"])
		require.Equal(t, anys("second", "second reply", "first", "second reply of first"), bodies(t, read(t, object{"limit": 2})))
		require.Len(t, bodies(t, read(t, object{"limit": 8})), 8)
		for _, limit := range []int{0, -1} {
			o = read(t, object{"limit": limit})
			require.Equal(t, []any{}, o["threads"])
			require.Equal(t, true, o["truncated"])
		}
	})
	t.Run("bounds", func(t *testing.T) {
		shows(t, "4.5-read_context.bounds", "4.5-read_context.oldest")
		e := at(t, read(t, object{"limit": 1}), "threads", 0, "root", "timestamp").(float64)
		moment := time.UnixMilli(int64(e)).UTC()
		const zoned, bare = "2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05.000"
		for _, layout := range []string{zoned, bare, "2006-01-02T15:04:05.000+00:00"} {
			require.Contains(t, bodies(t, read(t, object{"since": moment.Format(layout)})), "first", layout)
			require.NotContains(t, bodies(t, read(t, object{"before": moment.Format(layout)})), "first", layout)
		}
		cest := time.FixedZone("", 2*60*60)
		require.NotContains(t, bodies(t, read(t, object{"before": moment.In(cest).Format("2006-01-02T15:04:05.000-07:00")})), "first")
		require.Equal(t, false, read(t, object{"since": moment.Format(zoned)})["truncated"])
		o := read(t, object{"since": time.Now().Add(time.Hour).UTC().Format(zoned)})
		require.Equal(t, []any{}, o["threads"])
		require.Nil(t, o["oldest_timestamp"])
		require.Len(t, bodies(t, read(t, object{"before": time.Now().Add(time.Hour).UTC().Format(zoned)})), 8)
	})
	t.Run("forms of a time", func(t *testing.T) {
		shows(t, "4.5-read_context.forms")
		// All of these are the same moment, long before and long after which something or nothing was said.
		for _, form := range []string{
			"%s-01-31T12:00:00Z", "%s-01-31T12:00Z", "%s-01-31T12", "%s-01-31 12:00", "%s-01-31t12:00:00z", "%s0131T120000Z",
			"%s-01-31T13:00:00,0+01:00", "%s-01-31T13:00+01",
		} {
			early, late := fmt.Sprintf(form, "2001"), fmt.Sprintf(form, "2999")
			require.Len(t, bodies(t, read(t, object{"since": early, "before": late})), 8, form)
			require.Empty(t, bodies(t, read(t, object{"since": late})), form)
			require.Empty(t, bodies(t, read(t, object{"before": early})), form)
		}
		require.Empty(t, bodies(t, read(t, object{"before": "0001-01-01T00:00:00Z"})))
	})
	t.Run("unparseable", func(t *testing.T) {
		shows(t, "4.5-read_context.unparseable", "8-19")
		for _, word := range []string{"yesterday", "", "2026-13-01"} {
			mine.try(t, "read_context", object{"since": word}).refused(400)
			mine.try(t, "read_context", object{"before": word}).refused(400)
		}
		ms := mine.try(t, "read_context", object{"before": fmt.Sprint(time.Now().UnixMilli())})
		require.Contains(t, []int{200, 400}, ms.status)
		if ms.status == 400 {
			require.Contains(t, ms.refused(400), "ISO")
		}
	})
	t.Run("paging", func(t *testing.T) {
		shows(t, "4.5-read_context.limit", "8-18")
		room := a.room(t, a, b)
		for i := range 120 {
			a.say(t, room, fmt.Sprint(i))
		}
		stream := a.within(t, room)
		o := stream.call(t, "read_context", object{"limit": 100}).(object)
		got := bodies(t, o)
		require.Len(t, got, 100)
		require.Equal(t, "20", got[0])
		require.Equal(t, "119", got[99])
		require.Equal(t, true, o["truncated"])
		require.Len(t, bodies(t, stream.call(t, "read_context", nil).(object)), 50)
		before := time.UnixMilli(int64(o["oldest_timestamp"].(float64))).UTC().Format("2006-01-02T15:04:05.000Z")
		older := bodies(t, stream.call(t, "read_context", object{"limit": 100, "before": before}).(object))
		require.Contains(t, older, "0")
		require.NotContains(t, older, "20")
	})
}
