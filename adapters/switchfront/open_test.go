package switchfront_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
)

func TestConnectionState(t *testing.T) {
	g := newGateway(t, setup{front: switchfront.Options{Version: "1.2.3"}})
	a := g.register("alice")
	one, two := a.room("", a), a.room("", a)
	head := uint64(g.node.Applied())
	s := a.open("c-1", "&scope=all&filter=addressed&spawn_capable=Yes&rooms="+two+","+one+",,&protocol=1&client=agent-runtime&client_version=0.3.2")
	require.Equal(t, "text/event-stream; charset=utf-8", s.header.Get("Content-Type"))
	require.Equal(t, "no-cache", s.header.Get("Cache-Control"))
	require.Equal(t, "keep-alive", s.header.Get("Connection"))
	require.Equal(t, "no", s.header.Get("X-Accel-Buffering"))
	rooms := []string{one, two}
	if two < one {
		rooms = []string{two, one}
	}
	require.Equal(t, fmt.Sprintf("event: connection_state\ndata: "+
		`{"connection_id":"c-1","agent_id":"%s","scope":"all","filter":"addressed","spawn_capable":true,`+
		`"rooms":["%s","%s"],"cursor":%d,"protocol":1,"heartbeat_interval_seconds":2.0,`+
		`"server":{"version":"1.2.3","contracts":{"agent-protocol":{"speaks":1,"accepts":1}}},`+
		`"client":{"speaks":1,"accepts":1,"artifact":"agent-runtime","version":"0.3.2"}}`+"\n\n",
		a.id, rooms[0], rooms[1], head), s.next())

	head = uint64(g.node.Applied())
	require.Equal(t, fmt.Sprintf("event: connection_state\ndata: "+
		`{"connection_id":"c-2","agent_id":"%s","scope":"single","filter":"all","spawn_capable":false,`+
		`"rooms":[],"cursor":%d,"protocol":1,"heartbeat_interval_seconds":2.0,`+
		`"server":{"version":"1.2.3","contracts":{"agent-protocol":{"speaks":1,"accepts":1}}},`+
		`"client":{"speaks":null,"accepts":null,"artifact":null,"version":null}}`+"\n\n",
		a.id, head), a.open("c-2", "&start_from=").next())
}

// TestSingleScopeClaimsTheLastOfItsRooms: each claim of a single-room connection drops the one before.
func TestSingleScopeClaimsTheLastOfItsRooms(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	one, two := a.room("", a), a.room("", a)
	require.Contains(t, a.open("c-1", "&rooms="+one+","+two).next(), `"rooms":["`+two+`"]`)
}

// TestOpenErrorsInOrder gives each open all faults from a place on, so that the first one must be the answer.
func TestOpenErrorsInOrder(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	foreign := b.room("", b)
	b.open("c-b", "").hello()
	mine := a.open("c-0", "").hello()
	for i := range 31 {
		a.open(fmt.Sprintf("c-%d", i+1), "").hello()
	}
	const dead = "is not open"
	for _, tc := range []struct {
		name, query string
		headers     []string
		status      int
		contains    string
	}{
		{"0 spawn_capable", "?scope=x&spawn_capable=perhaps", nil, 422, `"type":"bool_parsing","loc":["query","spawn_capable"]`},
		{"0 protocol", "?scope=x&protocol=one", nil, 422, `"type":"int_parsing","loc":["query","protocol"]`},
		{"1 connection_id", "?scope=x&filter=x&start_from=x&protocol=9&rooms=x", nil, 400, "connection_id"},
		{"1 connection_id is empty", "?connection_id=&scope=x", nil, 400, "connection_id"},
		{"2 scope", "?connection_id=c-b&scope=x&filter=x&start_from=x&protocol=9&rooms=x", nil, 400, "scope"},
		{"3 filter", "?connection_id=c-b&filter=x&start_from=x&protocol=9&rooms=x", nil, 400, "filter"},
		{"4 start_from", "?connection_id=c-b&start_from=x&protocol=9&rooms=x", nil, 400, "start_from"},
		{"4 Last-Event-ID", "?connection_id=c-b&start_from=head&protocol=9", []string{"Last-Event-ID: 1.5"}, 400, "Last-Event-ID"},
		{"5 range", "?connection_id=c-b&protocol=9&protocol_accepts=2&rooms=x", nil, 409, `"remedy":"update switch-core"`},
		{"6 another agent's", "?connection_id=c-b&rooms=x", nil, 409, dead},
		{"7 too many", "?connection_id=c-new&rooms=x", nil, 409, "32"},
		{"8 unknown room", "?connection_id=c-1&rooms=x", nil, 403, "no such room"},
		{"8 not a member", "?connection_id=c-2&rooms=" + foreign, nil, 403, "not a member"},
		{"long id", "?connection_id=" + strings.Repeat("c", 300), nil, 400, "connection_id"},
		{"many rooms", "?connection_id=c-0&rooms=" + strings.Repeat("r,", 2000), nil, 400, "rooms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := g.node.Applied()
			r := g.do("GET", a.path("/events"+tc.query), a.key, "", append(tc.headers, "Accept: text/event-stream")...)
			require.Equal(t, tc.status, r.status, r.body)
			require.Contains(t, r.body, tc.contains)
			require.Equal(t, "application/json", r.header.Get("Content-Type"))
			if !strings.HasPrefix(tc.name, "8") {
				require.Equal(t, before, g.node.Applied(), "nothing is opened")
			}
		})
	}
	r := g.do("GET", a.path("/events?connection_id=c-b&scope=x&timeout=0"), a.key, "", "Accept: application/json")
	require.Equal(t, 204, r.status, "without the header it is a poll, which knows no connections")
	require.Equal(t, 200, a.beat("c-0", 0).status, "none of it touched the connections that were open")
	mine.close()
}

// TestInvalidRoomClosesTheConnection: an open that lists a room it may not have takes the connection with it.
func TestInvalidRoomClosesTheConnection(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	s := a.open("c-1", "&rooms="+a.room("", a)).hello()
	refused, err := a.tryOpen("c-1", "&rooms=room_x")
	require.NoError(t, err)
	require.Equal(t, 403, refused.status)
	require.Equal(t, evicted("invalid room subscription"), s.next())
	s.ended()
	r := a.beat("c-1", 0)
	require.Equal(t, 404, r.status)
	require.Contains(t, r.body, "Connection c-1 is not open")
}

func TestNegotiation(t *testing.T) {
	g := newGateway(t, setup{front: switchfront.Options{Version: "1.2.3"}})
	a := g.register("alice")
	for i, tc := range []struct {
		query  string
		remedy string
	}{
		{"", ""},
		{"&protocol_accepts=9", ""},
		{"&protocol=1", ""},
		{"&protocol=7&protocol_accepts=1", ""},
		{"&protocol=1&protocol_accepts=0", ""},
		{"&protocol=2", "update switch-core"},
		{"&protocol=7&protocol_accepts=2", "update switch-core"},
		{"&protocol=0", "update the Switch agent runtime"},
		{"&protocol=0&protocol_accepts=-3", "update the Switch agent runtime"},
	} {
		before := g.node.Applied()
		s, err := a.tryOpen(fmt.Sprintf("c-%d", i), tc.query)
		require.NoError(t, err)
		if tc.remedy == "" {
			require.Equal(t, 200, s.status, tc.query)
			s.close()
			continue
		}
		require.Equal(t, 409, s.status, tc.query)
		require.Contains(t, s.refusal, `"remedy":"`+tc.remedy+`"}}`)
		require.Equal(t, before, g.node.Applied(), "a refused client leaves no trace")
	}
	s, err := a.tryOpen("c-x", "&protocol=2&client=x")
	require.NoError(t, err)
	require.Regexp(t, `^\{"detail":\{"message":"[^"]+","contract":"agent-protocol",`+
		`"server":\{"version":"1\.2\.3","speaks":1,"accepts":1\},"client":\{"speaks":2,"accepts":2\},`+
		`"remedy":"update switch-core"\}\}$`, s.refusal)
}
