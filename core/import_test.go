package core_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// taken reads a room as an import takes it.
func taken(t testing.TB, n *core.Node, room string) []core.ImportedEvent {
	t.Helper()
	x, err := n.ExportRoom(t.Context(), room)
	require.NoError(t, err)
	var out []core.ImportedEvent
	for e, err := range x.Events(t.Context()) {
		require.NoError(t, err)
		line, err := e.AppendPlain(nil)
		require.NoError(t, err)
		back, err := core.ParsePlain(line)
		require.NoError(t, err)
		out = append(out, core.ImportedEvent{Line: len(out) + 2, At: back.At, Payload: back.Payload.(core.Payload), Erased: back.Erased})
	}
	return out
}

// said is a history of messages by strangers, a second apart from a time on.
func saidAt(at time.Time, texts ...string) []core.ImportedEvent {
	out := []core.ImportedEvent{
		{At: at, Payload: &core.RoomCreatedEvent{RoomFacts: core.RoomFacts{ID: "there", Name: "old days", State: core.StateActive}}},
		{At: at, Payload: &core.MemberJoinedEvent{Agent: "ext-1", Name: "Zoe"}},
	}
	for i, text := range texts {
		out = append(out, core.ImportedEvent{At: at.Add(time.Duration(i+1) * time.Second), Payload: &core.MessagePostedEvent{
			MessageFacts: core.MessageFacts{ID: fmt.Sprintf("m%d", i), Turn: i, Sender: "ext-1"},
			MessageTexts: core.MessageTexts{SenderName: "Zoe", Text: text},
		}})
	}
	return out
}

func endedAfter(events []core.ImportedEvent, after time.Duration) []core.ImportedEvent {
	at := events[len(events)-1].At.Add(after)
	return append(events,
		core.ImportedEvent{At: at, Payload: &core.RoomStateChangedEvent{From: core.StateActive, To: core.StateClosed}},
		core.ImportedEvent{At: at, Payload: &core.RoomClosedEvent{Reason: core.ClosedByMember}})
}

func history(t testing.TB, n *core.Node, room string) (texts []string, times []time.Time) {
	t.Helper()
	for e, err := range n.HistoryOf(room).MessagesFrom(t.Context(), 0) {
		require.NoError(t, err)
		texts = append(texts, e.Payload.(*core.MessagePostedEvent).Text)
		times = append(times, e.At)
	}
	return texts, times
}

// TestImportWakesNobody: an agent that has a stream, an inbox and a webhook becomes a member of an imported room in which it
// was addressed and which closed. It is told nothing of that, misses nothing, and is told what happens afterwards.
func TestImportWakesNobody(t *testing.T) {
	c := newClock()
	there := openNode(t, memlog.New(), core.Options{Now: c.Now})
	ada, bob := register(t, there, "ada"), register(t, there, "bob")
	room := openRoom(t, there, ada, bob)
	post(t, there, room, ada, "@bob hello")
	c.Advance(30 * 24 * time.Hour)
	post(t, there, room, bob, "@ada late")
	_, err := there.EmitEvent(t.Context(), room, core.EmitEvent{Actor: ada.ID, Type: "x"}, nil)
	require.NoError(t, err)
	events := taken(t, there, room)

	c.Advance(30 * 24 * time.Hour)
	here := openNode(t, memlog.New(), core.Options{Now: c.Now})
	me, you := register(t, here, "ada"), register(t, here, "bob")
	reader := here.NewAgentReader(me.ID, here.Applied())
	defer reader.Close()
	before := here.Applied()
	got, err := here.ImportRoom(t.Context(), core.ImportRoom{Events: events, From: "stele", MatchHandles: true, Owner: "acme"})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{me.ID, you.ID}, got.Members)
	require.Empty(t, got.Absent)

	nothingLeft(t, reader)
	require.Empty(t, here.Waiting(t.Context(), me.ID))
	gap, err := here.Retained(t.Context(), me.ID, before)
	require.NoError(t, err)
	require.Zero(t, gap, "an old history is no gap in a member's stream")
	require.True(t, here.IsMember(me.ID, got.Room))
	words, times := history(t, here, got.Room)
	require.Equal(t, []string{"@bob hello", "@ada late"}, words)
	require.Equal(t, 30*24*time.Hour, times[1].Sub(times[0]))

	post(t, here, got.Room, you, "@ada now")
	require.Equal(t, []string{"@ada now"}, texts(take(t, reader, 1)))
	require.Len(t, here.Waiting(t.Context(), me.ID), 1)
	sum, _ := here.Room(got.Room)
	require.Equal(t, "acme", sum.Owner)
}

// TestImportIsTakenOnce: the same content again is refused and named, unless told; an id that is kept must be free.
func TestImportIsTakenOnce(t *testing.T) {
	n := newNode(t)
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	first, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b"), From: "x"})
	require.NoError(t, err)
	require.Equal(t, []string{"ext-1"}, first.Absent)
	require.NotNil(t, first.Members, "a list for scripts, also when nobody is in it")
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b"), From: "x"})
	var before *core.AlreadyImportedError
	require.ErrorAs(t, err, &before)
	require.Equal(t, first.Room, before.Room)
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b"), From: "x", Name: "another name"})
	require.ErrorAs(t, err, &before, "another name is no other content")
	require.Equal(t, first.Room, before.Room)
	again, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "b"), From: "x", Again: true})
	require.NoError(t, err)
	require.NotEqual(t, first.Room, again.Room)
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a", "c"), From: "x"})
	require.NoError(t, err)

	named, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "n"), From: "x", Name: "new days"})
	require.NoError(t, err)
	sum, _ := n.Room(named.Room)
	require.Equal(t, [2]string{"new days", "new days"}, [2]string{named.Name, sum.Name})
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "b"), From: "x", Name: " "})
	require.ErrorContains(t, err, "must not be blank")

	kept := saidAt(at, "k")
	id := core.DerivedID(core.RoomPrefix, "k")
	kept[0].Payload.(*core.RoomCreatedEvent).ID = id
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: kept, KeepID: true})
	require.NoError(t, err)
	require.Equal(t, id, got.Room)
	kept[2].Payload.(*core.MessagePostedEvent).Text = "other"
	kept = saidAt(at, "other")
	kept[0].Payload.(*core.RoomCreatedEvent).ID = id
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: kept, KeepID: true})
	require.ErrorIs(t, err, core.ErrRoomExists)
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "z"), KeepID: true})
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid)
}

// TestImportOfTheLongestMessageWithFiles: where only text is known the lines of files stand behind what was said.
func TestImportOfTheLongestMessageWithFiles(t *testing.T) {
	n := newNode(t)
	files := make([]core.Attachment, core.MaxAttachments)
	for i := range files {
		files[i] = core.Attachment{Media: core.DerivedID("med_", "x"), Filename: strings.Repeat(`"`, 255), Type: "application/octet-stream", Size: 20 << 20}
	}
	text := core.AppendAttachmentLines(strings.Repeat("x", core.MaxMessageBytes), files)
	_, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), text)})
	require.NoError(t, err)
}

// TestImportFromAClockAheadIsTakenOnce: a file whose times are a little ahead of here is the same file a moment later.
func TestImportFromAClockAheadIsTakenOnce(t *testing.T) {
	c := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: c.Now})
	at := c.Now().Add(20 * time.Second)
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a")})
	require.NoError(t, err)
	require.False(t, got.Last.After(c.Now()))
	c.Advance(time.Second)
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: saidAt(at, "a")})
	var before *core.AlreadyImportedError
	require.ErrorAs(t, err, &before)
	require.Equal(t, got.Room, before.Room)
}

// TestImportOnTwoNodesAtOnce: one of them makes the room, the other is told which it is.
func TestImportOnTwoNodesAtOnce(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	results := make(chan error, 2)
	for _, n := range []*core.Node{a, b} {
		go func() {
			_, err := n.ImportRoom(context.WithoutCancel(t.Context()), core.ImportRoom{Events: saidAt(at, "a")})
			results <- err
		}()
	}
	first, second := <-results, <-results
	if first != nil {
		first, second = second, first
	}
	require.NoError(t, first)
	var before *core.AlreadyImportedError
	require.ErrorAs(t, second, &before)
}

// TestImportedClosedRoomIsKept: one that closed long ago keeps its content for the grace from its import on.
func TestImportedClosedRoomIsKept(t *testing.T) {
	c := newClock()
	there := openNode(t, memlog.New(), core.Options{Now: c.Now, Purge: core.PurgePolicy{Off: true}})
	ada, bob := register(t, there, "ada"), register(t, there, "bob")
	room := turnsRoom(t, there, ada, bob, 2)
	post(t, there, room, ada, "one")
	post(t, there, room, bob, "two")
	events := taken(t, there, room)
	c.Advance(365 * 24 * time.Hour)
	here := openNode(t, memlog.New(), core.Options{Now: c.Now, Purge: core.PurgePolicy{Grace: time.Hour}})
	register(t, here, "zoe")
	got, err := here.ImportRoom(t.Context(), core.ImportRoom{Events: events})
	require.NoError(t, err)
	require.Equal(t, core.StateClosed, got.State)
	ended, err := here.Purge(t.Context(), got.Room)
	require.NoError(t, err)
	require.Equal(t, core.StateClosed, ended.State)
	c.Advance(time.Hour + time.Second)
	ended, err = here.Purge(t.Context(), got.Room)
	require.NoError(t, err)
	require.Equal(t, core.StatePurged, ended.State)
}

// TestReopenedImport goes on where it was closed.
func TestReopenedImport(t *testing.T) {
	c := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: c.Now})
	zoe := register(t, n, "zoe")
	events := endedAfter(saidAt(c.Now().Add(-time.Hour), "a"), time.Second)
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: events, Reopen: true, People: map[string]string{"Zoe": "zoe"}})
	require.NoError(t, err)
	require.Equal(t, core.StateActive, got.State)
	require.Equal(t, []string{zoe.ID}, got.Members)
	post(t, n, got.Room, zoe, "b")
	texts, _ := history(t, n, got.Room)
	require.Equal(t, []string{"a", "b"}, texts)
}

// TestReopenedAfterTheLastTurn: nothing was the last word any more, and the other side is next.
func TestReopenedAfterTheLastTurn(t *testing.T) {
	there, here := newNode(t), newNode(t)
	ada, bob := register(t, there, "ada"), register(t, there, "bob")
	room := turnsRoom(t, there, ada, bob, 1)
	post(t, there, room, ada, "the end")
	register(t, here, "ada")
	you := register(t, here, "bob")
	got, err := here.ImportRoom(t.Context(), core.ImportRoom{Events: taken(t, there, room), Reopen: true, MatchHandles: true})
	require.NoError(t, err)
	for e, err := range here.HistoryOf(got.Room).MessagesFrom(t.Context(), 0) {
		require.NoError(t, err)
		m := e.Payload.(*core.MessagePostedEvent)
		require.Equal(t, []any{false, you.ID}, []any{m.Last, m.Next})
	}
	require.NoError(t, here.ViewRoom(t.Context(), got.Room, func(r *core.Room) { require.Equal(t, you.ID, r.NextActor()) }))
	post(t, here, got.Room, you, "and yet")
}

// TestImportedRoomIsOfferedAnew: what was on offer there is on offer here when somebody says so, and with the same words too.
func TestImportedRoomIsOfferedAnew(t *testing.T) {
	there, here := newNode(t), newNode(t)
	ada, bob := register(t, there, "ada"), register(t, there, "bob")
	open := ownedRoom(t, there, ada, bob)
	publish(t, there, open, ada, "ops", "tea")
	duel, err := there.CreateListing(t.Context(), core.NewListing{Owner: member(ada), Topic: "ops", Tags: []string{"tea"}, MaxTurns: 4, TTLSeconds: 60}, nil)
	require.NoError(t, err)
	me, you := register(t, here, "ada"), register(t, here, "bob")
	for _, room := range []string{open, duel.Room} {
		got, err := here.ImportRoom(t.Context(), core.ImportRoom{Events: taken(t, there, room), MatchHandles: true})
		require.NoError(t, err)
		require.Empty(t, found(here, ""))
		require.NoError(t, here.ViewRoom(t.Context(), got.Room, func(r *core.Room) { require.Nil(t, r.Offer()) }))
		l := publish(t, here, got.Room, me, "ops", "tea")
		require.Equal(t, []string{l.ID}, found(here, "tea"))
		_, err = join(t, here, l.ID, you)
		require.NoError(t, err)
		_, err = here.WithdrawListing(t.Context(), got.Room, core.WithdrawListing{Actor: me.ID}, nil)
		require.NoError(t, err)
	}
}

// TestImportAfterItsTime: a room whose time to live passed on the way is closed at that time, and nobody is told.
func TestImportAfterItsTime(t *testing.T) {
	c := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: c.Now})
	zoe := register(t, n, "zoe")
	events := saidAt(c.Now().Add(-time.Hour), "a")
	until := c.Now().Add(-time.Minute)
	events[0].Payload.(*core.RoomCreatedEvent).TTLAt = until
	got, err := n.ImportRoom(t.Context(), core.ImportRoom{Events: events, People: map[string]string{"ext-1": zoe.ID}})
	require.NoError(t, err)
	require.Equal(t, core.StateClosed, got.State)
	sum, _ := n.Room(got.Room)
	require.Equal(t, core.StateClosed, sum.State)
	require.Equal(t, until, sum.ClosedAt)
	require.Empty(t, n.Waiting(t.Context(), zoe.ID))
}
