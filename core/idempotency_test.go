package core_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestSameKeySameAnswerOneEvent(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{NodeID: "first"})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	const keys = 40
	answers := make([]map[string]bool, keys)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for k := range keys {
		answers[k] = map[string]bool{}
		for range 5 {
			wg.Go(func() {
				p, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: fmt.Sprintf("m%d", k)},
					&core.Key{Agent: alice.ID, Value: fmt.Sprint(k), BodyHash: "h"})
				require.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				answers[k][fmt.Sprintf("%+v", p)] = true
			})
		}
	}
	wg.Wait()
	for _, a := range answers {
		require.Len(t, a, 1)
	}
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { require.Equal(t, keys, r.Turn) }))

	// Keys outlive the process, and a key of one agent is not another's.
	again := openNode(t, log, core.Options{NodeID: "second"})
	p, placed, err := again.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "m7"},
		&core.Key{Agent: alice.ID, Value: "7", BodyHash: "h"})
	require.NoError(t, err)
	require.True(t, placed.Replayed)
	require.True(t, answers[7][fmt.Sprintf("%+v", p)])
	_, _, err = again.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "other"},
		&core.Key{Agent: alice.ID, Value: "7", BodyHash: "another body"})
	require.ErrorIs(t, err, core.ErrKeyReused)
	_, placed, err = again.PostMessage(t.Context(), room, core.PostMessage{Sender: bob.ID, Text: "m7"},
		&core.Key{Agent: bob.ID, Value: "7", BodyHash: "h"})
	require.NoError(t, err)
	require.False(t, placed.Replayed)
}

func TestRefusedCommandKeepsNoAnswer(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 10)
	key := &core.Key{Agent: bob.ID, Value: "k", BodyHash: "h"}
	cmd := core.PostMessage{Sender: bob.ID, Text: "hello"}
	_, _, err := n.PostMessage(t.Context(), room, cmd, key)
	var notYours *core.NotYourTurnError
	require.ErrorAs(t, err, &notYours)
	post(t, n, room, alice, "you now")
	p, placed, err := n.PostMessage(t.Context(), room, cmd, key)
	require.NoError(t, err)
	require.False(t, placed.Replayed)
	require.Equal(t, 1, p.Turn)
}

func TestRoomsCreatedWithOneKeyAreOneRoom(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	alice := register(t, a, "alice")
	settled(t, b, a.Applied())
	rooms := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 10 {
		n := []*core.Node{a, b}[i%2]
		wg.Go(func() {
			made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
				Facts: core.RoomFacts{Name: "x"}, Members: []core.NewMember{member(alice)},
			}, &core.Key{Agent: alice.ID, Value: "room", BodyHash: "h"})
			require.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			rooms[made.Room] = true
		})
	}
	wg.Wait()
	require.Len(t, rooms, 1)
	require.Len(t, a.RoomsOf(alice.ID), 1)
}
