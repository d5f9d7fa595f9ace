package core_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/typedjson"
)

// plain reads JSON that knows no types.
func plain(t require.TestingT, text string) typedjson.Value {
	v, err := typedjson.FromPlain([]byte(text), typedjson.Limits{Bytes: 1 << 20, Depth: 500, Members: 1 << 20})
	require.NoError(t, err)
	return v
}

// typed reads typed JSON.
func typed(t require.TestingT, text string) typedjson.Value {
	v, err := typedjson.Parse([]byte(text), typedjson.Limits{})
	require.NoError(t, err)
	return v
}

func share(t testing.TB, n *core.Node, room string, by core.Agent, patch string) core.StateSet {
	t.Helper()
	set, _, err := n.PatchState(t.Context(), room, core.PatchState{Actor: by.ID, Patch: typed(t, patch)}, nil)
	require.NoError(t, err)
	return set
}

func sharedIn(t require.TestingT, n *core.Node, room string) (out string) {
	require.NoError(t, n.ViewRoom(context.Background(), room, func(r *core.Room) { out = string(r.SharedState().Append(nil)) }))
	return out
}

func TestSharedState(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	require.Equal(t, `{}`, sharedIn(t, n, room))
	reader := n.NewRoomReader(room, n.Applied())
	defer reader.Close()

	const first = `{"z":{"a":1.50,"b":2},"since":{"$date":"2026-01-02T03:04:05.678Z"}}`
	require.Equal(t, core.StateSet{Changed: true, Bytes: len(first)}, share(t, n, room, alice, first))
	share(t, n, room, bob, `{"z":{"a":null,"c":{"$undefined":true}},"gone":null,"list":[null]}`)
	require.Equal(t, `{"z":{"b":2,"c":{"$undefined":true}},"since":{"$date":"2026-01-02T03:04:05.678Z"},"list":[null]}`, sharedIn(t, n, room))
	before := n.Applied()
	require.Equal(t, core.StateSet{Bytes: 96}, share(t, n, room, bob, `{}`))
	require.Equal(t, before, n.Applied(), "an empty patch is no event")

	replace := func(text string) core.StateSet {
		set, _, err := n.ReplaceState(t.Context(), room, core.ReplaceState{Actor: bob.ID, State: typed(t, text)}, nil)
		require.NoError(t, err)
		return set
	}
	require.Equal(t, core.StateSet{Changed: true, Bytes: 41}, replace(`{"z":{"b":2,"d":null},"list":[null],"new":{"x":1}}`))
	require.Equal(t, `{"z":{"b":2},"list":[null],"new":{"x":1}}`, sharedIn(t, n, room))
	before = n.Applied()
	require.False(t, replace(`{"new":{"x":1},"list":[null],"z":{"b":2}}`).Changed)
	require.Equal(t, before, n.Applied(), "what is there already is no event")

	got := take(t, reader, 3)
	require.Equal(t, alice.ID, got[0].Payload.(*core.StatePatchedEvent).Actor)
	replaced := got[2].Payload.(*core.StateReplacedEvent)
	require.Equal(t, `{"since":null,"z":{"c":null},"new":{"x":1}}`, string(replaced.Patch.Append(nil)))
	require.True(t, replace(`{}`).Changed)
	require.Equal(t, `{}`, sharedIn(t, n, room))
}

func TestSharedStateRules(t *testing.T) {
	n := newNode(t)
	alice, bob, cid := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "cid")
	room, ended := openRoom(t, n, alice, bob), openRoom(t, n, alice)
	closeRoom(t, n, ended, alice)
	locked, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "locked", Creator: alice.ID, ReadVisibility: "private", WriteVisibility: "private"},
		Members: []core.NewMember{member(alice), member(bob)},
	}, nil)
	require.NoError(t, err)
	reserved := []string{"topic", "turn"}
	deep := strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)
	for _, tc := range []struct {
		name, room string
		by         core.Agent
		value      string
		want       func(testing.TB, error)
	}{
		{"no room", "room_none", alice, `{}`, is(core.ErrNoRoom)},
		{"no member", room, cid, `{}`, is(core.ErrNotMember)},
		{"no right", locked.Room, bob, `{"a":1}`, is(core.ErrNotAllowed)},
		{"ended", ended, alice, `{"a":1}`, func(t testing.TB, err error) {
			var got *core.RoomNotActiveError
			require.ErrorAs(t, err, &got)
		}},
		{"list", room, alice, `[1]`, invalid("", "plain object")},
		{"reserved", room, alice, `{"a":1,"turn":5,"topic":null}`, invalid("", "turn, topic: under these keys the room itself")},
		{"too deep", room, alice, deep, invalid("", "64 deep")},
		{"too many", room, alice, `{"a":[` + strings.Repeat("0,", 1<<16) + `0]}`, invalid("", "65536 values")},
		{"too long", room, alice, `{"a":"` + strings.Repeat("x", core.MaxSharedBytes) + `"}`, tooLong("", core.MaxSharedBytes)},
	} {
		before := n.Applied()
		_, _, err := n.PatchState(t.Context(), tc.room, core.PatchState{Actor: tc.by.ID, Patch: plain(t, tc.value), Reserved: reserved}, nil)
		requireRefusal(t, "patch", tc.want, err)
		_, _, err = n.ReplaceState(t.Context(), tc.room, core.ReplaceState{Actor: tc.by.ID, State: plain(t, tc.value), Reserved: reserved}, nil)
		requireRefusal(t, "state", tc.want, err)
		require.Equal(t, before, n.Applied(), tc.name)
	}
	// The whole counts, not the patch.
	half := `"` + strings.Repeat("x", core.MaxSharedBytes/2) + `"`
	share(t, n, room, alice, `{"a":`+half+`}`)
	_, _, err = n.PatchState(t.Context(), room, core.PatchState{Actor: bob.ID, Patch: plain(t, `{"b":`+half+`}`)}, nil)
	tooLong("patch", core.MaxSharedBytes)(t, err)
	share(t, n, room, bob, `{"a":null,"b":`+half+`}`)
	// A key that is reserved at the top is free below.
	_, _, err = n.PatchState(t.Context(), room, core.PatchState{Actor: bob.ID, Patch: plain(t, `{"b":{"turn":1}}`), Reserved: reserved}, nil)
	require.NoError(t, err)
	// Each of two speakers shares, though a stranger made the room and others may not write it.
	duel := turnsRoom(t, n, alice, bob, 4)
	share(t, n, duel, alice, `{"a":1}`)
	share(t, n, duel, bob, `{"b":1}`)
}

// requireRefusal lets the field of a refusal be the one of the command.
func requireRefusal(t testing.TB, field string, want func(testing.TB, error), err error) {
	t.Helper()
	var bad *core.InvalidError
	var long *core.TooLongError
	switch e := err; {
	case errors.As(e, &bad):
		require.Equal(t, field, bad.Field)
		want(t, &core.InvalidError{Reason: bad.Reason})
	case errors.As(e, &long):
		require.Equal(t, field, long.Field)
		want(t, &core.TooLongError{Max: long.Max})
	default:
		want(t, err)
	}
}

func TestEmittedEvents(t *testing.T) {
	n := newNode(t)
	alice, bob, cid := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "cid")
	room := openRoom(t, n, alice, bob)
	reader := n.NewRoomReader(room, n.Applied())
	defer reader.Close()
	emit := func(by core.Agent, name, payload string) (core.Placed, error) {
		return n.EmitEvent(t.Context(), room, core.EmitEvent{Actor: by.ID, Type: name, Payload: typed(t, payload)}, nil)
	}
	for _, name := range []string{"progress", "a", "Task.step_1:done/x-y", strings.Repeat("x", 128)} {
		_, err := emit(alice, name, `{"pct":50,"at":{"$date":"2026-01-02T03:04:05.678Z"},"n":null}`)
		require.NoError(t, err)
	}
	_, err := emit(bob, "none", `{"$undefined":true}`)
	require.NoError(t, err)
	for _, name := range []string{"", ".a", "a b", "ä", "a\n", `a"`} {
		_, err := emit(alice, name, `1`)
		invalid("type", "letters, digits")(t, err)
	}
	for _, name := range []string{"message.posted", "room.purged", "event.emitted", "agent.deleted"} {
		_, err := emit(alice, name, `1`)
		invalid("type", "the room itself tells")(t, err)
	}
	_, err = emit(alice, strings.Repeat("x", 129), `1`)
	tooLong("type", 128)(t, err)
	_, err = emit(alice, "big", `"`+strings.Repeat("x", core.MaxEventBytes)+`"`)
	tooLong("payload", core.MaxEventBytes)(t, err)
	_, err = emit(cid, "a", `1`)
	require.ErrorIs(t, err, core.ErrNotMember)
	_, err = n.EmitEvent(t.Context(), "room_none", core.EmitEvent{Actor: alice.ID, Type: "a"}, nil)
	require.ErrorIs(t, err, core.ErrNoRoom)

	got := take(t, reader, 5)
	first := got[0].Payload.(*core.EventEmittedEvent)
	require.Equal(t, "progress", first.Type)
	require.Equal(t, `{"pct":50,"at":{"$date":"2026-01-02T03:04:05.678Z"},"n":null}`, string(first.Payload.Append(nil)))
	require.Equal(t, typedjson.Undefined, got[4].Payload.(*core.EventEmittedEvent).Payload.Kind)
	require.Equal(t, `{}`, sharedIn(t, n, room), "an event is no state")
	closeRoom(t, n, room, alice)
	var over *core.RoomNotActiveError
	_, err = emit(alice, "a", `1`)
	require.ErrorAs(t, err, &over)
}

// TestSharedStateIsIdempotent: the same key gives the same answer and one event.
func TestSharedStateIsIdempotent(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	key := func(v string) *core.Key { return &core.Key{Agent: alice.ID, Value: v, BodyHash: "h"} }
	patch := core.PatchState{Actor: alice.ID, Patch: plain(t, `{"a":1}`)}
	set, _, err := n.PatchState(t.Context(), room, patch, key("1"))
	require.NoError(t, err)
	share(t, n, room, alice, `{"a":2}`)
	again, placed, err := n.PatchState(t.Context(), room, patch, key("1"))
	require.NoError(t, err)
	require.True(t, placed.Replayed)
	require.Equal(t, set, again)
	require.Equal(t, `{"a":2}`, sharedIn(t, n, room))
	event := core.EmitEvent{Actor: alice.ID, Type: "a"}
	made, err := n.EmitEvent(t.Context(), room, event, key("2"))
	require.NoError(t, err)
	repeated, err := n.EmitEvent(t.Context(), room, event, key("2"))
	require.NoError(t, err)
	require.True(t, repeated.Replayed)
	require.Equal(t, made.Version, repeated.Version)
	_, err = n.EmitEvent(t.Context(), room, event, &core.Key{Agent: alice.ID, Value: "2", BodyHash: "other"})
	require.ErrorIs(t, err, core.ErrKeyReused)
}

// TestSharedStateSurvives: a restart finds the state, with a snapshot and without, however deep it is.
func TestSharedStateSurvives(t *testing.T) {
	log, snaps := memlog.New(), memlog.NewSnapshots()
	n, err := core.Open(t.Context(), log, core.Options{Snapshots: snaps})
	require.NoError(t, err)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	share(t, n, room, alice, `{"deep":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`,"big":{"$bigint":"123456789012345678901234567890"}}`)
	for range 100 {
		share(t, n, room, alice, `{"n":1}`)
	}
	want := sharedIn(t, n, room)
	require.NoError(t, n.Close(t.Context()))
	_, err = snaps.Load(t.Context(), "room/"+room)
	require.NoError(t, err)
	for name, opts := range map[string]core.Options{"with snapshot": {Snapshots: snaps}, "without": {}} {
		opts.NodeID = name
		require.Equal(t, want, sharedIn(t, openNode(t, log, opts), room), name)
	}
}

// TestSharedStateIsFoldedAsPatched: after any history the state is what the accepted patches make, the one that followers put
// together from the events is the same, and folding the log anew gives it, too.
func TestSharedStateIsFoldedAsPatched(t *testing.T) {
	texts := []string{
		`{}`, `{"a":1}`, `{"a":{"b":{"c":1},"d":null}}`, `{"a":{"b":null}}`, `{"a":null,"e":[null,{"x":null}]}`, `{"a":{"$date":null}}`,
		`{"a":{"$undefined":true},"b":{"$map":[["k",null]]}}`, `{"$date":1,"a":null,"b":null,"e":null}`, `{"topic":1}`, `{"a":{"b":5,"d":{"$object":{"$x":1}}}}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		log, now := memlog.New(), newClock()
		n, err := core.Open(ctx, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, n.Close(ctx)) }()
		r, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "a", Handle: "a"}})
		require.NoError(rt, err)
		made, _, err := n.CreateRoom(ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "r"}, Members: []core.NewMember{member(r.Agent)}}, nil)
		require.NoError(rt, err)
		want := typedjson.Value{Kind: typedjson.Object}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			text := rapid.SampledFrom(texts).Draw(rt, "value")
			v, err := typedjson.Parse([]byte(text), typedjson.Limits{})
			require.NoError(rt, err)
			if rapid.Bool().Draw(rt, "replace") {
				_, _, err = n.ReplaceState(ctx, made.Room, core.ReplaceState{Actor: r.Agent.ID, State: v, Reserved: []string{"topic"}}, nil)
				if err == nil && !typedjson.Equal(want, typedjson.Merge(typedjson.Value{}, v)) {
					want = typedjson.Merge(typedjson.Value{}, v)
				}
			} else {
				_, _, err = n.PatchState(ctx, made.Room, core.PatchState{Actor: r.Agent.ID, Patch: v, Reserved: []string{"topic"}}, nil)
				if err == nil {
					want = typedjson.Merge(want, v)
				}
			}
			require.Equal(rt, text == `{"topic":1}`, err != nil)
		}
		require.Equal(rt, string(want.Append(nil)), sharedIn(rt, n, made.Room))
		rebuilt, followed := &core.Room{}, typedjson.Value{Kind: typedjson.Object}
		for e, err := range n.HistoryOf(made.Room).After(ctx, 0) {
			require.NoError(rt, err)
			rebuilt.Apply(&e.Recorded)
			switch p := e.Payload.(type) {
			case *core.StatePatchedEvent:
				followed = typedjson.Merge(followed, p.Patch)
			case *core.StateReplacedEvent:
				followed = typedjson.Merge(followed, p.Patch)
			}
		}
		require.Equal(rt, string(want.Append(nil)), string(rebuilt.SharedState().Append(nil)))
		require.True(rt, typedjson.Equal(want, followed))
	})
}
