package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestNoticesAreReadBack(t *testing.T) {
	for _, p := range []core.Payload{
		&core.RoomClosedEvent{Reason: core.ClosedByMember}, &core.RoomClosedEvent{Reason: core.ClosedByMaxTurns},
		&core.RoomClosedEvent{Reason: core.ClosedByTTL},
		&core.RoomPurgedEvent{Reason: core.PurgedByGrace}, &core.RoomPurgedEvent{Reason: core.PurgedByRetention},
	} {
		e := &core.Entry{Recorded: core.Recorded{
			Event: core.Event{Kind: p.Kind(), Version: 12, Payload: p}, Stream: core.RoomStream("room_1"),
		}}
		notice, ok := core.NoticeOf(e)
		require.True(t, ok)
		back, version, ok := core.ParseNotice("room_1", notice)
		require.True(t, ok)
		require.EqualValues(t, 12, version)
		require.Equal(t, p, back)

		_, _, ok = core.ParseNotice("room_2", notice)
		require.False(t, ok, "a notice of another room")
		for _, id := range []string{"", "evt_room_1_", "evt_room_1_0", "evt_room_1_012", "evt_room_1_-1", "msg_1"} {
			_, _, ok = core.ParseNotice("room_1", core.Notice{ID: id, Text: notice.Text})
			require.False(t, ok, id)
		}
		_, _, ok = core.ParseNotice("room_1", core.Notice{ID: notice.ID, Text: notice.Text + " "})
		require.False(t, ok)
	}
}
