package gatewayfront_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/gatewayfront"
	"stele/core"
	"stele/core/operations"
)

func TestCursorIsExactAtEveryEvent(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	for i := range 300 {
		if i%4 == 1 {
			w.emit(w.bob, "tick")
		} else {
			w.post(w.ada, fmt.Sprint(i))
		}
	}
	var want, head operations.Cursors
	var all []operations.Cursors
	atMessage := map[uint64]operations.Cursors{0: {}}
	for e, err := range w.node.HistoryOf(w.room).After(t.Context(), 0) {
		require.NoError(t, err)
		want.Switch, want.Areyouai, want.EdgeEvents = uint64(e.Position), e.Version, e.Version
		if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
			want.EdgeMessages = uint64(p.Turn) + 1
			atMessage[want.EdgeMessages] = want
		}
		all, head = append(all, want), want
	}
	for _, want := range append([]operations.Cursors{{}}, all...) {
		for query, want := range map[string]operations.Cursors{
			fmt.Sprintf("switch=%d", want.Switch):              want,
			fmt.Sprintf("areyouai=%d", want.Areyouai):          want,
			fmt.Sprintf("edge_events=%d", want.EdgeEvents):     want,
			fmt.Sprintf("edge_messages=%d", want.EdgeMessages): atMessage[want.EdgeMessages],
		} {
			var got operations.TranslatedCursor
			w.into(&got, w.bob.key, w.room+"/cursor?"+query)
			require.Equal(t, want, got.Cursors, query)
			require.Equal(t, head, got.Head)
			require.Equal(t, w.room, got.RoomID)
			require.Equal(t, want.Switch == 0, got.At == nil)
		}
	}
}

func TestCursorRefusals(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	w.post(w.ada, "one")
	const ahead, invalid = gatewayfront.CodeCursorAhead, gatewayfront.CodeInvalid
	for _, query := range []string{"switch=99999", "areyouai=5", "edge_events=5", "edge_messages=2", "edge_messages=4294967297"} {
		w.refused(409, ahead, w.ada.key, w.room+"/cursor?"+query)
	}
	for _, query := range []string{
		"", "?", "?switch=1&areyouai=1", "?switch=", "?switch=-1", "?switch=x", "?switch=1&switch=1", "?edge=1", "?switch=99999999999999999999",
	} {
		text := w.refused(400, invalid, w.ada.key, w.room+"/cursor"+query)
		require.Regexp(t, `exactly one|whole number`, text)
	}
	w.refused(404, gatewayfront.CodeNoRoom, w.ada.key, "room_none/cursor?switch=1")
}
