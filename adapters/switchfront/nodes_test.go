package switchfront_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestTwoGatewaysOnOneLog: a client may send each request, and each reconnect, to either.
func TestTwoGatewaysOnOneLog(t *testing.T) {
	log := memlog.New()
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	one := newGateway(t, setup{log: log, node: core.Options{NodeID: "one", Now: time.Now}})
	two := newGateway(t, setup{log: log, node: core.Options{NodeID: "two", Now: time.Now}})
	a, b := one.register("alice"), one.register("bob")
	room := a.room("", a, b)
	eventually(t, "the other node knows the room", func() bool { return two.node.Applied() >= one.node.Applied() })
	a2, b2 := a.on(two), b.on(two)

	s := a.open("c-1", "").hello()
	require.Equal(t, 200, a2.beat("c-1", 0).status, "a beat is passed on to where the stream is")
	require.Nil(t, a2.must("c-1", "connect_to_room", `{"room_id":"`+room+`"}`)["warning"])
	require.Equal(t, changed(room), s.next(), "a claim taken on one is seen on the other")
	b2.post(room, "from the other node")
	require.Equal(t, "from the other node", s.body())

	rival := a2.open("c-2", "").hello()
	require.Equal(t, 409, a2.subscribe("c-2", room, "").status, "the holder on the other node is alive")
	out := a2.must("c-2", "connect_to_room", `{"room_id":"`+room+`"}`)
	require.Contains(t, out["warning"], "c-1")
	require.Equal(t, changed(room), rival.next())
	require.Equal(t, changed(), s.next())

	seen := one.node.Applied()
	b.post(room, "while away")
	require.Equal(t, "while away", rival.body())
	moved := a2.open("c-1", fmt.Sprintf("&rooms=%s", room), fmt.Sprintf("Last-Event-ID: %d", seen)).hello()
	require.Equal(t, evicted("another stream attached to this connection"), s.next())
	s.ended()
	require.Equal(t, changed(), rival.next())
	require.Equal(t, "while away", moved.body())
	require.Equal(t, 200, a.beat("c-1", 0).status)
	b.post(room, "after the move")
	require.Equal(t, "after the move", moved.body())
}
