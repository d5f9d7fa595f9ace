package core_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/logtest"
	"stele/core/memlog"
)

// A damaged record costs a reader of several rooms that record and nothing else: what lies before it in any room comes first,
// then the error that names it, and behind it everything goes on.
func TestReadersPassDamage(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{NodeID: "before"})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	rooms := []string{openRoom(t, n, alice, bob), openRoom(t, n, alice, bob)}
	const count = 400
	at := map[int]core.Position{}
	for i := range count {
		_, placed, err := n.PostMessage(t.Context(), rooms[i%2], core.PostMessage{Sender: alice.ID, Text: fmt.Sprintf("m%d", i)}, nil)
		require.NoError(t, err)
		at[i] = placed.Position
	}
	lost := []int{31, 40, 42, 250}
	var damaged []core.Position
	var want []string
	for i := range count {
		if slices.Contains(lost, i) {
			damaged = append(damaged, at[i])
		} else {
			want = append(want, fmt.Sprintf("m%d", i))
		}
	}
	for name, open := range map[string]func(*core.Node) *core.Reader{
		"all rooms":           func(n *core.Node) *core.Reader { return n.NewAgentReader(bob.ID, 0) },
		"all rooms in memory": func(n *core.Node) *core.Reader { return n.NewAgentReader(bob.ID, 0) },
		"one room":            func(n *core.Node) *core.Reader { return n.NewRoomReader(rooms[0], 0) },
	} {
		t.Run(name, func(t *testing.T) {
			log := &logtest.Damaged{Log: log}
			n := openNode(t, log, core.Options{NodeID: name})
			if name == "all rooms in memory" {
				for _, room := range rooms {
					stateOf(t, n, room)
				}
			}
			log.Damage(damaged...)
			r := open(n)
			defer r.Close()
			var got []string
			var missed []core.Position
			for {
				entries, err := r.Read(t.Context(), 100, nil)
				got = append(got, texts(entries)...)
				if err != nil {
					cursor := r.Cursor()
					from, place, ok := r.PassDamage(err)
					require.True(t, ok, "%v", err)
					require.LessOrEqual(t, cursor, from)
					require.Equal(t, place, r.Cursor())
					missed = append(missed, place)
				} else if len(entries) == 0 {
					break
				}
			}
			if name != "one room" {
				require.Equal(t, want, got)
				require.Equal(t, damaged, missed)
				return
			}
			require.Len(t, got, count/2-3)
			require.Len(t, missed, 3)
		})
	}
	r := n.NewRoomReader(rooms[0], 0)
	defer r.Close()
	_, _, ok := r.PassDamage(context.Canceled)
	require.False(t, ok)
}

// Whoever was told of a gap reads the room again: damage is left out there too, and everything around it is shown. Any other
// error ends the reading.
func TestHistoryPassesDamage(t *testing.T) {
	log := &logtest.Damaged{Log: memlog.New()}
	n := openNode(t, log, core.Options{})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	var want []string
	for i := range 300 {
		text := fmt.Sprintf("m%d", i)
		_, placed, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: text}, nil)
		require.NoError(t, err)
		if i == 0 || i == 7 || i == 8 || i == 299 {
			log.Damage(placed.Position)
		} else {
			want = append(want, text)
		}
	}
	slices.Reverse(want)
	for name, back := range map[string]iter.Seq2[*core.Entry, error]{
		"by time": n.HistoryOf(room).Back(t.Context(), time.Time{}), "by version": n.HistoryOf(room).Before(t.Context(), 0),
	} {
		var entries []*core.Entry
		for e, err := range back {
			require.NoError(t, err, name)
			entries = append(entries, e)
		}
		require.Equal(t, want, texts(entries), name)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range n.HistoryOf(room).Back(gone, time.Time{}) {
		require.ErrorIs(t, err, context.Canceled)
	}
}
