package core_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func message(turn int, change func(*core.MessagePostedEvent)) core.ImportedEvent {
	m := &core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: "m", Turn: turn, Sender: "ext-1"}, MessageTexts: core.MessageTexts{Text: "x"},
	}
	if change != nil {
		change(m)
	}
	return core.ImportedEvent{At: time.Date(2020, 1, 2, 4, 0, 0, 0, time.UTC), Payload: m}
}

// TestImportRefuses what no room could have come to, and says where; nothing is made of it.
func TestImportRefuses(t *testing.T) {
	c := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: c.Now})
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	event := func(p core.Payload) core.ImportedEvent {
		return core.ImportedEvent{At: at.Add(time.Hour), Payload: p}
	}
	made := func(change func(*core.RoomCreatedEvent)) []core.ImportedEvent {
		events := saidAt(at, "a")
		change(events[0].Payload.(*core.RoomCreatedEvent))
		return events
	}
	then := func(e ...core.ImportedEvent) []core.ImportedEvent { return append(saidAt(at, "a"), e...) }
	for name, events := range map[string][]core.ImportedEvent{
		"nothing":             nil,
		"no creation":         saidAt(at, "a")[1:],
		"two creations":       then(saidAt(at)[0]),
		"no payload":          then(core.ImportedEvent{At: at}),
		"no time":             then(core.ImportedEvent{Payload: &core.MemberLeftEvent{Agent: "ext-1"}}),
		"the future":          then(core.ImportedEvent{At: c.Now().Add(time.Hour), Payload: &core.MemberLeftEvent{Agent: "ext-1"}}),
		"another stream":      then(event(&core.AgentDeletedEvent{ID: "ext-1"})),
		"a turn left out":     then(message(2, nil)),
		"a turn twice":        then(message(0, nil)),
		"no sender":           then(message(1, func(m *core.MessagePostedEvent) { m.Sender = " " })),
		"control in an id":    then(message(1, func(m *core.MessagePostedEvent) { m.ID = "a\nb" })),
		"a huge id":           then(message(1, func(m *core.MessagePostedEvent) { m.ID = strings.Repeat("x", 1000) })),
		"a huge text":         then(message(1, func(m *core.MessagePostedEvent) { m.Text = strings.Repeat("x", core.MaxMessageBytes+1) })),
		"media without words": then(message(1, func(m *core.MessagePostedEvent) { m.Attachments = []core.Attachment{{Media: "a"}} })),
		"a negative size": then(message(1, func(m *core.MessagePostedEvent) {
			m.Media = []string{"a"}
			m.Attachments = []core.Attachment{{Media: "a", Size: -1}}
		})),
		"joined twice":          then(event(&core.MemberJoinedEvent{Agent: "ext-1"})),
		"a side of an open one": then(event(&core.MemberJoinedEvent{Agent: "ext-2", Side: "a"})),
		"back to open":          then(event(&core.RoomStateChangedEvent{From: core.StateActive, To: core.StateOpen})),
		"from another state":    then(event(&core.RoomStateChangedEvent{From: core.StateOpen, To: core.StateClosed})),
		"an unknown state":      then(event(&core.RoomStateChangedEvent{From: core.StateActive, To: "GONE"})),
		"closed while active":   then(event(&core.RoomClosedEvent{Reason: core.ClosedByMember})),
		"purged while active":   then(event(&core.RoomPurgedEvent{})),
		"words after the end":   append(endedAfter(saidAt(at, "a"), 0), message(1, nil)),
		"erased and not purged": then(core.ImportedEvent{At: at, Payload: &core.MemberLeftEvent{Agent: "ext-1"}, Erased: true}),
		"a huge document":       then(event(&core.DocumentCreatedEvent{DocumentFacts: core.DocumentFacts{Document: "d"}, DocumentTexts: core.DocumentTexts{Content: strings.Repeat("x", core.MaxDocumentBytes+1)}})),
		"a huge command":        then(event(&core.CommandSentEvent{CommandTexts: core.CommandTexts{Args: strings.Repeat("x", 1<<20)}})),
		"a huge type":           then(event(&core.EventEmittedEvent{EventTexts: core.EventTexts{Type: strings.Repeat("x", 1000)}})),
		"no name":               made(func(e *core.RoomCreatedEvent) { e.Name = " " }),
		"an unknown floor":      made(func(e *core.RoomCreatedEvent) { e.Floor = "sea" }),
		"closed from the start": made(func(e *core.RoomCreatedEvent) { e.State = core.StateClosed }),
		"private but writable":  made(func(e *core.RoomCreatedEvent) { e.ReadVisibility, e.WriteVisibility = "private", "public" }),
	} {
		t.Run(name, func(t *testing.T) {
			head := n.Applied()
			_, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: events})
			require.Error(t, err)
			if len(events) > 0 {
				var at *core.ImportError
				require.ErrorAs(t, err, &at)
			}
			require.Equal(t, head, n.Applied())
			require.Empty(t, n.Rooms())
		})
	}
}

// TestImportOfPeopleRefuses what --map cannot mean.
func TestImportOfPeopleRefuses(t *testing.T) {
	n := newNode(t)
	register(t, n, "zoe")
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	two := append(saidAt(at), core.ImportedEvent{At: at, Payload: &core.MemberJoinedEvent{Agent: "ext-2", Name: "Yan"}})
	for name, people := range map[string]map[string]string{
		"nobody there":  {"nobody": "zoe"},
		"nobody here":   {"Zoe": "nobody"},
		"two as one":    {"Zoe": "zoe", "Yan": "zoe"},
		"empty":         {"": "zoe"},
		"a name anyway": {"zoe": "zoe"},
	} {
		_, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: two, People: people})
		require.Error(t, err, name)
	}
	require.Empty(t, n.Rooms())
}

// failing refuses appends of more than a number of events.
type failing struct{ core.Log }

func (f failing) Append(ctx context.Context, s core.Stream, last core.Position, events []core.Event) ([]core.Position, error) {
	if len(events) > 2 {
		return nil, core.ErrFull
	}
	return f.Log.Append(ctx, s, last, events)
}

// TestImportIsWholeOrNothing: a log that is full has nothing of it, nor does one whose client went away.
func TestImportIsWholeOrNothing(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	n := openNode(t, failing{store.Open()}, core.Options{})
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b", "c")})
	require.ErrorIs(t, err, core.ErrFull)
	require.Empty(t, n.Rooms())
	require.Zero(t, n.Applied())
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	other := openNode(t, store.Open(), core.Options{NodeID: "other"})
	_, err = other.ImportRoom(gone, core.ImportRoom{Events: saidAt(at, "a", "b", "c")})
	if err == nil {
		return
	}
	_, err = other.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b", "c")})
	if rooms := other.Rooms(); err != nil {
		require.Len(t, rooms, 1, "%v", err)
	}
	words, _ := history(t, other, other.Rooms()[0].ID)
	require.Equal(t, []string{"a", "b", "c"}, words)
}

// TestImportLeavesOthersAlone: a file that names things of another room here takes nothing of them.
func TestImportLeavesOthersAlone(t *testing.T) {
	n := newNode(t)
	ada := register(t, n, "ada")
	listing := n.IDs().New(core.ListingPrefix, n.Now())
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "duel", Floor: core.FloorTurns, TTLAt: n.Now().Add(time.Hour),
			Listing: &core.Listing{ID: listing, Agent: ada.ID, Topic: "duel"},
		},
		Members: []core.NewMember{member(ada)},
	}, nil)
	require.NoError(t, err)
	events := taken(t, n, made.Room)
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: events})
	require.NoError(t, err)
	require.NotEqual(t, made.Room, got.Room)
	room, ok := n.ListingRoom(listing)
	require.True(t, ok)
	require.Equal(t, made.Room, room, "the listing still leads to its own room")
	offers := n.Listings("", 10)
	require.Len(t, offers, 1)
	require.Equal(t, made.Room, offers[0].ID, "what was on offer elsewhere is not on offer here")
}

// TestImportedLinksShowNobodyWhatIsPrivate: a file that names a private room teaches nobody what it is called.
func TestImportedLinksShowNobodyWhatIsPrivate(t *testing.T) {
	n := openNode(t, memlog.New(), core.Options{})
	room := func(owner, visibility string) string {
		made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{Facts: core.RoomFacts{
			Name: "x", Owner: owner, ReadVisibility: visibility, WriteVisibility: visibility,
		}}, nil)
		require.NoError(t, err)
		return made.Room
	}
	open, mine, theirs, nobodys := room("evil", "public"), room("acme", "private"), room("evil", "private"), room("", "private")
	for owner, want := range map[string][]string{"acme": {open, mine}, "": {open}, "evil": {open, theirs}} {
		events := saidAt(time.Now().Add(-time.Hour), "hello")
		events[0].Payload.(*core.RoomCreatedEvent).Links = []core.Link{{Target: theirs, Label: "made with it"}}
		for _, target := range []string{open, mine, theirs, nobodys, "room_none"} {
			events = append(events, core.ImportedEvent{At: events[0].At, Payload: &core.LinkAddedEvent{
				LinkFacts: core.LinkFacts{Target: target}, LinkTexts: core.LinkTexts{Label: "later"},
			}})
		}
		got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: events, Owner: owner, Again: true})
		require.NoError(t, err)
		links := map[string]bool{}
		require.NoError(t, n.ViewRoom(t.Context(), got.Room, func(r *core.Room) {
			for _, l := range r.Links {
				links[l.Target] = true
			}
		}))
		require.ElementsMatch(t, want, slices.Collect(maps.Keys(links)), "owner %q", owner)
		require.Positive(t, got.LeftOut["links"])
	}
}

// TestImportedOfferIsNone: an imported room has no offer to withdraw, and whoever publishes it just as before has it offered.
func TestImportedOfferIsNone(t *testing.T) {
	n := newNode(t)
	ada := register(t, n, "ada")
	room := openRoom(t, n, ada)
	offer := core.PublishListing{Actor: ada.ID, Topic: "come in"}
	_, err := n.PublishListing(t.Context(), room, offer, nil)
	require.NoError(t, err)
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: taken(t, n, room)})
	require.NoError(t, err)
	taken, err := n.WithdrawListing(t.Context(), got.Room, core.WithdrawListing{Actor: ada.ID}, nil)
	require.NoError(t, err)
	require.Empty(t, taken.Listing, "nothing is on offer")
	made, err := n.PublishListing(t.Context(), got.Room, offer, nil)
	require.NoError(t, err)
	leads, ok := n.ListingRoom(made.Listing.ID)
	require.True(t, ok, "it can be found")
	require.Equal(t, got.Room, leads)
}

// TestImportedTasksAreTheRoomsOwn: a task is found by its id in the room that it came with, and not where it was given.
func TestImportedTasksAreTheRoomsOwn(t *testing.T) {
	n := newNode(t)
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	room := openRoom(t, n, ada, bob)
	task := delegate(t, n, room, ada, bob, "sweep")
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: taken(t, n, room)})
	require.NoError(t, err)
	tasks, err := n.TasksIn(t.Context(), ada.ID, got.Room, core.TaskFilter{})
	require.NoError(t, err)
	require.Len(t, tasks, 1)
	in, _ := core.TaskRoom(tasks[0].ID)
	require.Equal(t, got.Room, in)
	found, err := n.Task(t.Context(), ada.ID, tasks[0].ID)
	require.NoError(t, err)
	require.Equal(t, core.TaskWithdrew, found.Status)
	found, err = n.Task(t.Context(), ada.ID, task)
	require.NoError(t, err)
	require.Equal(t, core.TaskPending, found.Status, "the one that was exported goes on")
}

// TestImportSurvivesARestart: the look-ups are the same from a snapshot, from the log alone, and as they came about.
func TestImportSurvivesARestart(t *testing.T) {
	store := memlog.NewStore(memlog.Options{DropPayload: true})
	snapshots := memlog.NewSnapshots()
	open := func(s core.Snapshots) *core.Node {
		n, err := core.Open(t.Context(), store.Open(), core.Options{Snapshots: s})
		require.NoError(t, err)
		return n
	}
	end := func(n *core.Node) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
	}
	n := open(snapshots)
	zoe := register(t, n, "zoe")
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b"), People: map[string]string{"Zoe": "zoe"}})
	require.NoError(t, err)
	want, _ := n.Room(got.Room)
	end(n)
	for _, s := range []core.Snapshots{snapshots, nil} {
		n := open(s)
		sum, ok := n.Room(got.Room)
		require.True(t, ok)
		require.Equal(t, want, sum)
		require.True(t, n.IsMember(zoe.ID, got.Room))
		r := n.NewAgentReader(zoe.ID, 0)
		nothingLeft(t, r)
		r.Close()
		_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b")})
		var before *core.AlreadyImportedError
		require.ErrorAs(t, err, &before)
		end(n)
	}
}
