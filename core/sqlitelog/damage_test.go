package sqlitelog_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// Each kind of damage is found by whoever reads it, with the positions it is at; what lies before it is still read.
func TestDamagedRecord(t *testing.T) {
	flip := func(secret string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			b := read(t, path)
			i := bytes.Index(b, []byte(secret))
			require.Positive(t, i)
			b[i+3] ^= 0x01
			write(t, path, b)
		}
	}
	sql := func(query string) func(*testing.T, string) {
		return func(t *testing.T, path string) { tamper(t, path, query) }
	}
	for name, c := range map[string]struct {
		damage      func(*testing.T, string)
		first, last core.Position
	}{
		"a byte of content":   {flip(`{"text":"word 4 "}`), 4, 4},
		"a byte of a receipt": {flip(`{"key":"k","echo":"word 5 "}`), 5, 5},
		"body":                {sql(`UPDATE events SET body = '{}' WHERE position = 3`), 3, 3},
		"two in a row":        {sql(`UPDATE events SET at = at + 1 WHERE position IN (4, 5)`), 4, 5},
		"kind":                {sql(`UPDATE events SET kind = 'room.closed' WHERE position = 6`), 6, 6},
		"version":             {sql(`UPDATE events SET version = 1 WHERE position = 6`), 6, 6},
		"content taken away":  {sql(`UPDATE events SET content = NULL WHERE position = 2`), 2, 2},
		"content of another":  {sql(`UPDATE events SET content = (SELECT content FROM events WHERE position = 1) WHERE position = 2`), 2, 2},
		"name of the stream":  {sql(`UPDATE streams SET name = 't' WHERE name = 's'`), 1, 6},
		"no such stream":      {sql(`UPDATE events SET stream = 99 WHERE position = 5`), 5, 5},
		"not a number":        {sql(`UPDATE events SET version = 'x' WHERE position = 5`), 5, 5},
		"lost records":        {sql(`DELETE FROM events WHERE position IN (2, 3)`), 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := closedLog(t, "word 1 ", "word 2 ", "word 3 ", "word 4 ", "word 5 ", "word 6 ")
			c.damage(t, path)
			l := open(t, dir, sqlitelog.Options{})
			var last core.Position
			var corrupt *core.CorruptError
			for batch, err := range l.Tail(t.Context(), 0) {
				if err != nil {
					require.ErrorIs(t, err, core.ErrCorrupt)
					require.ErrorAs(t, err, &corrupt)
					break
				}
				last = batch[len(batch)-1].Position
			}
			require.Equal(t, c.first-1, last, "what lies before the damage is read")
			require.Equal(t, []core.Position{c.first, c.last}, []core.Position{corrupt.First, corrupt.Last})
			require.Equal(t, path, corrupt.File)
			require.NoError(t, l.Writable(), "a damaged record is no reason to stop writing")
			say(t, l, "another", "stream")
		})
	}
}

// Reading one stream notices the same damage.
func TestDamagedStream(t *testing.T) {
	dir, path := closedLog(t, "word 1 ", "word 2 ", "word 3 ")
	tamper(t, path, `UPDATE events SET body = '{}' WHERE position = 2`)
	l := open(t, dir, sqlitelog.Options{})
	got, err := content(t, l, "s")
	var corrupt *core.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Len(t, got, 1)
	require.EqualValues(t, 2, corrupt.First)

	n := 0
	for _, err = range l.ReadBack(t.Context(), "s", 0) {
		n++
	}
	require.ErrorIs(t, err, core.ErrCorrupt)
	require.Equal(t, 2, n, "the newest record, then the error")
}

// A page that SQLite itself cannot make sense of.
func TestDamagedPage(t *testing.T) {
	words := make([]string, 300)
	for i := range words {
		words[i] = fmt.Sprintf("word %d ", i)
	}
	dir, path := closedLog(t, words...)
	b := read(t, path)
	const page = 4096
	at := bytes.Index(b, []byte(`{"text":"word 100 "}`)) / page * page
	clear(b[at : at+64])
	write(t, path, b)

	l := open(t, dir, sqlitelog.Options{})
	_, err := content(t, l, "s")
	require.ErrorIs(t, err, core.ErrCorrupt)
	var last core.Position
	for batch, e := range l.Tail(t.Context(), 0) {
		if err = e; err != nil {
			break
		}
		last = batch[len(batch)-1].Position
	}
	require.ErrorIs(t, err, core.ErrCorrupt)
	require.Less(t, last, core.Position(101))
}
