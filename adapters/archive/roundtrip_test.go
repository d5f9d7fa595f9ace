package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/adapters/archive"
	"stele/core"
	"stele/internal/typedjson"
)

var (
	places   = regexp.MustCompile(`^\{"position":\d+,"version":(\d+),`)
	rooms    = regexp.MustCompile(`room_[0-9a-f-]{36}`)
	came     = regexp.MustCompile(`,"imported":\{[^}]*\}`)
	flagged  = regexp.MustCompile(`,"history":true`)
	attached = regexp.MustCompile(`med_[0-9a-f-]{36}`)
)

// lifted are a file's events without what an import changes: positions, the room's id, the ids of attachments, the note
// where it came from, and who is no member here.
func lifted(file []byte) []string {
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	var out []string
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, `{"stele":"`) {
			continue
		}
		line = places.ReplaceAllString(line, `{"version":$1,`)
		line = rooms.ReplaceAllString(line, "ROOM")
		line = attached.ReplaceAllString(line, "MEDIA")
		line = flagged.ReplaceAllString(came.ReplaceAllString(line, ""), "")
		out = append(out, line)
	}
	return out
}

// act is one random thing that a member does.
func act(rt *rapid.T, n *core.Node, room string, people []core.Registered, i int, now *atomic.Int64) {
	ctx := context.Background()
	who := rapid.SampledFrom(people).Draw(rt, "who").Agent
	now.Add(rapid.Int64Range(0, 5000).Draw(rt, "later"))
	text := rapid.SampledFrom([]string{"hi", "@bob *hm*", "שלום", "\u0000\"\\\n\r\n", "😀", "<script>", strings.Repeat("x", 9000)}).Draw(rt, "text")
	var err error
	switch rapid.IntRange(0, 9).Draw(rt, "what") {
	case 0:
		_, err = n.CreateDocument(ctx, room, core.CreateDocument{
			Agent: who.ID, Name: fmt.Sprint("doc ", i), Content: text,
		}, nil)
	case 1:
		_, _, err = n.PatchState(ctx, room, core.PatchState{Actor: who.ID, Patch: typedjson.Value{
			Kind: typedjson.Object, Members: []typedjson.Member{{Key: "k", Value: typedjson.Value{Kind: typedjson.String, Text: text}}},
		}}, nil)
	case 2:
		_, err = n.EmitEvent(ctx, room, core.EmitEvent{Actor: who.ID, Type: "tick"}, nil)
	case 3:
		err = n.LeaveRoom(ctx, room, core.LeaveRoom{Agent: who.ID})
	case 4:
		err = n.JoinRoom(ctx, room, core.JoinRoom{Member: core.NewMember{Agent: who.ID, Name: who.Name, Handle: who.Handle}})
	case 5:
		err = n.DefineRole(ctx, room, core.DefineRole{Actor: who.ID, Name: fmt.Sprint("role", i), Instructions: text}, nil)
	case 6:
		_, _, err = n.DelegateTask(ctx, room, core.DelegateTask{Requester: who.ID, Performer: people[0].Agent.ID, Summary: "do", Description: text}, nil)
	case 7:
		media, perr := n.PutMedia(ctx, strings.NewReader(strings.Repeat(text, 3)))
		require.NoError(rt, perr)
		_, _, err = n.PostMessage(ctx, room, core.PostMessage{Sender: who.ID, Attachments: []core.Attachment{
			{Media: media.ID, Filename: "f.txt", Type: media.Type, Size: media.Size},
		}}, nil)
	default:
		_, _, err = n.PostMessage(ctx, room, core.PostMessage{Sender: who.ID, Text: text}, nil)
	}
	// What is refused to whoever left, or for a name that is taken, is no event.
	_ = err
}

// TestRoundTrip: whatever happened in a room, its export, imported elsewhere or here and exported again, says the same, with
// the same times in the same order; only work that was going on is ended by the first import.
func TestRoundTrip(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli())
	clock := func() time.Time { return time.UnixMilli(now.Load()) }
	there := newNode(t, core.Options{Now: clock})
	people := []core.Registered{register(t, there, "ada"), register(t, there, "bob"), register(t, there, "cleo")}
	elsewhere := newNode(t, core.Options{Now: clock})
	register(t, elsewhere, "ada")
	rapid.Check(t, func(rt *rapid.T) {
		made, _, err := there.CreateRoom(context.Background(), core.CreateRoom{
			Facts: core.RoomFacts{Name: "ops", Owner: "acme", Creator: people[0].Agent.ID}, Members: []core.NewMember{member(people[0]), member(people[1])},
		}, nil)
		require.NoError(rt, err)
		for i := range rapid.IntRange(0, 25).Draw(rt, "acts") {
			act(rt, there, made.Room, people, i, &now)
		}
		if rapid.Bool().Draw(rt, "close") {
			_, _, _ = there.CloseRoom(context.Background(), made.Room, core.CloseRoom{Actor: people[0].Agent.ID}, nil)
		}
		first := export(rt, there, made.Room, true)
		owner := func(c *core.ImportRoom) { c.Owner = "acme" }

		copied := bring(rt, there, first, owner)
		second := export(rt, there, copied.Room, true)
		checkSame(rt, lifted(first), lifted(second))
		third := export(rt, there, bring(rt, there, second, owner).Room, true)
		require.Equal(rt, lifted(second), lifted(third))
		require.Equal(rt, contents(rt, first), contents(rt, third))
		require.ElementsMatch(rt, membersIn(rt, there, made.Room), copied.Members)

		far := bring(rt, elsewhere, first, owner)
		require.Empty(rt, far.Members)
		checkSame(rt, withoutCreator(lifted(first)), withoutCreator(lifted(export(rt, elsewhere, far.Room, true))))
	})
}

var creator = regexp.MustCompile(`"creator":"[^"]*",`)

func withoutCreator(lines []string) []string {
	lines[0] = creator.ReplaceAllString(lines[0], "")
	return lines
}

// checkSame: the second file is the first, and after it only that open work was ended.
func checkSame(t tb, first, second []string) {
	t.Helper()
	require.GreaterOrEqual(t, len(second), len(first))
	require.Equal(t, first, second[:len(first)])
	for _, more := range second[len(first):] {
		require.Contains(t, more, `"kind":"task.cancelled"`)
	}
}

func contents(t tb, file []byte) (out []string) {
	t.Helper()
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, `{"stele":"part"`) {
			out = append(out, line)
		}
	}
	return out
}

func membersIn(t tb, n *core.Node, room string) (ids []string) {
	t.Helper()
	require.NoError(t, n.ViewRoom(context.Background(), room, func(r *core.Room) {
		for id := range r.Members {
			ids = append(ids, id)
		}
	}))
	return ids
}

// TestAttachmentsComeAlong: contents longer than a line carries are the same afterwards, for the members; without them the
// message says that there were some, and no other room's content is shown in their place.
func TestAttachmentsComeAlong(t *testing.T) {
	n := newNode(t, core.Options{})
	ada := register(t, n, "ada")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: []core.NewMember{member(ada)}}, nil)
	require.NoError(t, err)
	content := bytes.Repeat([]byte("0123456789abcdef"), 100_000)
	media, err := n.PutMedia(t.Context(), bytes.NewReader(content))
	require.NoError(t, err)
	_, _, err = n.PostMessage(t.Context(), made.Room, core.PostMessage{Sender: ada.Agent.ID, Attachments: []core.Attachment{
		{Media: media.ID, Filename: "big.txt", Type: media.Type, Size: media.Size},
	}}, nil)
	require.NoError(t, err)

	with := bring(t, n, export(t, n, made.Room, true), nil)
	require.Empty(t, with.LeftOut)
	got := attachments(t, n, with.Room)
	require.Len(t, got, 1)
	require.NotEqual(t, media.ID, got[0].Media)
	f, described, err := n.OpenMedia(t.Context(), ada.Agent.ID, with.Room, got[0].Media)
	require.NoError(t, err)
	back, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, content, back)
	require.Equal(t, "big.txt", described.Filename)

	without := bring(t, n, export(t, n, made.Room, false), func(c *core.ImportRoom) { c.Again = true })
	require.Equal(t, map[string]int{"contents of attachments": 1}, without.LeftOut)
	got = attachments(t, n, without.Room)
	require.Equal(t, "big.txt", got[0].Filename)
	_, _, err = n.OpenMedia(t.Context(), ada.Agent.ID, without.Room, got[0].Media)
	require.ErrorIs(t, err, core.ErrNoMedia)
	_, _, err = n.OpenMedia(t.Context(), ada.Agent.ID, made.Room, media.ID)
	require.NoError(t, err, "the first room still has it")
}

func attachments(t tb, n *core.Node, room string) (out []core.Attachment) {
	t.Helper()
	for e, err := range n.HistoryOf(room).MessagesFrom(context.Background(), 0) {
		require.NoError(t, err)
		out = append(out, e.Payload.(*core.MessagePostedEvent).Attachments...)
	}
	return out
}

// TestPurgedRoomsBones: a purged room's file says so and has no word of what was said; so has the room that it becomes.
func TestPurgedRoomsBones(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli())
	n := newNode(t, core.Options{Now: func() time.Time { return time.UnixMilli(now.Load()) }, Purge: core.PurgePolicy{Grace: time.Hour}})
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "duel", Floor: core.FloorTurns},
		Texts:   core.RoomTexts{Description: "a secret"},
		Members: []core.NewMember{member(ada), member(bob)},
	}, nil)
	require.NoError(t, err)
	_, _, err = n.PostMessage(t.Context(), made.Room, core.PostMessage{Sender: ada.Agent.ID, Text: "a secret"}, nil)
	require.NoError(t, err)
	_, _, err = n.CloseRoom(t.Context(), made.Room, core.CloseRoom{Actor: ada.Agent.ID}, nil)
	require.NoError(t, err)
	now.Add((2 * time.Hour).Milliseconds())
	file := export(t, n, made.Room, true)
	require.NotContains(t, string(file), "secret")
	require.Contains(t, string(file[:bytes.IndexByte(file, '\n')]), `"erased":true`)
	got := bring(t, n, file, nil)
	require.Equal(t, core.StatePurged, got.State)
	require.Equal(t, 1, got.Messages)
	require.Equal(t, lifted(file), lifted(export(t, n, got.Room, true)))
	_, err = archive.Read(t.Context(), bytes.NewReader(file), archive.ReadOptions{Form: "tape"})
	require.Error(t, err)
}
