package sqlitelog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// logName is the file that holds the log.
const logName = "log.db"

// walPages is how long the write-ahead log grows before the writer moves it into the file, in pages: 4 MiB. Longer ones
// made appends slower when measured, because the pages no longer stay in the processor's cache.
const walPages = 1000

// Open opens the log in a directory and creates both if they are missing. Errors: [core.ErrLocked] when another process
// has it open, [core.ErrNewerFormat], and [core.ErrCorrupt] as a *core.CorruptError when the file is not a log, is damaged
// where it was read, or is missing or empty although the file lock says that there was a log with events.
func Open(dir string, o Options) (*Log, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, held, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	l := &Log{path: filepath.Join(dir, logName), opts: o, lock: lock, closing: make(chan struct{})}
	if err := l.start(held); err != nil {
		return nil, errors.Join(typed(l.path, err), lock.release())
	}
	go l.writer.run()
	return l, nil
}

// start opens the file and prepares everything that works on it.
func (l *Log) start(held heldLog) error {
	if held.hadEvents() {
		if how := absent(l.path); how != "" {
			return held.lost(how)
		}
	}
	if err := createFile(l.path); err != nil {
		return err
	}
	c, err := dial(l.path,
		fmt.Sprintf(`busy_timeout = %d`, busyTimeout),
		fmt.Sprintf(`cache_size = %d`, -l.opts.CacheKiB),
		`secure_delete = ON`,
		`synchronous = FULL`,
		`fullfsync = ON`,
		`checkpoint_fullfsync = ON`,
		fmt.Sprintf(`wal_autocheckpoint = %d`, walPages),
	)
	if err != nil {
		return err
	}
	if err := l.startWriter(c, held); err != nil {
		return errors.Join(err, c.close())
	}
	l.readers = newPool(l.path, l.opts, l.closing)
	return nil
}

func (l *Log) startWriter(c *conn, held heldLog) error {
	fresh, birth := l.opts.newIdentity(), birthOf(l.path)
	if err := prepareSchema(c, fresh, birth, held); err != nil {
		return err
	}
	s, renewed, err := identify(c, fresh, birth, l.lock, held)
	if err != nil {
		return err
	}
	l.id, l.renewed, l.lives = s.id, renewed, s.lives
	// What an erase left in the write-ahead log when the process was killed goes now.
	emptied, err := emptyWAL(c)
	if err != nil && !isFull(err) {
		// On a full disk it may not fit into the file. What it holds can be read as before, and goes with the next erase.
		return err
	}
	streams, err := c.integer(queryLastStream)
	if err != nil {
		return err
	}
	if l.opts.MaxPages > 0 {
		if err := c.exec(fmt.Sprintf(`PRAGMA max_page_count = %d`, l.opts.MaxPages)); err != nil {
			return err
		}
	}
	l.feed = newFeed(s.head, l.opts)
	l.writer = &writer{
		opts: l.opts, path: l.path, conn: c, lock: l.lock, feed: l.feed,
		queue: make(chan *request, l.opts.QueueSize), closing: l.closing, gone: make(chan struct{}),
		heads: newHeads(l.opts.Streams), nextStream: streams, base: s.lives.base(s.head), traces: !emptied,
	}
	return nil
}

// absent says how a file is not there, empty when it is.
func absent(path string) (how string) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, os.ErrNotExist):
		return "is missing"
	case err == nil && info.Size() == 0:
		return "is empty"
	}
	return ""
}

// createFile makes the file that the database goes to, if it is missing, readable by its owner alone, and makes its name
// durable: SQLite gives the files beside it the same mode and syncs their names itself.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
