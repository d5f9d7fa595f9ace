package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// everyPlace lists the places behind all events of a room, found by counting from its beginning.
func everyPlace(t require.TestingT, n *core.Node, room string) []core.Place {
	out, message := []core.Place{{}}, uint64(0)
	for e, err := range n.HistoryOf(room).After(context.Background(), 0) {
		require.NoError(t, err)
		if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
			message = core.MessageNumber(e.Version, p.Turn)
		}
		out = append(out, core.Place{Position: e.Position, Version: e.Version, At: e.At, Message: message})
	}
	return out
}

// checkPlaces converts the place behind every event of a room, given in each numbering, and every position of the log.
func checkPlaces(t require.TestingT, n *core.Node, room string) {
	ctx := context.Background()
	all := everyPlace(t, n, room)
	place := func(by core.Numbering, number uint64) core.Place {
		got, err := n.Place(ctx, room, core.Cursor{By: by, Number: number})
		require.NoError(t, err, "%s %d", by, number)
		return got
	}
	atMessage := core.Place{}
	for i, want := range all {
		if i > 0 && want.Message != all[i-1].Message {
			atMessage = want
		}
		require.Equal(t, want, place(core.ByPosition, uint64(want.Position)))
		require.Equal(t, want, place(core.ByVersion, want.Version))
		require.Equal(t, atMessage, place(core.ByMessage, want.Message))
		if i == len(all)-1 {
			break
		}
		if next := all[i+1].Position; next.Life() == want.Position.Life() && next-1 > want.Position {
			require.Equal(t, want, place(core.ByPosition, uint64(next-1)), "a position between two events of the room")
		}
	}
	newest, err := n.Newest(ctx, room)
	require.NoError(t, err)
	require.Equal(t, all[len(all)-1], newest)
	require.Equal(t, newest, place(core.ByPosition, uint64(n.Applied())))
}

// noPlace asserts that a cursor is refused, and why.
func noPlace(t require.TestingT, n *core.Node, room string, at core.Cursor, why core.PlaceReason) {
	_, err := n.Place(context.Background(), room, at)
	var refused *core.PlaceError
	require.ErrorAs(t, err, &refused, "%s %d", at.By, at.Number)
	require.Equal(t, why, refused.Reason, "%s %d", at.By, at.Number)
	require.Equal(t, at, refused.Cursor)
	require.NotEmpty(t, refused.Error())
}

// TestPlacesAreExactAtEveryEvent: rooms that grow in turns, with messages and other events in any order.
func TestPlacesAreExactAtEveryEvent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		n, err := core.Open(ctx, memlog.New(), core.Options{})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, n.Close(ctx)) }()
		r, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}})
		require.NoError(rt, err)
		var rooms []string
		for range 2 {
			made, _, err := n.CreateRoom(ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: []core.NewMember{member(r.Agent)}}, nil)
			require.NoError(rt, err)
			rooms = append(rooms, made.Room)
		}
		for range rapid.IntRange(0, 12).Draw(rt, "runs") {
			room := rapid.SampledFrom(rooms).Draw(rt, "room")
			says := rapid.Bool().Draw(rt, "says")
			for range rapid.IntRange(1, 90).Draw(rt, "length") {
				if says {
					_, _, err = n.PostMessage(ctx, room, core.PostMessage{Sender: r.Agent.ID, Text: "x"}, nil)
				} else {
					_, err = n.EmitEvent(ctx, room, core.EmitEvent{Actor: r.Agent.ID, Type: "tick"}, nil)
				}
				require.NoError(rt, err)
			}
		}
		for _, room := range rooms {
			checkPlaces(rt, n, room)
			newest, err := n.Newest(ctx, room)
			require.NoError(rt, err)
			noPlace(rt, n, room, core.Cursor{By: core.ByVersion, Number: newest.Version + 1}, core.PlaceAhead)
			noPlace(rt, n, room, core.Cursor{By: core.ByMessage, Number: newest.Message + 1}, core.PlaceAhead)
			noPlace(rt, n, room, core.Cursor{By: core.ByPosition, Number: uint64(n.Applied()) + 1}, core.PlaceAhead)
			noPlace(rt, n, room, core.Cursor{By: core.ByMessage, Number: 1 << 32}, core.PlaceAhead)
		}
	})
}

// TestPlacesOverARestoredBackup: numbers of the life that is there convert exactly, those of the lost one are recognised.
func TestPlacesOverARestoredBackup(t *testing.T) {
	log := memlog.New()
	n, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	ada := register(t, n, "ada")
	room := openRoom(t, n, ada)
	grow := func(n *core.Node, count int) {
		for i := range count {
			if i%3 == 2 {
				_, err := n.EmitEvent(t.Context(), room, core.EmitEvent{Actor: ada.ID, Type: "tick"}, nil)
				require.NoError(t, err)
				continue
			}
			post(t, n, room, ada, fmt.Sprint(i))
		}
	}
	grow(n, 200)
	old, err := n.Newest(t.Context(), room)
	require.NoError(t, err)
	end := n.Applied()
	require.NoError(t, n.Close(t.Context()))

	restored := openNode(t, &secondLife{Log: log, end: end}, core.Options{})
	checkPlaces(t, restored, room)
	noPlace(t, restored, room, core.Cursor{By: core.ByPosition, Number: uint64(end) + 1}, core.PlaceUnknown)
	noPlace(t, restored, room, core.Cursor{By: core.ByVersion, Number: old.Version + 1}, core.PlaceAhead)
	grow(restored, 200)
	checkPlaces(t, restored, room)
	now, err := restored.Newest(t.Context(), room)
	require.NoError(t, err)
	require.EqualValues(t, 1, core.VersionLife(now.Message))
	for lost := uint64(1); lost < 150; lost += 7 {
		noPlace(t, restored, room, core.Cursor{By: core.ByPosition, Number: uint64(end) + lost}, core.PlaceUnknown)
		noPlace(t, restored, room, core.Cursor{By: core.ByVersion, Number: old.Version + lost}, core.PlaceUnknown)
		noPlace(t, restored, room, core.Cursor{By: core.ByMessage, Number: old.Message + lost}, core.PlaceUnknown)
	}
	noPlace(t, restored, room, core.Cursor{By: core.ByMessage, Number: 1 << 32}, core.PlaceUnknown)
	noPlace(t, restored, room, core.Cursor{By: core.ByMessage, Number: 1<<32 | old.Message}, core.PlaceUnknown)
	noPlace(t, restored, room, core.Cursor{By: core.ByMessage, Number: now.Message + 1}, core.PlaceAhead)
	noPlace(t, restored, room, core.Cursor{By: core.ByMessage, Number: 2<<32 | 1}, core.PlaceAhead)
}

// TestAPurgedRoomHasNoPlaces: there is nothing to go on with.
func TestAPurgedRoomHasNoPlaces(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	a, b := register(t, n, "a"), register(t, n, "b")
	room := turnsRoom(t, n, a, b, 4)
	post(t, n, room, a, "one")
	closeRoom(t, n, room, a)
	checkPlaces(t, n, room)
	now.Advance(3 * core.DefaultPurgeGrace)
	_, err := n.Purge(t.Context(), room)
	require.NoError(t, err)
	for _, by := range []core.Numbering{core.ByPosition, core.ByVersion, core.ByMessage} {
		noPlace(t, n, room, core.Cursor{By: by, Number: 1}, core.PlaceTrimmed)
		noPlace(t, n, room, core.Cursor{By: by}, core.PlaceTrimmed)
	}
	_, err = n.Newest(t.Context(), room)
	require.True(t, errors.As(err, new(*core.PlaceError)))
	_, err = n.Place(t.Context(), "room_none", core.Cursor{})
	require.ErrorIs(t, err, core.ErrNoRoom)
}

// TestPlacesFarBehindTheNewestMessage: more events than lie between two marks came since anybody spoke.
func TestPlacesFarBehindTheNewestMessage(t *testing.T) {
	n := newNode(t)
	ada := register(t, n, "ada")
	room := openRoom(t, n, ada)
	checkPlaces(t, n, room)
	post(t, n, room, ada, "one")
	for range 400 {
		_, err := n.EmitEvent(t.Context(), room, core.EmitEvent{Actor: ada.ID, Type: "tick"}, nil)
		require.NoError(t, err)
	}
	checkPlaces(t, n, room)
	newest, err := n.Newest(t.Context(), room)
	require.NoError(t, err)
	require.EqualValues(t, 1, newest.Message)
}
