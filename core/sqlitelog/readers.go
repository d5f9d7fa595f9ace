package sqlitelog

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"stele/core"
)

// busyTimeout is how long a statement waits for a lock that somebody with a database shell holds, in milliseconds.
const busyTimeout = 1000

// reader is a connection that serves reads.
type reader struct {
	conn   *conn
	path   string
	decode decoder
}

func newReader(path string, o Options) (*reader, error) {
	c, err := dial(path,
		`query_only = ON`,
		fmt.Sprintf(`busy_timeout = %d`, busyTimeout),
		fmt.Sprintf(`cache_size = %d`, -o.CacheKiB/8),
	)
	if err != nil {
		return nil, err
	}
	return &reader{conn: c, path: path}, nil
}

// page appends the records that a query finds to buf. Beside an error stand the good records before the bad one. It ends
// with errFullPage after the record with which the page weighs pageBytes.
func (r *reader) page(buf []core.Recorded, query string, args ...driver.Value) ([]core.Recorded, error) {
	var bad *core.CorruptError
	weight := 0
	err := r.conn.each(func(row []driver.Value) error {
		rec, err := r.decode.record(row)
		switch {
		case err != nil && bad == nil:
			bad = &core.CorruptError{File: r.path, First: rec.Position, Last: rec.Position, Cause: err}
		case err != nil:
			bad.First, bad.Last = min(bad.First, rec.Position), max(bad.Last, rec.Position)
		case bad == nil:
			buf = append(buf, rec)
			if weight += size(&rec); weight >= pageBytes {
				return errFullPage
			}
		default:
			return errEndOfDamage
		}
		return nil
	}, query, args...)
	if bad != nil {
		return buf, bad
	}
	if errors.Is(err, errFullPage) {
		return buf, errFullPage
	}
	return buf, typed(r.path, err)
}

var (
	// errEndOfDamage stops a page at the first good record after bad ones; it does not leave [reader.page].
	errEndOfDamage = errors.New("end of damage")
	errFullPage    = errors.New("page is full")
)

// pool lends readers. A place in it is a reader or, until it was first needed, nil.
type pool struct {
	path   string
	opts   Options
	places chan *reader
	closed <-chan struct{}
}

func newPool(path string, o Options, closed <-chan struct{}) *pool {
	p := &pool{path: path, opts: o, places: make(chan *reader, o.Readers), closed: closed}
	for range o.Readers {
		p.places <- nil
	}
	return p
}

// with lends a reader to f, which must not keep it, nor wait for anybody while it has it.
func (p *pool) with(ctx context.Context, f func(*reader) error) error {
	var r *reader
	select {
	case <-p.closed:
		return core.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case r = <-p.places:
	}
	if r == nil {
		var err error
		if r, err = newReader(p.path, p.opts); err != nil {
			p.places <- nil
			return typed(p.path, err)
		}
	}
	defer func() { p.places <- r }()
	// Several cases above may have been ready at once, and then any is taken.
	select {
	case <-p.closed:
		return core.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f(r)
}

// close waits until every reader is back and closes them. Nobody gets one any more, since closed is.
func (p *pool) close() error {
	var errs []error
	for range cap(p.places) {
		if r := <-p.places; r != nil {
			errs = append(errs, r.conn.close())
		}
	}
	return errors.Join(errs...)
}
