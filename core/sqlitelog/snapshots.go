package sqlitelog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"stele/core"
)

// snapshotsName is the file that holds the snapshots, and setAside what is put behind the name of a damaged one. The
// newest damaged file replaces an older one, so that they do not pile up.
const (
	snapshotsName = "snapshots.db"
	setAside      = ".damaged"
)

// snapshotsID marks a file of snapshots in SQLite's header: the letters STES. snapshotsVersion is its format.
const (
	snapshotsID      = 0x53544553
	snapshotsVersion = 1
)

var snapshotsSchema = []string{
	`CREATE TABLE snapshots (
		name   TEXT PRIMARY KEY,
		log    TEXT    NOT NULL,
		format INTEGER NOT NULL,
		at     INTEGER NOT NULL,
		data   BLOB    NOT NULL,
		sum    INTEGER NOT NULL -- CRC32C over all of the above
	)`,
	fmt.Sprintf(`PRAGMA application_id = %d`, snapshotsID),
	fmt.Sprintf(`PRAGMA user_version = %d`, snapshotsVersion),
}

const (
	queryLoad = `SELECT log, format, at, data, sum FROM snapshots WHERE name = ?`
	querySave = `INSERT INTO snapshots (name, log, format, at, data, sum) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET log = excluded.log, format = excluded.format, at = excluded.at,
		data = excluded.data, sum = excluded.sum`
)

// Snapshots keeps the newest snapshot per name in a file beside the log. The file is a cache: one that is damaged, of
// another program or of another version is set aside and replaced by an empty one, and deleting it loses nothing. So a
// power loss may take the last saves with it, which is why they do not wait for the disk.
//
// It relies on the lock of the log in the same directory: open it after the log and close it before.
type Snapshots struct {
	path string
	// place holds the connection when nobody uses it; nil in it means that there is none at the moment.
	place  chan *conn
	once   sync.Once
	closed chan struct{}
}

// OpenSnapshots opens the snapshots in a directory. It fails only when no file can be made there at all.
func OpenSnapshots(dir string) (*Snapshots, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &Snapshots{path: filepath.Join(dir, snapshotsName), place: make(chan *conn, 1), closed: make(chan struct{})}
	c, err := openOrReplace(s.path)
	if err != nil {
		return nil, typed(s.path, err)
	}
	s.place <- c
	return s, nil
}

// openOrReplace opens the file, or sets it aside and makes an empty one.
func openOrReplace(path string) (*conn, error) {
	c, err := openSnapshots(path)
	if err == nil {
		return c, nil
	}
	if err := replace(path); err != nil {
		return nil, err
	}
	return openSnapshots(path)
}

func replace(path string) error {
	for _, beside := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + beside); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	err := os.Rename(path, path+setAside)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func openSnapshots(path string) (*conn, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	c, err := dial(path, fmt.Sprintf(`busy_timeout = %d`, busyTimeout), `secure_delete = ON`, `synchronous = NORMAL`)
	if err != nil {
		return nil, err
	}
	if err := prepareSnapshots(c); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func prepareSnapshots(c *conn) error {
	f, err := inspect(c)
	switch {
	case err != nil:
		return err
	case f == (format{app: snapshotsID, version: snapshotsVersion, tables: f.tables}):
		return useWAL(c)
	case f != format{}:
		return errForeign
	}
	if err := useWAL(c); err != nil {
		return err
	}
	return c.transact(func() error { return c.execAll(snapshotsSchema) })
}

// with lends the connection to f. If the file turns out to be damaged, f gets a second try on an empty one.
func (s *Snapshots) with(ctx context.Context, f func(*conn) error) (err error) {
	var c *conn
	select {
	case <-s.closed:
		return core.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case c = <-s.place:
	}
	defer func() { s.place <- c }()
	// Several cases above may have been ready at once, and then any is taken.
	select {
	case <-s.closed:
		return core.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c != nil {
		if err = f(c); !errors.Is(typed(s.path, err), core.ErrCorrupt) {
			return typed(s.path, err)
		}
		_ = c.close()
		c = nil
		if err := replace(s.path); err != nil {
			return typed(s.path, err)
		}
	}
	if c, err = openOrReplace(s.path); err != nil {
		return typed(s.path, err)
	}
	return typed(s.path, f(c))
}

// Load implements [core.Snapshots].
func (s *Snapshots) Load(ctx context.Context, name string) (snap core.Snapshot, err error) {
	err = s.with(ctx, func(c *conn) error {
		row, err := c.first(queryLoad, name)
		if err != nil {
			return err
		}
		if row == nil {
			return core.ErrNoSnapshot
		}
		log, ok1 := row[0].(string)
		format, ok2 := row[1].(int64)
		at, ok3 := row[2].(int64)
		data, ok4 := row[3].([]byte)
		snap = core.Snapshot{Log: log, Format: int(format), At: core.Position(at), Data: data}
		if !ok1 || !ok2 || !ok3 || !ok4 && row[3] != nil || row[4] != snapshotSum(name, snap) {
			snap = core.Snapshot{}
			return core.ErrNoSnapshot
		}
		return nil
	})
	return snap, err
}

// Save implements [core.Snapshots].
func (s *Snapshots) Save(ctx context.Context, name string, snap core.Snapshot) error {
	return s.with(ctx, func(c *conn) error {
		data := slices.Clip(snap.Data)
		if data == nil {
			data = []byte{}
		}
		return c.exec(querySave, name, snap.Log, int64(snap.Format), int64(snap.At), data, snapshotSum(name, snap))
	})
}

// Close frees the file. It waits for the call that uses it.
func (s *Snapshots) Close() error {
	err := core.ErrClosed
	s.once.Do(func() {
		close(s.closed)
		err = nil
		if c := <-s.place; c != nil {
			err = c.close()
		}
	})
	return err
}

func snapshotSum(name string, s core.Snapshot) int64 {
	b := appendSized(nil, name)
	b = appendSized(b, s.Log)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Format))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.At))
	return int64(int32(crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, s.Data)))
}

var _ core.Snapshots = (*Snapshots)(nil)
