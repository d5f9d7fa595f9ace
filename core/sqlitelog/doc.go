// Package sqlitelog keeps a log in one SQLite file. It is the log of a gateway that runs on one machine: nothing to set
// up, and a person can look into it with the sqlite3 shell, since bodies are JSON in TEXT columns.
//
//	log, err := sqlitelog.Open("stele-data", sqlitelog.Options{})
//	if err != nil {
//		return err // core.ErrLocked, core.ErrNewerFormat, core.ErrCorrupt
//	}
//	defer log.Close()
//	positions, err := log.Append(ctx, core.RoomStream("r1"), 0, events)
//
// # Files
//
//	log.db, log.db-wal, log.db-shm   the log; all three belong together while it is open
//	lock                             held by the process that has it open; names it, and how far the log has got
//	snapshots.db                     a cache, see [Snapshots]; may be deleted at any time
//
// # Writing
//
// One goroutine, the writer, has the only connection that writes. It commits everything that waits in one transaction,
// with synchronous=FULL: appends are answered when they are on disk, and the slower the disk, the more of them share a
// sync. Within a transaction each append is judged by what those before it wrote; one that loses its compare-and-swap
// fails alone. The queue is bounded: when it is full, appends wait outside.
//
// # Reading
//
// Readers have connections of their own and read page by page: no connection, and so no transaction, is held while the
// caller works on what it got. Tails get committed events from memory, together with the Payload the appender gave, as
// long as they keep up; a bound says how much is kept for them, and one that falls behind it reads from the file until
// it has caught up. Nobody's slowness reaches the writer.
//
// Every record carries a CRC32C that is checked whenever it is read. What an Erase destroys has a checksum of its own,
// so erasing does not touch the other. Positions are contiguous within a life of the log, so a tail also notices records
// that are missing.
//
// # When something is wrong
//
//   - The disk is full: the append fails with [core.ErrFull], reading goes on, and the next append is tried again.
//   - Any other write error: appends fail with [core.ErrReadOnly] until the log is opened again, because after a failed
//     sync nobody knows what is on disk. If it was the sync of a commit that failed, its events may turn up then.
//     [Log.Writable] tells both.
//   - The process is killed at any moment: opening the log again finds every acknowledged append and no part of another.
//   - Bytes change on disk: the reader gets a *core.CorruptError with the positions, after everything before them.
//   - log.db is missing or empty, but the lock file says that there was a log with events: Open fails, and its error says
//     which log, how far it had got and what to do. It never begins an empty log in the place of one that is lost.
//
// # Identity
//
// The log gets a random identity when it is created. A log that was put back from a backup must get another one, or a
// cursor from its former life would be honoured although it points at other events. When it opens, the log notices
//
//   - that the file is a copy, on Linux, where file systems tell which inode a file is and when that was made: a backup
//     that was copied or unpacked into place, or a copy that runs beside the original;
//   - that the file ends before a position that was given out, which the lock file remembers: an older state written over
//     the newer one, or a write-ahead log that was thrown away;
//   - that the lock file names another log than the file is: the same once more, after the log was renewed.
//
// Then it takes a new identity by itself, and [Log.Renewed] says why. It cannot notice when the whole machine or the whole
// file system went back to an earlier state, nor, elsewhere than on Linux, a backup restored into an empty directory. So
// whoever restores one calls [NewIdentity]. A directory that is renamed keeps its identity. A restore puts log.db in
// place, takes log.db-wal and log.db-shm of the former file away and leaves lock where it is: that knows which positions
// were given out.
//
// # Lives
//
// With a new identity begins a new life. Where the one before it ended is added to a list in the table meta, in the
// transaction that sets the identity, and the next event gets the first position of the new life, see [core.FirstOf], or a
// later one's: lives that the lock file knows of, but the file does not, are passed over and end in the list where the
// file does. [Log.Lives] is that list. Within a life positions go on by one. A file becomes one of format version 2 with
// its first renewal, which programs that know nothing of lives refuse; until then it is one of version 1, as theirs are.
//
// # Invariants
//
//   - Only the writer's goroutine touches its connection, and everything in [core.Log] that changes the log goes through it.
//   - The feed gets a commit after it is on disk and before its appends are answered.
//   - What the feed has dropped is in the file.
//   - A published record is never changed.
//   - No lock is held across input or output.
package sqlitelog
