package sqlitelog

import (
	"fmt"

	"stele/core"
)

// applicationID marks a file as a log of this program, in SQLite's header: the letters STEL.
const applicationID = 0x5354454c

// Versions of the format, kept in the header as user_version. They have the same schema. A file becomes one of the second
// version when its log begins a second life: a program that knows only the first would take the jump in the positions for
// damage, and might give out positions of an ended life again.
const (
	formatFirst = 1 // positions without a gap
	formatLives = 2 // lives in meta, and a gap in the positions after each
)

// schema creates an empty log. Names are interned in streams, so that the index has one small integer per event beside
// the position: an index of SQLite ends in the row's key, which is the position. A content_sum that is NULL marks an
// erased event.
var schema = []string{
	`CREATE TABLE meta (
		key   TEXT PRIMARY KEY,
		value TEXT NOT NULL
	) WITHOUT ROWID`,
	`CREATE TABLE streams (
		id   INTEGER PRIMARY KEY,
		name TEXT NOT NULL UNIQUE
	)`,
	`CREATE TABLE events (
		position    INTEGER PRIMARY KEY,
		stream      INTEGER NOT NULL,
		version     INTEGER NOT NULL,
		kind        TEXT    NOT NULL,
		at          INTEGER NOT NULL, -- milliseconds since 1970
		body        TEXT    NOT NULL,
		content     TEXT,
		receipt     TEXT,
		sum         INTEGER NOT NULL, -- CRC32C over what survives an erase
		content_sum INTEGER           -- CRC32C over content and receipt
	)`,
	`CREATE INDEX events_by_stream ON events (stream)`,
	fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
	fmt.Sprintf(`PRAGMA user_version = %d`, formatFirst),
}

// format is what a file says of itself. The zero value is an empty file.
type format struct{ app, version, tables int64 }

func inspect(c *conn) (f format, err error) {
	for _, q := range []struct {
		to    *int64
		query string
	}{
		{&f.app, `PRAGMA application_id`},
		{&f.version, `PRAGMA user_version`},
		{&f.tables, `SELECT count(*) FROM sqlite_schema`},
	} {
		if *q.to, err = c.integer(q.query); err != nil {
			return f, err
		}
	}
	return f, nil
}

// prepareSchema creates the schema in an empty file and refuses a file that is not a log of a known version, without
// having changed it. An empty file where held names a log that had events is refused too.
func prepareSchema(c *conn, identity, birth string, held heldLog) error {
	f, err := inspect(c)
	switch {
	case err != nil:
		return err
	case f.app == applicationID && f.version > formatLives:
		return fmt.Errorf("%w: format %d, this program knows up to %d", core.ErrNewerFormat, f.version, formatLives)
	case f.app == applicationID && f.version >= formatFirst:
		return useWAL(c)
	case f != format{}:
		return errForeign
	case held.hadEvents():
		return held.lost("is empty")
	}
	if err := useWAL(c); err != nil {
		return err
	}
	return c.transact(func() error {
		if err := c.execAll(schema); err != nil {
			return err
		}
		return setIdentity(c, identity, birth)
	})
}

func (c *conn) execAll(queries []string) error {
	for _, q := range queries {
		if err := c.exec(q); err != nil {
			return err
		}
	}
	return nil
}

// useWAL switches to the write-ahead log, which lets readers work beside the writer and a commit be one sync.
func useWAL(c *conn) error {
	mode, err := c.scalar(`PRAGMA journal_mode = WAL`)
	if err == nil && mode != "wal" {
		err = fmt.Errorf("the file system allows no write-ahead log, only %v", mode)
	}
	return err
}
