package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenQuery(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	one, two := a.room(t, a), a.room(t, a)
	t.Run("defaults", func(t *testing.T) {
		shows(t, "1.5-scope-default", "1.5-filter-default", "1.5-start-default", "2.6-head")
		b := s.agent(t)
		b.say(t, b.room(t, b, a), "before")
		for _, parameters := range [][]string{{}, {"start_from="}, {"start_from=head"}} {
			state := b.open(t, parameters...).state
			require.Equal(t, "single", state["scope"])
			require.Equal(t, "all", state["filter"])
			require.Equal(t, false, state["spawn_capable"])
		}
		room := a.room(t, a, b)
		a.say(t, room, "missed")
		for _, parameters := range [][]string{{}, {"start_from="}, {"start_from=head"}} {
			stream := b.within(t, room, parameters...)
			word := unique("heard")
			a.say(t, room, word)
			stream.hears(t, word)
		}
	})
	t.Run("spawn_capable", func(t *testing.T) {
		shows(t, "1.5-spawn-words")
		for _, word := range []string{"true", "1", "yes", "on", "t", "y", "TRUE", "Yes"} {
			stream := a.open(t, "spawn_capable="+word)
			require.Equal(t, true, stream.state["spawn_capable"], word)
			stream.close()
		}
		b := s.agent(t)
		for _, word := range []string{"false", "0", "no", "off", "f", "n", "False"} {
			stream := b.open(t, "spawn_capable="+word)
			require.Equal(t, false, stream.state["spawn_capable"], word)
			stream.close()
		}
	})
	t.Run("422", func(t *testing.T) {
		shows(t, "1.5-spawn-422", "1.5-protocol-422")
		for _, parameter := range []string{"spawn_capable=perhaps", "protocol=one", "protocol_accepts=1.5"} {
			_, refusal := a.tryOpen(t, opening{}, parameter)
			name, _, _ := strings.Cut(parameter, "=")
			require.Equal(t, anys("query", name), refusal.invalid(422)[0]["loc"])
		}
	})
	t.Run("rooms", func(t *testing.T) {
		shows(t, "1.5-rooms-empty-items", "2.3-rooms", "2.5-rooms-all")
		for _, rooms := range []string{"," + one + ",," + two + ",", two + "," + one} {
			require.Equal(t, sortedRooms(one, two), a.open(t, "scope=all", "rooms="+rooms).state["rooms"])
		}
		require.Equal(t, []any{}, a.open(t, "rooms=").state["rooms"])
		require.Equal(t, []any{}, a.open(t, "rooms=,,").state["rooms"])
	})
	t.Run("last of single", func(t *testing.T) {
		shows(t, "2.5-rooms-single")
		require.Equal(t, anys(two), a.open(t, "rooms="+one+","+two).state["rooms"])
		require.Equal(t, anys(one), a.open(t, "rooms="+two+","+one).state["rooms"])
	})
	t.Run("client", func(t *testing.T) {
		shows(t, "1.5-client-echo", "2.3-client-null", "2.3-client-accepts")
		for parameters, want := range map[string]object{
			"":           {"speaks": nil, "accepts": nil, "artifact": nil, "version": nil},
			"protocol=1": {"speaks": 1.0, "accepts": 1.0, "artifact": nil, "version": nil},
			"protocol=3 protocol_accepts=1 client=x client_version=not-a-version": {"speaks": 3.0, "accepts": 1.0, "artifact": "x", "version": "not-a-version"},
			"protocol_accepts=7 client=agent-runtime":                             {"speaks": nil, "accepts": nil, "artifact": "agent-runtime", "version": nil},
		} {
			require.Equal(t, want, a.open(t, strings.Fields(parameters)...).state["client"], parameters)
		}
	})
	t.Run("Last-Event-ID", func(t *testing.T) {
		shows(t, "1.5-last-event-id", "2.6-last-event-id-empty")
		b, c := s.agent(t), s.agent(t)
		room := b.room(t, b, c)
		first := b.within(t, room)
		c.say(t, room, "one")
		c.say(t, room, "two")
		c.say(t, room, "three")
		e := first.hears(t, "one")
		again := b.openAs(t, opening{lastEventID: fmt.Sprint(e.sequence)}, "rooms="+room, "start_from=head")
		again.hears(t, "two")
		zero := b.openAs(t, opening{lastEventID: ""}, "rooms="+room, fmt.Sprintf("start_from=%d", e.sequence))
		zero.hears(t, "two")
	})
}

func TestTransport(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("Accept", func(t *testing.T) {
		shows(t, "1.5-accept-contains")
		for _, accept := range []string{"text/event-stream", "text/html, text/event-stream;q=0.5", "application/json,text/event-stream"} {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+a.path("/events?connection_id="+unique("conn")), nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+a.key)
			req.Header.Set("Accept", accept)
			resp, err := streaming.Do(req)
			require.NoError(t, err)
			require.Equal(t, 200, resp.StatusCode)
			require.Equal(t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
			require.NoError(t, resp.Body.Close())
		}
	})
	t.Run("headers", func(t *testing.T) {
		shows(t, "1.5-headers")
		raw := a.rawOpen(t, "rooms=")
		head := raw.until(t, "\r\n\r\n")
		require.True(t, strings.HasPrefix(head, "HTTP/1.1 200 "), head)
		for _, want := range []string{
			"content-type: text/event-stream; charset=utf-8\r\n", "cache-control: no-cache\r\n", "connection: keep-alive\r\n",
			"x-accel-buffering: no\r\n",
		} {
			require.Contains(t, strings.ToLower(head), want)
		}
	})
}

// TestOpenErrors gives each open every fault from one on, so that the first must be the answer.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	foreign := b.room(t, b)
	theirs := b.open(t).conn
	mine := []*stream{}
	for range 32 {
		mine = append(mine, a.open(t))
	}
	fresh := func() string { return unique("conn") }
	for _, c := range []struct {
		row, query  string
		lastEventID string
		status      int
		text        string
	}{
		{row: "1.5-open-1", query: "scope=x&filter=x&start_from=x&protocol=9&rooms=x", status: 400, text: "connection_id"},
		{row: "1.5-open-1", query: "connection_id=&scope=x&filter=x&start_from=x&protocol=9&rooms=x", status: 400, text: "connection_id"},
		{row: "1.5-open-2", query: "connection_id=" + theirs + "&scope=x&filter=x&start_from=x&protocol=9&rooms=x", status: 400, text: "scope"},
		{row: "1.5-open-3", query: "connection_id=" + theirs + "&filter=x&start_from=x&protocol=9&rooms=x", status: 400, text: "filter"},
		{row: "1.5-open-4", query: "connection_id=" + theirs + "&start_from=x&protocol=9&rooms=x", status: 400, text: "start_from"},
		{row: "1.5-open-4", query: "connection_id=" + theirs + "&start_from=head&protocol=9&rooms=x", lastEventID: "1.5", status: 400, text: "Last-Event-ID"},
		{row: "1.5-open-5", query: "connection_id=" + theirs + "&protocol=9&protocol_accepts=2&rooms=x", status: 409, text: `"remedy":"update switch-core"`},
		{row: "1.5-open-6", query: "connection_id=" + theirs + "&rooms=x", status: 409, text: theirs + " is not open"},
		{row: "1.5-open-7", query: "connection_id=" + fresh() + "&rooms=x", status: 409, text: "32"},
		{row: "1.5-open-8-unknown", query: "connection_id=" + mine[0].conn + "&rooms=no-such-room", status: 403},
		{row: "1.5-open-8-stranger", query: "connection_id=" + mine[1].conn + "&rooms=" + foreign, status: 403},
	} {
		t.Run(c.row, func(t *testing.T) {
			shows(t, c.row)
			headers := []string{"Accept: text/event-stream"}
			if c.lastEventID != "" {
				headers = append(headers, "Last-Event-ID: "+c.lastEventID)
			}
			r := a.get(t, "/events?"+c.query, headers...).is(c.status).says(c.text)
			if c.row != "1.5-open-5" {
				r.refused(c.status)
			}
		})
	}
	t.Run("closes", func(t *testing.T) {
		shows(t, "1.5-open-8-closes", "2.8-evicted-rooms", "2.7-2-closed")
		for _, stream := range mine[:2] {
			require.Equal(t, "invalid room subscription", stream.evicted(t))
			isDead(t, a.beat(t, stream.conn, 0), 404, stream.conn)
		}
	})
	t.Run("nothing is opened", func(t *testing.T) {
		shows(t, "1.5-open-nothing", "2.5-order", "2.1-global-key")
		c := s.agent(t)
		id := fresh()
		for _, parameters := range [][]string{{"scope=x"}, {"filter=x"}, {"start_from=x"}, {"protocol=2"}} {
			stream, _ := c.tryOpen(t, opening{conn: id}, parameters...)
			require.Nil(t, stream)
			isDead(t, c.beat(t, id, 0), 404, id)
		}
		stream, refusal := c.tryOpen(t, opening{conn: theirs})
		require.Nil(t, stream)
		isDead(t, refusal, 409, theirs)
		b.beat(t, theirs, 0).is(200)
	})
	t.Run("32", func(t *testing.T) {
		shows(t, "0.1-connections", "1.5-open-7-unswept")
		c := s.agent(t)
		var last *stream
		for range 32 {
			last = c.open(t)
		}
		stream, refusal := c.tryOpen(t, opening{})
		require.Nil(t, stream)
		refusal.refused(409)
		c.openAs(t, opening{conn: last.conn})
		require.Equal(t, "another stream attached to this connection", last.evicted(t))
	})
}

func TestNegotiation(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("accepted", func(t *testing.T) {
		shows(t, "2.4-overlap", "2.4-unknown", "8-11")
		for _, parameters := range []string{
			"", "protocol_accepts=9", "protocol=1", "protocol=7 protocol_accepts=1", "protocol=1 protocol_accepts=0", "protocol=2 protocol_accepts=-1",
		} {
			stream := a.open(t, strings.Fields(parameters)...)
			stream.close()
		}
	})
	for row, refused := range map[string][]string{
		"1.4.1-remedy-server":  {"protocol=2", "protocol=7 protocol_accepts=2"},
		"1.4.1-remedy-runtime": {"protocol=0", "protocol=0 protocol_accepts=-3"},
	} {
		t.Run(row, func(t *testing.T) {
			shows(t, row, "2.4-overlap", "8-11")
			remedy := map[string]string{
				"1.4.1-remedy-server": "update switch-core", "1.4.1-remedy-runtime": "update the Switch agent runtime",
			}[row]
			for _, parameters := range refused {
				stream, refusal := a.tryOpen(t, opening{}, strings.Fields(parameters)...)
				require.Nil(t, stream, parameters)
				require.Equal(t, remedy, text(t, refusal.is(409).object(), "detail", "remedy"))
			}
		})
	}
	t.Run("body", func(t *testing.T) {
		shows(t, "1.4.1-body", "1.4.1-message", "1.1-error-range", "D17")
		_, refusal := a.tryOpen(t, opening{}, "protocol=5", "protocol_accepts=3")
		outer := shape(t, refusal.is(409).json(), "detail object")
		d := shape(t, outer["detail"], "message string, contract string, server object, client object, remedy string")
		require.Equal(t, "agent-protocol", d["contract"])
		server := shape(t, d["server"], "version string?, speaks int, accepts int")
		require.Equal(t, 1.0, server["speaks"])
		require.Equal(t, 1.0, server["accepts"])
		require.Equal(t, object{"speaks": 5.0, "accepts": 3.0}, d["client"])
		for _, part := range []string{"5", "3", "1", text(t, d, "remedy")} {
			require.Contains(t, d["message"], part)
		}
		state := a.open(t).state
		shape(t, state["server"], "version string?, contracts object")
		require.Equal(t, object{"agent-protocol": object{"speaks": 1.0, "accepts": 1.0}}, at(t, state, "server", "contracts"))
	})
}
