package edgefront_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestPurgedRoom: a client that is there is told of the end, and one that comes later gets what is left of the room, which
// is no word that was said.
func TestPurgedRoom(t *testing.T) {
	log := memlog.New()
	g := newGatewayOn(t, log, core.Options{Purge: core.PurgePolicy{Grace: time.Millisecond}, SweepEvery: time.Hour}, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("duel", func(c *core.CreateRoom) {
		c.Facts.Floor, c.Texts.Description = core.FloorTurns, "between us"
	}, alice, bob)
	g.post(room, alice, "secret word")
	l := g.attach("/agents/alice/duel", alice.key)
	_, _, err := g.node.CloseRoom(t.Context(), room, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)
	l.until(`"type":"room.closed"`)
	require.Eventually(t, func() bool {
		ended, err := g.node.Purge(t.Context(), room)
		require.NoError(t, err)
		return ended.State == core.StatePurged
	}, patience, time.Millisecond)
	l.expect(
		`{"json":{"v":1,"kind":"state","patch":{"state":"PURGED","next_actor":null}}}`,
		`{"json":{"v":2,"kind":"event","seq":7,"type":"room.state_changed","payload":{"from":"CLOSED","to":"PURGED"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		`{"json":{"v":1,"kind":"state","snapshot":{"id":"<room>","topic":"duel","description":"","floor":"turns","state":"PURGED","turn":1,`+
			`"created_at":"<time>","closed_at":"<time>","close_reason":"manual_close","purged_at":"<time>","participants":{`+
			`"<alice>":{"name":"alice","handle":"alice","side":"a","joined_at":"<time>","presence":"live"},`+
			`"<bob>":{"name":"bob","handle":"bob","side":"b","joined_at":"<time>","presence":"awaiting_manual_poll"}},`+
			`"roles":{},"links":{},"documents":{},"references":{},"typing":{}}},"meta":{"values":{"snapshot.created_at":["Date"],`+
			`"snapshot.closed_at":["Date"],"snapshot.purged_at":["Date"],"snapshot.participants.<alice>.joined_at":["Date"],`+
			`"snapshot.participants.<bob>.joined_at":["Date"]},"v":1}}`,
		`{"json":{"v":2,"kind":"event","seq":8,"type":"room.purged","payload":{"reason":"grace_elapsed"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
	)
	require.Eventually(t, func() bool {
		for rec, err := range log.Read(context.Background(), core.RoomStream(room), 0) {
			require.NoError(t, err)
			if len(rec.Content) > 0 {
				return false
			}
		}
		return true
	}, patience, time.Millisecond)
	late := g.dial("/agents/alice/duel")
	late.send(attachText(alice.key))
	var first string
	for !strings.Contains(first, `"kind":"hello"`) {
		first += late.next() + "\n"
	}
	require.NotContains(t, first, "secret word")
	require.NotContains(t, first, "between us")
	require.Contains(t, first, `"kind":"messages","snapshot":[]`)
	require.Contains(t, first, `"description":"","floor":"turns","state":"PURGED"`)
	require.Contains(t, first, `"purged_at":"<time>"`)
	late.send(callText("1", "post_message", `,"args":["x"]`))
	late.expect(`{"json":{"v":1,"kind":"error","id":"1","code":"method_error","message":"room <room> is PURGED"}}`)
}
