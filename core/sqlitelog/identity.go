package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stele/core"
)

// logPrefix stands before the identity of a log.
const logPrefix = "log_"

// Keys of the table meta.
const (
	metaIdentity = "identity"
	metaBirth    = "birth"
	metaLives    = "lives"
)

// self is what a log knows of itself.
type self struct {
	id string
	// birth is that of the file the identity was given to, see birthOf.
	birth string
	lives lives
	// head is the log's last position.
	head core.Position
}

// setIdentity stops at the first failure, because that may have ended the transaction that the rest belongs to.
func setIdentity(c *conn, id, birth string) error {
	if err := c.exec(querySetMeta, metaIdentity, id); err != nil {
		return err
	}
	return c.exec(querySetMeta, metaBirth, birth)
}

func meta(c *conn, key string) (string, error) {
	v, err := c.scalar(queryMeta, key)
	if err != nil {
		return "", err
	}
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%w: no %s in meta", errMalformed, key)
	}
	return s, nil
}

func loadSelf(c *conn) (s self, err error) {
	if s.id, err = meta(c, metaIdentity); err != nil {
		return s, err
	}
	if s.birth, err = meta(c, metaBirth); err != nil {
		return s, err
	}
	s.lives, s.head, err = loadLives(c)
	return s, err
}

// replaced says why the file cannot be the one that was last open here, empty when it may be.
func (s self) replaced(birth string, held heldLog) string {
	switch {
	case s.birth != "" && birth != "" && s.birth != birth:
		return "the file is a copy"
	case held.id == s.id && held.head > s.lives.base(s.head):
		return fmt.Sprintf("the file ends at position %d, but was at %d before", s.head, held.head)
	case held.id != "" && held.id != s.id && held.head > 0:
		return fmt.Sprintf("the file holds %s, but the directory held %s before", s.id, held.id)
	}
	return ""
}

// identify finds out who the log is and signs the lock as that. If the file was replaced, the log begins a new life
// first, and renewed says why.
func identify(c *conn, fresh, birth string, lock *lockFile, held heldLog) (s self, renewed string, err error) {
	if s, err = loadSelf(c); err != nil {
		return s, "", err
	}
	if renewed = s.replaced(birth, held); renewed == "" {
		return s, "", lock.sign(s.id, s.lives.base(s.head))
	}
	s, err = s.renew(c, fresh, birth, lock, held.head)
	return s, renewed, err
}

// renew ends the log's life and begins another one under a fresh identity, beyond the life of given, a position that was
// once given out here. The lock is signed first: if the process dies before the file follows, the next one finds another
// log in the note than in the file and renews it. The other way round it might find nothing wrong with an older note.
func (s self) renew(c *conn, fresh, birth string, lock *lockFile, given core.Position) (self, error) {
	ends, err := s.lives.ended(s.head, given)
	if err != nil {
		return s, err
	}
	if err := lock.sign(fresh, ends.base(s.head)); err != nil {
		return s, err
	}
	err = c.transact(func() error {
		if err := setIdentity(c, fresh, birth); err != nil {
			return err
		}
		if err := c.exec(querySetMeta, metaLives, ends.String()); err != nil {
			return err
		}
		return c.exec(queryFormatLives)
	})
	return self{id: fresh, birth: birth, lives: ends, head: s.head}, err
}

// NewIdentity makes the log in a directory begin a new life under a new identity, which it returns. Whoever puts a backup
// back in place calls it, because a log cannot always see that it was replaced: see the section on identity in the
// package's documentation. If opening the log gives it a new identity already, that one is it. The log must not be open.
func NewIdentity(dir string, o Options) (id string, err error) {
	if _, err := os.Stat(filepath.Join(dir, logName)); err != nil {
		return "", err
	}
	l, err := Open(dir, o)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.Renewed() != "" {
		return l.ID(), nil
	}
	id = l.opts.newIdentity()
	err = l.writer.do(context.Background(), func(w *writer) error {
		s, err := loadSelf(w.conn)
		if err == nil {
			_, err = s.renew(w.conn, id, birthOf(l.path), l.lock, s.head)
		}
		return typed(l.path, err)
	})
	return id, err
}
