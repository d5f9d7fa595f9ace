package scripts_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/scripts"
	"stele/core"
	"stele/internal/typedjson"
)

func newMember(a core.Agent) core.NewMember {
	return core.NewMember{Agent: a.ID, Name: a.Name, Handle: a.Handle}
}

func typed(t *testing.T, text string) typedjson.Value {
	t.Helper()
	v, err := typedjson.Parse([]byte(text), typedjson.Limits{})
	require.NoError(t, err)
	return v
}

func ptr[T any](v T) *T { return &v }

// harbour is a long conversation in an open room, in which all happens that can happen before a room is purged. Bob looks on.
func harbour(t *testing.T) golden {
	w := newWorld(t)
	ada, bob, eve := w.agent("ada", "Ada"), w.agent("bob", "Bob the Builder"), w.agent("eve", "Eve")
	sea, _, err := w.node.CreateRoom(w.ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "sea", Owner: "olga"}}, nil)
	w.did(err)
	ttl := 48 * time.Hour
	made, _, err := w.node.CreateRoom(w.ctx, core.CreateRoom{
		Facts: core.RoomFacts{Name: "harbour", Creator: ada.ID, Owner: "olga", MaxTurns: 10, Listeners: []string{ada.ID}},
		Texts: core.RoomTexts{
			Description: "what comes in", Instructions: "be brief",
			Roles: []core.RoleDef{{Name: "pilot", Instructions: "steer", Exclusive: true}},
			Links: []core.Link{{Target: sea.Room, Label: "the sea"}},
		},
		Members: []core.NewMember{newMember(ada), newMember(bob)}, TTL: ttl, HumanCodeHash: core.HashSecret("code"),
	}, nil)
	w.did(err)
	w.talk(made.Room, ada, bob)
	w.arrange(made.Room, sea.Room, ada, bob)
	w.work(made.Room, ada, bob)
	w.visit(made.Room, ada, eve)
	w.says(made.Room, bob, "The last word.", "")
	w.did(w.node.LeaveRoom(w.ctx, made.Room, core.LeaveRoom{Agent: bob.ID}))
	return golden{entries: w.history(made.Room), opts: scripts.Options{
		ChannelType: "channel_public", Self: bob.ID, Agent: ada.ID, Comments: true,
	}}
}

// talk is what people say, with all that is hard to carry.
func (w *world) talk(room string, ada, bob core.Agent) {
	root := w.says(room, ada, "Good morning, @bob: which ship is first?", "")
	w.says(room, bob, "Two lines\r\nwith the end of Windows\nand one of Unix\rand an old one.\n", root)
	w.says(room, ada, "שלום עולם, \u202eمرحبا\u202c 👩‍🚀 e\u0301 \u2028 \ufeff <b>&amp;</b> \\u0000", "")
	w.says(room, bob, "data: x\n\nid: 7\n: stele {}\n# stele {}\n> {} < {}", root)
	w.says(room, ada, "The plan, @bob and @ada.", "", w.file("plan \"1\".txt", "first the ferry"), w.file("chart.png", "\x89PNG\r\n\x1a\n"))
	w.says(room, bob, "", "", w.file("list.csv", "a,b\n1,2\n"))
	w.says(room, ada, "nul \x00, tab \t, replacement \ufffd", root)
}

// arrange is what people do with the room and what belongs to it.
func (w *world) arrange(room, sea string, ada, bob core.Agent) {
	n, ctx, t := w.node, w.ctx, w.t
	w.did(n.ChangeRoom(ctx, room, core.ChangeRoom{
		Actor: ada.ID, Name: ptr("harbour of all"), Description: ptr("what comes in,\nand what goes"), Instructions: ptr("be brief, be kind"),
		Listeners: map[string]bool{bob.ID: true}, Aliases: map[string]string{bob.ID: "builder"},
	}, nil))
	w.did(n.DefineRole(ctx, room, core.DefineRole{Actor: ada.ID, Name: "crew", Instructions: "load"}, nil))
	w.did(n.EditRole(ctx, room, core.EditRole{Actor: ada.ID, Name: "crew", Instructions: ptr("load and count"), Exclusive: ptr(true)}, nil))
	opened, err := n.OpenConnection(ctx, bob.ID, core.OpenRequest{
		ID: "con_1", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true, Rooms: []string{room},
	})
	require.NoError(t, err)
	t.Cleanup(n.AttachStream(bob.ID, opened.Connection))
	_, err = n.AssumeRole(ctx, room, core.AssumeRole{Agent: bob.ID, Role: "pilot", Connection: "con_1"})
	w.did(err)
	w.did(n.ReleaseRole(ctx, bob.ID))
	w.did(n.DeleteRole(ctx, room, core.DeleteRole{Actor: ada.ID, Name: "crew"}, nil))
	w.did(n.RemoveLink(ctx, room, core.RemoveLink{Actor: ada.ID, Target: sea}, nil))
	w.did(n.AddLink(ctx, room, core.AddLink{Actor: ada.ID, Target: sea, Label: "the open sea"}, nil))
	ref, err := n.CreateReference(ctx, core.CreateReference{Agent: ada.ID, Reference: core.Reference{
		Type: "jira", Name: "tides", ReadVisibility: "public", WriteVisibility: "private",
		Value: json.RawMessage(`{"urls":["https://example.com/tides"]}`),
	}}, nil)
	w.did(err)
	w.did(n.AttachReference(ctx, room, core.AttachReference{Actor: ada.ID, Reference: ref.ID}, nil))
	doc, err := n.CreateDocument(ctx, room, core.CreateDocument{Agent: ada.ID, Name: "log book", Description: "d", Content: "12:00 fog"}, nil)
	w.did(err)
	w.did(n.ChangeDocument(ctx, room, core.ChangeDocument{Agent: ada.ID, Document: doc, Content: ptr("12:00 fog\n13:00 sun")}, nil))
	w.did(n.DeleteDocument(ctx, room, core.DeleteDocument{Agent: ada.ID, Document: doc}, nil))
}

// work is what people let each other do, and what they keep together.
func (w *world) work(room string, ada, bob core.Agent) {
	n, ctx, t := w.node, w.ctx, w.t
	task, _, err := n.DelegateTask(ctx, room, core.DelegateTask{Requester: ada.ID, Performer: bob.ID, Summary: "count", Description: "the crates"}, nil)
	w.did(err)
	_, _, err = n.AcceptTask(ctx, room, core.AcceptTask{Performer: bob.ID, Task: task.Task}, nil)
	w.did(err)
	_, _, err = n.UpdateTask(ctx, room, core.UpdateTask{Performer: bob.ID, Task: task.Task, Note: "half"}, nil)
	w.did(err)
	_, _, err = n.FinaliseTask(ctx, room, core.FinaliseTask{Performer: bob.ID, Task: task.Task, Outcome: "forty-two"}, nil)
	w.did(err)
	back, _, err := n.DelegateTask(ctx, room, core.DelegateTask{Requester: bob.ID, Performer: ada.ID, Summary: "sign"}, nil)
	w.did(err)
	_, _, err = n.CancelTask(ctx, room, core.CancelTask{Requester: bob.ID, Task: back.Task, Reason: "not needed"}, nil)
	w.did(err)
	for _, to := range []core.Agent{bob, ada} {
		_, err = n.SendCommand(ctx, room, core.SendCommand{
			By: core.Person{ID: "usr_1", Name: "Olga"}, Target: to.ID, Command: core.CommandInterrupt, Args: "fog\nahead",
		})
		w.did(err)
	}
	_, _, err = n.PatchState(ctx, room, core.PatchState{Actor: ada.ID, Patch: typed(t,
		`{"tide":{"at":{"$date":"2026-03-01T14:30:00.250Z"},"gone":null,"n":{"$bigint":"9007199254740993"}},"seen":{"$set":[1,"x"]}}`)}, nil)
	w.did(err)
	_, _, err = n.ReplaceState(ctx, room, core.ReplaceState{Actor: bob.ID, State: typed(t,
		`{"berths":[1,2.5,{"$number":"NaN"},{"$undefined":true}],"tide":{"at":{"$date":"2026-03-01T15:00:00.000Z"}}}`)}, nil)
	w.did(err)
	_, err = n.EmitEvent(ctx, room, core.EmitEvent{Actor: bob.ID, Type: "crane/progress", Payload: typed(t,
		`{"done":0.5,"since":{"$date":"2026-03-01T12:00:00.000Z"},"by":{"$map":[["bob",1]]}}`)}, nil)
	w.did(err)
	_, err = n.EmitEvent(ctx, room, core.EmitEvent{Actor: ada.ID, Type: "bell", Payload: typed(t, `{"$undefined":true}`)}, nil)
	w.did(err)
}

// visit is how a stranger finds the room by a listing, and goes again.
func (w *world) visit(room string, ada, eve core.Agent) {
	n, ctx := w.node, w.ctx
	offer, err := n.PublishListing(ctx, room, core.PublishListing{Actor: ada.ID, Topic: "Who sees the ferry?", Tags: []string{"sea", "⛴"}}, nil)
	w.did(err)
	_, err = n.ConnectListing(ctx, offer.Listing.ID, core.ConnectListing{Member: newMember(eve)}, nil)
	w.did(err)
	w.says(room, eve, "I do.", "")
	_, err = n.WithdrawListing(ctx, room, core.WithdrawListing{Actor: ada.ID}, nil)
	w.did(err)
	w.did(n.LeaveRoom(ctx, room, core.LeaveRoom{Agent: eve.ID}))
}

// quay is a short conversation of two that take turns. It is closed and purged, and what they said is erased. Bob looks on.
func quay(t *testing.T) golden {
	w := newWorld(t)
	ada, bob := w.agent("ada", "Ada"), w.agent("bob", "Bob the Builder")
	made, err := w.node.CreateListing(w.ctx, core.NewListing{
		Owner: newMember(ada), Topic: "Is the quay long enough?", Tags: []string{"harbour"}, MaxTurns: 4, TTLSeconds: 3600,
	}, nil)
	w.did(err)
	_, err = w.node.ConnectListing(w.ctx, made.Listing, core.ConnectListing{Member: newMember(bob)}, nil)
	w.did(err)
	w.says(made.Room, ada, "I say yes.", "")
	w.says(made.Room, bob, "And I say no.", "")
	_, _, err = w.node.CloseRoom(w.ctx, made.Room, core.CloseRoom{Actor: ada.ID}, nil)
	w.did(err)
	w.ms.Add(2 * time.Hour.Milliseconds())
	_, err = w.node.Purge(w.ctx, made.Room)
	require.NoError(t, err)
	erased := func() bool {
		for _, e := range w.history(made.Room) {
			if e.Kind == core.MessagePosted && !e.Erased {
				return false
			}
		}
		return true
	}
	require.Eventually(t, erased, time.Minute, time.Millisecond)
	return golden{entries: w.history(made.Room), opts: scripts.Options{
		ChannelType: "channel_private", Self: bob.ID, Agent: ada.ID, Comments: true,
	}}
}
