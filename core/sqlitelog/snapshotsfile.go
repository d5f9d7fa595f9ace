package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"os"

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
	case f.app == snapshotsID && f.version == snapshotsVersion:
		return errors.Join(c.exec(queryProbe), useWAL(c))
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
