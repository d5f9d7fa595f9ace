package sqlitelog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stele/core"
)

// lockName is the file beside the log that its holder keeps locked. It says in text who holds it and how far the log had
// got:
//
//	pid  0000000000000004711
//	log  log_0198c0de-…
//	head 0000000000000000042
//
// While the log's present life has no event, head is the position before the first one of that life. So it says of a log
// that was replaced which lives have been used up, whatever file is put in its place later.
const lockName = "lock"

// lockFile is a held lock.
type lockFile struct {
	file *os.File
	// noted is where the number behind "head" stands in the file.
	noted int64
}

// heldLog is what the last holder of a lock left in it.
type heldLog struct {
	pid, id string
	// head is the last position that was given out, or more.
	head core.Position
}

// hadEvents reports whether the last holder's log is one that must not vanish.
func (h heldLog) hadEvents() bool { return h.id != "" && h.head > 0 }

// lost says that the file of the last holder's log is not there, how that shows, and what may be done.
func (h heldLog) lost(how string) error {
	return fmt.Errorf("%w: %s %s, but the directory held %s up to position %d; "+
		"restore %s from a backup, or remove the file %s to begin anew with an empty log",
		errLost, logName, how, h.id, h.head, logName, lockName)
}

// takeLock locks a directory against other processes, and against this one opening it twice. The returned note is what
// the last holder left.
func takeLock(dir string) (*lockFile, heldLog, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, heldLog{}, err
	}
	held := readNote(file)
	locked, err := tryLock(file)
	if err == nil && !locked {
		err = fmt.Errorf("%w: process %s holds %s", core.ErrLocked, held.pid, path)
	}
	if err != nil {
		_ = file.Close()
		return nil, heldLog{}, err
	}
	// The note is read again, because its writer may have gone on until the lock was ours.
	return &lockFile{file: file}, readNote(file), nil
}

// readNote reads what a holder wrote; whatever cannot be read is zero, because the note is advice and not data.
func readNote(file *os.File) heldLog {
	var buf [256]byte
	n, _ := file.ReadAt(buf[:], 0)
	held := heldLog{pid: "unknown"}
	for line := range strings.Lines(string(buf[:n])) {
		var number uint64
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key {
		case "pid":
			if _, err := fmt.Sscanf(value, "%d", &number); err == nil {
				held.pid = fmt.Sprint(number)
			}
		case "log":
			held.id = strings.TrimSpace(value)
		case "head":
			_, err := fmt.Sscanf(value, "%d", &number)
			if head := core.Position(number); err == nil && head.Life() < maxLives {
				held.head = head
			}
		}
	}
	return held
}

// sign writes the note of the new holder, and makes it durable because what the log is depends on it.
func (l *lockFile) sign(id string, head core.Position) error {
	text := fmt.Sprintf("pid  %020d\nlog  %s\nhead ", os.Getpid(), id)
	l.noted = int64(len(text))
	text += fmt.Sprintf("%020d\n", head)
	if err := l.file.Truncate(int64(len(text))); err != nil {
		return err
	}
	if _, err := l.file.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	return l.file.Sync()
}

// note moves the number behind "head". It is called after each commit and costs one write to the page cache. A failure
// is ignored: a number that stays behind only makes the check for a replaced file less sharp.
func (l *lockFile) note(head core.Position) {
	var digits [20]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + head%10)
		head /= 10
	}
	_, _ = l.file.WriteAt(digits[:], l.noted)
}

// release gives the lock back. The file stays, since removing it would let two processes lock two files of that name.
func (l *lockFile) release() error { return l.file.Close() }
