package console_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
)

// What is said after a session has ended is not shown in it.
func TestALivePageShowsNothingAfterTheSession(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	next := follow(t, h.signedIn("karl"), "/gateway/rooms/"+room+"/live?since=1")
	require.Equal(t, "item", next().name)
	require.NoError(t, h.node.SetPassword(t.Context(), h.karl.ID, "", ""))
	h.says(room, ada, "for nobody")
	require.NotContains(t, over(next), "for nobody")
}

// Nor what stands beside it.
func TestALivePageShowsNothingBesideAfterTheSession(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	sum, _ := h.node.Room(room)
	next := follow(t, h.signedIn("karl"), fmt.Sprintf("/gateway/rooms/%s/live?since=%d", room, sum.Version))
	require.Equal(t, "aside", next().name)
	require.NoError(t, h.node.SetPassword(t.Context(), h.karl.ID, "", ""))
	_, err := h.node.StartTyping(t.Context(), room, ada.ID, time.Minute)
	require.NoError(t, err)
	require.NotContains(t, over(next), "ada writes")
}

// Nor what is said after the right to see the room has ended.
func TestALivePageShowsNothingAfterTheRight(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	room := h.room("ops", "acme", ada, bob)
	sum, _ := h.node.Room(room)
	next := follow(t, h.signedIn("karl"), fmt.Sprintf("/gateway/rooms/%s/live?since=%d", room, sum.Version))
	require.Equal(t, "aside", next().name)
	require.NoError(t, h.node.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: ada.ID}))
	h.says(room, bob, "for nobody")
	require.NotContains(t, over(next), "for nobody")
}
