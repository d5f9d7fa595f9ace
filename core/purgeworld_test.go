package core_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// furnished is a room in which everything that people can write was written.
type furnished struct {
	room, viewer string
	ada, bob     core.Agent
}

// furnish makes a listed room with an open floor, fills it with texts that say "marker", and closes it. Texts that are no
// content of the room say "report" instead.
func furnish(t testing.TB, n *core.Node) furnished {
	t.Helper()
	w := furnished{ada: obeying(t, n, "ada", "always", "always", nil), bob: obeying(t, n, "bob", "always", "always", nil)}
	ctx := t.Context()
	key := func(value string) *core.Key {
		return &core.Key{Agent: w.ada.ID, Value: "marker-" + value, BodyHash: "marker-hash"}
	}
	other := openRoom(t, n, w.ada)
	made, _, err := n.CreateRoom(ctx, core.CreateRoom{
		Facts: core.RoomFacts{Name: "topic", Creator: w.ada.ID, Listing: &core.Listing{ID: "lst_1", Agent: w.ada.ID, Topic: "topic"}},
		Texts: core.RoomTexts{
			Description: "marker-description", Instructions: "marker-instructions",
			Roles: []core.RoleDef{{Name: "judge", Instructions: "marker-role"}}, Links: []core.Link{{Target: other, Label: "marker-label"}},
		},
		Members: []core.NewMember{member(w.ada), member(w.bob)}, HumanCodeHash: core.HashSecret("code"),
	}, key("room"))
	require.NoError(t, err)
	w.room = made.Room
	require.NoError(t, n.ChangeRoom(ctx, w.room, core.ChangeRoom{Actor: w.ada.ID, Description: ptr("marker-description-2")}, key("change")))
	require.NoError(t, n.EditRole(ctx, w.room, core.EditRole{Actor: w.ada.ID, Name: "judge", Instructions: ptr("marker-role-2")}, nil))
	doc := write(t, n, w.room, w.ada, "marker-document", "marker-content")
	err = n.ChangeDocument(ctx, w.room, core.ChangeDocument{Agent: w.ada.ID, Document: doc, Content: ptr("marker-content-2")}, nil)
	require.NoError(t, err)
	task := delegate(t, n, w.room, w.ada, w.bob, "marker-summary")
	_, _, err = n.UpdateTask(ctx, w.room, core.UpdateTask{Performer: w.bob.ID, Task: task, Note: "marker-note"}, nil)
	require.NoError(t, err)
	_, _, err = n.FinaliseTask(ctx, w.room, core.FinaliseTask{Performer: w.bob.ID, Task: task, Outcome: "marker-outcome"}, nil)
	require.NoError(t, err)
	require.NoError(t, send(t, n, w.room, w.bob, core.CommandInterrupt, "marker-args"))
	share(t, n, w.room, w.ada, `{"marker-key":{"marker-inner":"marker-value"},"left":1}`)
	_, _, err = n.ReplaceState(ctx, w.room, core.ReplaceState{Actor: w.ada.ID, State: plain(t, `{"marker-new":1}`)}, key("replace"))
	require.NoError(t, err)
	_, err = n.EmitEvent(ctx, w.room, core.EmitEvent{Actor: w.bob.ID, Type: "marker-type", Payload: plain(t, `"marker-payload"`)}, key("emit"))
	require.NoError(t, err)
	_, err = n.PublishListing(ctx, w.room, core.PublishListing{Actor: w.ada.ID, Topic: "marker-topic", Tags: []string{"marker-tag"}}, key("publish"))
	require.NoError(t, err)
	w.viewer, err = n.JoinViewers(ctx, w.room, "code")
	require.NoError(t, err)
	require.NoError(t, n.LeaveViewers(ctx, w.room, w.viewer))
	link := "report-link"
	require.NoError(t, n.ReportRuntime(ctx, w.ada.ID, core.ReportRuntime{Room: w.room, State: "working", Detail: "report-detail", Link: &link}))
	w.attach(t, n)
	for i := range 70 {
		_, _, err := n.PostMessage(ctx, w.room, core.PostMessage{Sender: w.ada.ID, Text: "marker-message " + strings.Repeat("x", i)}, key(strings.Repeat("k", i+1)))
		require.NoError(t, err)
	}
	closeRoom(t, n, w.room, w.ada)
	return w
}

// attach posts a file, where files are kept.
func (w furnished) attach(t testing.TB, n *core.Node) {
	t.Helper()
	m, err := n.PutMedia(t.Context(), strings.NewReader("marker-file "+strings.Repeat("y", 5000)))
	if err != nil {
		require.ErrorIs(t, err, core.ErrNoMediaStore)
		return
	}
	_, _, err = n.PostMessage(t.Context(), w.room, core.PostMessage{
		Sender: w.ada.ID, Attachments: []core.Attachment{{Media: m.ID, Filename: "marker-name.txt", Type: m.Type, Size: m.Size}},
	}, nil)
	require.NoError(t, err)
}
