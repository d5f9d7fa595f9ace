package core_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// secondLife is a log that was replaced by a backup which ended at a position: what the new life appends goes on at the
// life's first position, as a log that keeps lives does it.
type secondLife struct {
	core.Log
	end core.Position
}

func (l *secondLife) Lives() []core.Position { return []core.Position{l.end} }

func (l *secondLife) shift(p core.Position) core.Position {
	if p > l.end {
		return core.FirstOf(1) + (p - l.end - 1)
	}
	return p
}

func (l *secondLife) unshift(p core.Position) core.Position {
	if p.Life() == 1 {
		return l.end + 1 + (p - core.FirstOf(1))
	}
	return min(p, l.end)
}

func (l *secondLife) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	positions, err := l.Log.Append(ctx, s, l.unshift(last), e)
	for i := range positions {
		positions[i] = l.shift(positions[i])
	}
	return positions, err
}

func (l *secondLife) shifted(seq iter.Seq2[core.Recorded, error]) iter.Seq2[core.Recorded, error] {
	return func(yield func(core.Recorded, error) bool) {
		for rec, err := range seq {
			rec.Position = l.shift(rec.Position)
			if !yield(rec, err) {
				return
			}
		}
	}
}

func (l *secondLife) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	return l.shifted(l.Log.Read(ctx, s, l.unshift(after)))
}

func (l *secondLife) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	return func(yield func([]core.Recorded, error) bool) {
		for batch, err := range l.Log.Tail(ctx, l.unshift(after)) {
			moved := make([]core.Recorded, len(batch))
			for i, rec := range batch {
				rec.Position = l.shift(rec.Position)
				moved[i] = rec
			}
			if !yield(moved, err) {
				return
			}
		}
	}
}

func (l *secondLife) Head(ctx context.Context) (core.Position, error) {
	p, err := l.Log.Head(ctx)
	return l.shift(p), err
}

// TestACursorFromALostLifeIsRecognised lets a backup of 200 messages be restored after 100 more were written and seen,
// and asks with every cursor that the lost life may have handed out.
func TestACursorFromALostLifeIsRecognised(t *testing.T) {
	log := memlog.New()
	n, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	for i := range 200 {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	end := n.Applied()
	require.NoError(t, n.Close(t.Context()))

	restored := openNode(t, &secondLife{Log: log, end: end}, core.Options{})
	for i := 200; i < 400; i++ {
		post(t, restored, room, alice, fmt.Sprintf("m%d", i))
	}
	for lost := end + 1; lost < end+150; lost += 7 {
		resume, foreign := restored.ForeignCursor(lost)
		require.True(t, foreign)
		require.Equal(t, end, resume)
	}
	for _, own := range []core.Position{0, 1, end - 1, end, core.FirstOf(1), restored.Applied()} {
		_, foreign := restored.ForeignCursor(own)
		require.False(t, foreign, "position %d", own)
	}
	require.NoError(t, restored.ViewRoom(t.Context(), room, func(r *core.Room) {
		require.Equal(t, 400, r.Turn)
		require.EqualValues(t, 403, core.VersionCount(r.Version))
		require.EqualValues(t, 1, core.VersionLife(r.Version))
		for v := uint64(1); v <= 203; v++ {
			require.True(t, r.HasVersion(v))
		}
		for v := uint64(204); v < 600; v++ {
			require.False(t, r.HasVersion(v), "version %d is of the lost life", v)
		}
		for v := uint64(204); v <= 403; v++ {
			require.True(t, r.HasVersion(1<<32|v))
		}
		for _, v := range []uint64{0, 1 << 32, 1<<32 | 203, 1<<32 | 404, 2<<32 | 10} {
			require.False(t, r.HasVersion(v))
		}
	}))

	// Everything else works over the jump: readers, blocks, history, the window.
	r := restored.NewAgentReader(bob.ID, 0)
	defer r.Close()
	require.Equal(t, numbered(0, 400), texts(take(t, r, 400)))
	count := uint64(0)
	for e, err := range restored.HistoryOf(room).After(t.Context(), 100) {
		require.NoError(t, err)
		count++
		require.Equal(t, 100+count, core.VersionCount(e.Version))
	}
	require.EqualValues(t, 303, count)
	e, p, err := restored.HistoryOf(room).Message(t.Context(), post(t, restored, room, bob, "last").Message)
	require.NoError(t, err)
	require.Equal(t, 400, p.Turn)
	require.EqualValues(t, 1<<32|401, core.MessageNumber(e.Version, p.Turn))
	dropped, err := restored.Retained(t.Context(), bob.ID, 0)
	require.NoError(t, err)
	require.Zero(t, dropped)
}
