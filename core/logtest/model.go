package logtest

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
)

// model is the log as a slice, beside the log under test.
type model struct {
	log     core.Log
	ctx     context.Context
	all     []core.Recorded
	streams []core.Stream
}

// testModel does random things to the log and to the model and compares.
func testModel(t *testing.T, open Open) {
	rapid.Check(t, func(r *rapid.T) {
		log := open(t)
		defer func() { _ = log.Close() }()
		m := newModel(log)
		r.Repeat(m.actions())
	})
}

func newModel(log core.Log) *model {
	return &model{
		log:     log,
		ctx:     context.Background(),
		streams: []core.Stream{core.DirectoryStream, core.RoomStream("a"), core.AgentStream("a")},
	}
}

func (m *model) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"append":   m.append,
		"refuse":   m.refuse,
		"read":     m.read,
		"readBack": m.readBack,
		"tail":     m.tail,
		"erase":    m.erase,
		"":         m.check,
	}
}

func (m *model) of(stream core.Stream) []core.Recorded {
	return slices.DeleteFunc(slices.Clone(m.all), func(r core.Recorded) bool { return r.Stream != stream })
}

func last(records []core.Recorded) core.Position {
	if len(records) == 0 {
		return 0
	}
	return records[len(records)-1].Position
}

func (m *model) drawStream(t *rapid.T) core.Stream {
	return rapid.SampledFrom(m.streams).Draw(t, "stream")
}

// drawPosition draws one from 0 to just beyond the head.
func (m *model) drawPosition(t *rapid.T) core.Position {
	return core.Position(rapid.Uint64Range(0, uint64(last(m.all))+2).Draw(t, "position"))
}

func (m *model) append(t *rapid.T) {
	stream := m.drawStream(t)
	mine := m.of(stream)
	given := events(stream, uint64(len(mine)+1), rapid.IntRange(1, 5).Draw(t, "size"))
	positions, err := m.log.Append(m.ctx, stream, last(mine), given)
	require.NoError(t, err)
	for _, r := range recorded(t, stream, given, positions) {
		require.Greater(t, r.Position, last(m.all), "positions rise")
		m.all = append(m.all, r)
	}
}

func (m *model) refuse(t *rapid.T) {
	stream, wrong := m.drawStream(t), m.drawPosition(t)
	found := last(m.of(stream))
	if wrong == found {
		t.Skip("that would be right")
	}
	_, err := m.log.Append(m.ctx, stream, wrong, events(stream, 1, 2))
	var conflict *core.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, core.ConflictError{Stream: stream, Expected: wrong, Last: found}, *conflict)
}

func (m *model) read(t *rapid.T) {
	stream, pos := m.drawStream(t), m.drawPosition(t)
	var got []core.Recorded
	for r, err := range m.log.Read(m.ctx, stream, pos) {
		require.NoError(t, err)
		got = append(got, r)
	}
	requireSame(t, after(m.of(stream), pos), got)
}

func (m *model) readBack(t *rapid.T) {
	stream, pos := m.drawStream(t), m.drawPosition(t)
	var got []core.Recorded
	for r, err := range m.log.ReadBack(m.ctx, stream, pos) {
		require.NoError(t, err)
		got = append(got, r)
	}
	slices.Reverse(got)
	want := m.of(stream)
	if pos != 0 {
		want = before(want, pos)
	}
	requireSame(t, want, got)
}

func (m *model) tail(t *rapid.T) {
	want := after(m.all, m.drawPosition(t))
	if len(want) == 0 {
		t.Skip("nothing to wait for")
	}
	ctx, cancel := context.WithTimeout(m.ctx, patience)
	defer cancel()
	var got []core.Recorded
	for batch, err := range m.log.Tail(ctx, want[0].Position-1) {
		require.NoError(t, err)
		if got = append(got, batch...); last(got) >= last(want) {
			break
		}
	}
	requireSame(t, want, got)
}

func (m *model) erase(t *rapid.T) {
	stream, upTo := m.drawStream(t), m.drawPosition(t)
	require.NoError(t, m.log.Erase(m.ctx, stream, upTo))
	for i, r := range m.all {
		if r.Stream == stream {
			m.all[i] = erased([]core.Recorded{r}, upTo)[0]
		}
	}
}

func (m *model) check(t *rapid.T) {
	head, err := m.log.Head(m.ctx)
	require.NoError(t, err)
	require.Equal(t, last(m.all), head)
	for _, stream := range m.streams {
		got, err := m.log.Last(m.ctx, stream)
		require.NoError(t, err)
		require.Equal(t, last(m.of(stream)), got)
	}
}
