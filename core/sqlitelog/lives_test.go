package sqlitelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// copyOf copies the directory of a closed log, as a restored backup is a copy.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// lived checks a renewed log: where its lives ended, and the first position of the next event.
func lived(t *testing.T, dir string, first core.Position, ends ...core.Position) {
	t.Helper()
	l := open(t, dir, sqlitelog.Options{})
	require.Equal(t, ends, l.Lives())
	head, err := l.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ends[len(ends)-1], head, "a new life begins without events")
	require.Equal(t, first, say(t, l, "s", "first of its life"))
	require.Equal(t, first+1, say(t, l, "s", "second of its life"))
	require.Equal(t, ends, l.Lives())
	require.NoError(t, l.Close())
}

// tailed returns the positions a tail yields after a position, up to the head.
func tailed(t *testing.T, l core.Log, after core.Position) (positions []core.Position) {
	t.Helper()
	head, err := l.Head(t.Context())
	require.NoError(t, err)
	for batch, err := range l.Tail(t.Context(), after) {
		require.NoError(t, err)
		for _, r := range batch {
			positions = append(positions, r.Position)
		}
		if positions[len(positions)-1] >= head {
			break
		}
	}
	return positions
}

func TestLivesOfACopy(t *testing.T) {
	dir, _ := closedLog(t, "one", "two", "three")
	copied := copyOf(t, dir)
	if _, renewed := identity(t, copied); renewed == "" {
		t.Skip("this file system does not tell when a file was made")
	}
	first := core.FirstOf(1)
	lived(t, copied, first, 3)

	l := open(t, copied, sqlitelog.Options{})
	require.Equal(t, []core.Position{3}, l.Lives())
	want := []core.Position{1, 2, 3, first, first + 1}
	require.Equal(t, want, tailed(t, l, 0))
	require.Equal(t, want[2:], tailed(t, l, 2))
	require.Equal(t, want[3:], tailed(t, l, 3))
	require.Equal(t, want[3:], tailed(t, l, 1000), "a cursor beyond the end of its life")
	require.Equal(t, want[4:], tailed(t, l, first))
	got, err := content(t, l, "s")
	require.NoError(t, err)
	require.Len(t, got, 5)

	original := open(t, dir, sqlitelog.Options{})
	require.Empty(t, original.Lives())
	require.EqualValues(t, 4, say(t, original, "s", "four"), "the original stays in its first life")
}

// A copy of a copy, without an event between, ends two lives at one position.
func TestLivesOfCopiesOfCopies(t *testing.T) {
	dir, _ := closedLog(t, "one")
	again := dir
	for range 2 {
		again = copyOf(t, again)
		if _, renewed := identity(t, again); renewed == "" {
			t.Skip("this file system does not tell when a file was made")
		}
	}
	lived(t, again, core.FirstOf(2), 1, 1)
	_, err := sqlitelog.NewIdentity(again, sqlitelog.Options{})
	require.NoError(t, err)
	lived(t, again, core.FirstOf(3), 1, 1, core.FirstOf(2)+1)
	l := open(t, again, sqlitelog.Options{})
	require.Equal(t, []core.Position{
		1, core.FirstOf(2), core.FirstOf(2) + 1, core.FirstOf(3), core.FirstOf(3) + 1,
	}, tailed(t, l, 0))
}

// One backup put back again and again, into the same file: each time the events that were written since are gone, and
// their positions must not come back as those of others.
func TestLivesAfterTheSameRollback(t *testing.T) {
	dir, path := closedLog(t, "one", "two")
	backup := read(t, path)
	l := open(t, dir, sqlitelog.Options{})
	id := l.ID()
	say(t, l, "s", "three")
	require.NoError(t, l.Close())

	write(t, path, backup)
	lived(t, dir, core.FirstOf(1), 2)
	first, _ := identity(t, dir)
	write(t, path, backup)
	second, renewed := identity(t, dir)
	require.Equal(t, fmt.Sprintf("the file holds %s, but the directory held %s before", id, first), renewed)
	lived(t, dir, core.FirstOf(2), 2, 2)
	write(t, path, backup)
	third, _ := identity(t, dir)
	write(t, path, backup)
	fourth, _ := identity(t, dir)
	lived(t, dir, core.FirstOf(3), 2, 2, 2)
	require.Len(t, map[string]bool{id: true, first: true, second: true, third: true, fourth: true}, 5)
	_, renewed = identity(t, dir)
	require.Empty(t, renewed)
}

func TestLivesOfAnEmptyLog(t *testing.T) {
	dir, _ := closedLog(t)
	_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.NoError(t, err)
	lived(t, dir, core.FirstOf(1), 0)
}

// A renewal that fails half way leaves the file as it was, and is made up for by the next start, without using up lives.
func TestRenewalCutShort(t *testing.T) {
	dir, path := closedLog(t, "one", "two")
	id, _ := identity(t, dir)
	const forbid = `CREATE TRIGGER forbid BEFORE INSERT ON meta WHEN new.key = 'lives' BEGIN SELECT RAISE(ABORT, 'no'); END`
	tamper(t, path, forbid)
	for range 3 {
		_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
		require.Error(t, err)
		require.Equal(t, id, ask(t, path, `SELECT value FROM meta WHERE key = 'identity'`))
		require.EqualValues(t, 1, ask(t, path, `PRAGMA user_version`))
		_, err = sqlitelog.Open(dir, sqlitelog.Options{})
		require.Error(t, err, "the renewal is due")
	}
	tamper(t, path, `DROP TRIGGER forbid`)
	now, renewed := identity(t, dir)
	require.NotEqual(t, id, now)
	require.NotEmpty(t, renewed)
	again, renewed := identity(t, dir)
	require.Equal(t, now, again)
	require.Empty(t, renewed)
	lived(t, dir, core.FirstOf(1), 2)
}

// A process that is killed right after it renewed the log does not make the next one renew it again, and neither does one
// that is killed under load in a later life.
func TestKilledInALaterLife(t *testing.T) {
	dir, path := closedLog(t, "one")
	write(t, filepath.Join(dir, "lock"), []byte("pid  1\nlog  log_another\nhead 1\n"))
	var id any
	for range 2 {
		cmd, out := startChild(t, roleWriter, dir)
		for range 20 {
			require.True(t, out.Scan())
		}
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		if id == nil {
			id = ask(t, path, `SELECT value FROM meta WHERE key = 'identity'`)
		}
		l := open(t, dir, sqlitelog.Options{})
		require.Empty(t, l.Renewed())
		require.Equal(t, id, l.ID())
		require.Equal(t, []core.Position{1}, l.Lives())
		positions := tailed(t, l, 1)
		require.GreaterOrEqual(t, len(positions), 20*crashUnit)
		require.Equal(t, core.FirstOf(1), positions[0])
		require.Equal(t, core.FirstOf(1)+core.Position(len(positions))-1, positions[len(positions)-1])
		require.NoError(t, l.Close())
	}
}

// A tail that waits at the end of one life gets the first event of the next, from memory and from the file alike.
func TestTailOverTheJump(t *testing.T) {
	dir, _ := closedLog(t, "one", "two")
	_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.NoError(t, err)
	for _, o := range []sqlitelog.Options{{}, {RecentEvents: 1}} {
		l := open(t, dir, o)
		head, err := l.Head(t.Context())
		require.NoError(t, err)
		for _, after := range []core.Position{0, 2, 3, core.FirstOf(1) - 1} {
			var got []core.Position
			for batch, err := range l.Tail(t.Context(), after) {
				require.NoError(t, err)
				if got = append(got, batch[len(batch)-1].Position); got[len(got)-1] >= core.FirstOf(1) {
					break
				}
				if got[len(got)-1] == head {
					say(t, l, "s", "three")
					say(t, l, "s", "four")
				}
			}
			require.GreaterOrEqual(t, got[len(got)-1], core.FirstOf(1))
		}
		require.NoError(t, l.Close())
	}
}

// What is missing at either side of the jump is noticed, and what lies between two lives is no position at all.
func TestDamageAtTheJump(t *testing.T) {
	first := core.FirstOf(1)
	for name, c := range map[string]struct {
		query string
		want  [2]core.Position
	}{
		"end of a life":       {`DELETE FROM events WHERE position IN (2, 3)`, [2]core.Position{2, 3}},
		"begin of a life":     {fmt.Sprintf(`DELETE FROM events WHERE position = %d`, first), [2]core.Position{first, first}},
		"both":                {fmt.Sprintf(`DELETE FROM events WHERE position IN (3, %d)`, first), [2]core.Position{3, first}},
		"between two lives":   {`UPDATE events SET position = 9 WHERE position = 3`, [2]core.Position{9, 9}},
		"one more in between": {fmt.Sprintf(`UPDATE events SET position = 9 WHERE position = %d`, first), [2]core.Position{9, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := closedLog(t, "one", "two", "three")
			_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
			require.NoError(t, err)
			lived(t, dir, first, 3)
			tamper(t, path, c.query)
			l := open(t, dir, sqlitelog.Options{})
			var corrupt *core.CorruptError
			for _, err = range l.Tail(t.Context(), 0) {
				if err != nil {
					break
				}
			}
			require.ErrorAs(t, err, &corrupt)
			require.Equal(t, c.want, [2]core.Position{corrupt.First, corrupt.Last})
		})
	}
}

// When everything after some point of an earlier life is gone, the list still says that it was there.
func TestDamagedEndOfALife(t *testing.T) {
	dir, path := closedLog(t, "one", "two", "three")
	_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.NoError(t, err)
	tamper(t, path, `DELETE FROM events WHERE position > 1`)
	l := open(t, dir, sqlitelog.Options{})
	for _, err = range l.Tail(t.Context(), 1) {
		require.Error(t, err)
	}
	var corrupt *core.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, []core.Position{2, 3}, []core.Position{corrupt.First, corrupt.Last})
}

// There is an end to it, and it is an error rather than a position given twice.
func TestTooManyLives(t *testing.T) {
	require.Less(t, core.FirstOf(sqlitelog.MaxLives-1), core.Position(1)<<53)
	require.Greater(t, core.FirstOf(sqlitelog.MaxLives), core.Position(1)<<53)

	dir, _ := closedLog(t, "one")
	id, _ := identity(t, dir)
	held := func(head core.Position) {
		write(t, filepath.Join(dir, "lock"), fmt.Appendf(nil, "pid  1\nlog  log_another\nhead %020d\n", head))
	}
	held(core.FirstOf(sqlitelog.MaxLives)) // nonsense
	again, renewed := identity(t, dir)
	require.Empty(t, renewed)
	require.Equal(t, id, again)
	held(core.FirstOf(sqlitelog.MaxLives - 2))
	l := open(t, dir, sqlitelog.Options{})
	require.Len(t, l.Lives(), sqlitelog.MaxLives-1)
	require.Equal(t, core.FirstOf(sqlitelog.MaxLives-1), say(t, l, "s", "two"))
	require.Len(t, tailed(t, l, 0), 2)
	require.NoError(t, l.Close())
	_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.ErrorContains(t, err, "the log was replaced 8191 times")
	require.NoError(t, open(t, dir, sqlitelog.Options{}).Close(), "as long as it is not replaced it works")
}

func TestNext(t *testing.T) {
	ends := []core.Position{5, 5, core.FirstOf(2) + 1}
	for _, c := range [][3]core.Position{ // a position, what follows it, what precedes that
		{0, 1, 0},
		{4, 5, 4},
		{5, core.FirstOf(2), 5},
		{6, core.FirstOf(2), 5},
		{core.FirstOf(1), core.FirstOf(2), 5},
		{core.FirstOf(2) - 1, core.FirstOf(2), 5},
		{core.FirstOf(2), core.FirstOf(2) + 1, core.FirstOf(2)},
		{core.FirstOf(2) + 1, core.FirstOf(3), core.FirstOf(2) + 1},
		{core.FirstOf(3), core.FirstOf(3) + 1, core.FirstOf(3)},
	} {
		require.Equal(t, c[1], sqlitelog.Next(ends, c[0]), "after %d", c[0])
		require.Equal(t, c[2], sqlitelog.Previous(ends, c[1]), "before %d", c[1])
	}
	require.EqualValues(t, 8, sqlitelog.Next(nil, 7))
	require.EqualValues(t, 1, sqlitelog.Next([]core.Position{1}, 0))
	require.Equal(t, core.FirstOf(1), sqlitelog.Next([]core.Position{0}, 0))
}
