package sqlitelog

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"stele/core"
)

const (
	queryProbe  = `SELECT 1 FROM snapshots LIMIT 1`
	queryDelete = `DELETE FROM snapshots WHERE name = ?`
	queryLoad   = `SELECT log, format, at, data, sum FROM snapshots WHERE name = ?`
	querySave   = `INSERT INTO snapshots (name, log, format, at, data, sum) VALUES (?, ?, ?, ?, ?, ?)
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
		data := snap.Data
		if data == nil {
			data = []byte{}
		}
		return c.exec(querySave, name, snap.Log, int64(snap.Format), int64(snap.At), data, snapshotSum(name, snap))
	})
}

// Delete implements [core.Snapshots]. The freed bytes are overwritten, the write-ahead log, which holds older copies, is
// emptied, and a damaged file that was set aside goes too, since nobody knows what is in it.
func (s *Snapshots) Delete(ctx context.Context, name string) error {
	return s.with(ctx, func(c *conn) error {
		if err := c.exec(queryDelete, name); err != nil {
			return err
		}
		if err := os.Remove(s.path + setAside); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		emptied, err := emptyWAL(c)
		if err == nil && !emptied {
			err = errWALHeld
		}
		return err
	})
}

// errWALHeld: somebody else, as a database shell can, reads from the write-ahead log, and its older copies stay.
var errWALHeld = errors.New("somebody else reads the file, so that older copies of its pages stay")

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
