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
)

func setIdentity(c *conn, identity, birth string) error {
	return errors.Join(c.exec(querySetMeta, metaIdentity, identity), c.exec(querySetMeta, metaBirth, birth))
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

// identify returns the log's identity. If the file is not the one that the identity was given to, or not as far as it
// had got, the log gets a new one first, and renewed says why.
func identify(c *conn, fresh, birth string, held heldLog) (id, renewed string, err error) {
	if id, err = meta(c, metaIdentity); err != nil {
		return "", "", err
	}
	born, err := meta(c, metaBirth)
	if err != nil {
		return "", "", err
	}
	head, err := c.integer(queryHead)
	if err != nil {
		return "", "", err
	}
	switch {
	case born != "" && birth != "" && born != birth:
		renewed = "the file is a copy"
	case held.id == id && held.head > core.Position(head):
		renewed = fmt.Sprintf("the file ends at position %d, but was at %d before", head, held.head)
	default:
		return id, "", nil
	}
	return fresh, renewed, c.transact(func() error { return setIdentity(c, fresh, birth) })
}

// NewIdentity gives the log in a directory a new identity and returns it. Whoever puts a backup back in place calls it,
// because a log cannot always see that it was replaced: see the section on identity in the package's documentation. The
// log must not be open.
func NewIdentity(dir string, o Options) (id string, err error) {
	if _, err := os.Stat(filepath.Join(dir, logName)); err != nil {
		return "", err
	}
	l, err := Open(dir, o)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	id = l.opts.newIdentity()
	err = l.writer.do(context.Background(), func(w *writer) error {
		return w.conn.transact(func() error { return setIdentity(w.conn, id, birthOf(l.path)) })
	})
	return id, err
}
