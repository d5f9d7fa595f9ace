package conformance

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const lifecycle = "event_id int, type string, room_id string, created_at string"

func TestEvents(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("bytes", func(t *testing.T) {
		shows(t, "8.1-headers", "8.1-first", "8.1-lf", "8.1-plain", "8.1-frame-events")
		r := s.room(t)
		conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), patience)
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		require.NoError(t, conn.SetDeadline(time.Now().Add(2*patience)))
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer %s\r\n\r\n", r.path("/events?since=4"), r.a.session)
		require.NoError(t, err)
		in := bufio.NewReader(conn)
		until := func(end string) string {
			t.Helper()
			var got strings.Builder
			for !strings.HasSuffix(got.String(), end) {
				b, err := in.ReadByte()
				require.NoError(t, err, got.String())
				got.WriteByte(b)
			}
			return got.String()
		}
		head := strings.ToLower(until("\r\n\r\n"))
		for _, want := range []string{
			"http/1.1 200 ok", "content-type: text/event-stream", "cache-control: no-store, no-cache, must-revalidate", "connection: keep-alive", "x-accel-buffering: no",
		} {
			require.Contains(t, head, want+"\r\n")
		}
		require.NotContains(t, head, "content-encoding")
		// Only chunks are between the head and the frames. Nothing happens in the room: the first bytes come by themselves.
		require.Regexp(t, `^([0-9a-f]+\r\n)?retry: 3000\n\n$`, until("\n\n"))
		r.say(t, "one\ntwo\r\n\"é\"")
		frame := until("\n\n")
		require.Regexp(t, `^(\r\n)?([0-9a-f]+\r\n)?id: 5\nevent: message.created\ndata: \{"event_id":5,[^\n\r]*\}\n\n$`, frame)
		require.Contains(t, frame, `"ciphertext":"one\ntwo\r\n\"é\""`)
	})
	t.Run("replay", func(t *testing.T) {
		shows(t, "8.2-replay", "8.2-object", "8.2-lifecycle", "8.2-types", "8.2-ids", "13-9", "14-15", "16-8", "8.1-resume-events", "3.0-18", "8.1-ends-events")
		r := s.roomWith(t, object{"max_turns": 3})
		all := []string{"room.created", "room.joined", "room.joined", "room.state_changed", "message.created", "message.created"}
		r.say(t, "zero")
		r.say(t, "one")
		st := r.opens(t, r.b, "?since=0")
		var bodies []object
		for i, f := range st.hearsAll(t, all...) {
			require.Equal(t, strconv.Itoa(i+1), f.id)
			require.Equal(t, float64(i+1), f.body["event_id"])
			require.Equal(t, r.id, f.body["room_id"])
			fields := lifecycle + ", sender_id string"
			if f.event == "message.created" {
				fields += ", message_id string, turn int, ciphertext string"
			}
			instant(t, shape(t, f.body, fields)["created_at"])
			bodies = append(bodies, f.body)
		}
		r.say(t, "two")
		for _, f := range st.hearsAll(t, "message.created", "room.state_changed", "room.closed") {
			bodies = append(bodies, f.body)
		}
		st.silent(t)
		require.Equal(t, bodies, r.history(t, r.a, 0), "the history shows the same")
		for _, c := range []struct {
			query   string
			headers []string
			first   string
		}{
			{"", nil, "1"},
			{"", []string{"Last-Event-ID: 6"}, "7"},
			{"?since=", []string{"Last-Event-ID: 6"}, "7"},
			{"?since=2", []string{"Last-Event-ID: 6"}, "3"},
			{"?since=0", []string{"Last-Event-ID: 6"}, "1"},
		} {
			again := r.opens(t, r.a, c.query, c.headers...)
			require.Equal(t, c.first, again.next(t).id, c)
			again.close()
		}
	})
	t.Run("live", func(t *testing.T) {
		t.Parallel()
		shows(t, "8.2-replay", "8.2-limit", "14-5", "3.13-page", "16-8", "3.13-reply", "10-limit")
		r := s.roomWith(t, object{"max_turns": 1000})
		const many = 230
		live := r.opens(t, r.a, "?since=0")
		next := []*agent{r.a, r.b}
		for turn := range many {
			who := next[turn%2]
			who.post(t, r.path("/messages"), r.speech(t, who, strconv.Itoa(turn))).is(201)
		}
		for _, st := range []*stream{live, r.opens(t, r.b, "?limit=5000"), r.opens(t, r.b, "?since=0&limit=1"), r.opens(t, r.b, "?limit=x")} {
			for id := range many + 4 {
				f := st.next(t)
				require.Equal(t, strconv.Itoa(id+1), f.id)
				if id >= 4 {
					require.Equal(t, strconv.Itoa(id-4), f.body["ciphertext"])
				}
			}
			st.close()
		}
		page := func(query string) ([]any, float64) {
			t.Helper()
			o := r.a.get(t, r.path("/events/history"+query)).has(200, "room_id string, items list, next_since int")
			require.Equal(t, r.id, o["room_id"])
			return column(t, o["items"].([]any), "event_id"), o["next_since"].(float64)
		}
		for query, want := range map[string][3]float64{
			"":                      {1, 200, 200},
			"?limit=5000":           {1, 200, 200},
			"?limit=30&since=200":   {201, 30, 230},
			"?since=230":            {231, 4, 234},
			"?limit=1":              {1, 1, 1},
			"?since=7&limit=3":      {8, 3, 10},
			"?since=234":            {0, 0, 234},
			"?since=0&limit=201&x=": {1, 200, 200},
		} {
			ids, next := page(query)
			require.Len(t, ids, int(want[1]), query)
			require.Equal(t, want[2], next, query)
			for i, id := range ids {
				require.Equal(t, want[0]+float64(i), id, query)
			}
		}
		require.Len(t, r.history(t, r.b, 0), many+4)
	})
	t.Run("refusals", func(t *testing.T) {
		shows(t, "3.13-400", "3.13-order", "8.2-400", "8.1-errors", "14-3", "13-11", "3.13-reply", "10-limit")
		r, stranger := s.room(t), s.agent(t)
		stream := func(path, token string, headers ...string) answer {
			t.Helper()
			st, refusal := s.tries(t, path, token, headers...)
			require.Nil(t, st, path)
			return refusal
		}
		for _, path := range []string{"/events", "/events/history"} {
			ask := func(room, query, token string) answer {
				t.Helper()
				if path == "/events" {
					return stream("/v1/rooms/"+room+path+query, token)
				}
				return s.do(t, "GET", "/v1/rooms/"+room+path+query, token, nil)
			}
			ask("room_none", "?since=x", "").refused("unauthorized")
			for _, since := range []string{"x", "-1", "1.5", "99999999999999999999"} {
				ask("room_none", "?since="+since, stranger.session).refused("invalid_request")
			}
			ask("room_none", "?since=999", stranger.session).refused("room_not_found")
			ask(r.id, "?since=999", stranger.session).refused("forbidden")
			ask(r.id, "?since=999", r.a.session).refused("invalid_request")
		}
		for _, limit := range []string{"0", "-1", "x", "1.5"} {
			stranger.get(t, "/v1/rooms/room_none/events/history?limit="+limit).refused("invalid_request")
		}
		stream(r.path("/events"), r.a.session, "Last-Event-ID: x").refused("invalid_request")
		stream(r.path("/events"), r.a.session, "Last-Event-ID: 999").refused("invalid_request")
	})
	t.Run("after the close", func(t *testing.T) {
		shows(t, "14-4", "8.1-ends-events", "13-10", "5-lazily")
		r := s.room(t)
		st := r.opens(t, r.a, "?since=4")
		r.close(t, r.b)
		st.hearsAll(t, "room.state_changed", "room.closed")
		st.silent(t)
		for _, who := range []*agent{r.a, r.b} {
			require.Len(t, r.history(t, who, 0), 6)
			r.opens(t, who, "?since=5").hears(t, "room.closed")
		}
	})
}
