package sqlitelog

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"
)

// conn is one connection to a database file. It belongs to one goroutine at a time. The driver is used without
// database/sql above it: each connection here has one owner and a handful of statements, so a pool with its locks and
// conversions per value would only cost.
type conn struct {
	raw driver.Conn
	// stmts are the statements that ran before; they stay prepared as long as the connection lives.
	stmts map[string]*stmt
	args  []driver.NamedValue // used again
}

// stmt is a prepared statement.
type stmt struct {
	raw  driver.Stmt
	exec driver.StmtExecContext
	rows driver.StmtQueryContext
	row  []driver.Value // used again
}

// dial opens a file, creating it if it is missing, and runs pragmas on the connection.
func dial(path string, pragmas ...string) (*conn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	raw, err := (&sqlite.Driver{}).Open((&url.URL{Scheme: "file", Path: abs}).String())
	if err != nil {
		return nil, err
	}
	c := &conn{raw: raw, stmts: make(map[string]*stmt)}
	for _, p := range pragmas {
		if err := c.exec("PRAGMA " + p); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.raw.Close())
	}
	return errors.Join(append(errs, c.raw.Close())...)
}

// prepared returns the statement for a query, which must be one of a fixed set.
func (c *conn) prepared(query string) (*stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	raw, err := c.raw.Prepare(query)
	if err != nil {
		return nil, err
	}
	exec, ok1 := raw.(driver.StmtExecContext)
	rows, ok2 := raw.(driver.StmtQueryContext)
	if !ok1 || !ok2 {
		return nil, errors.Join(errors.New("the sqlite driver lacks contexts"), raw.Close())
	}
	s := &stmt{raw: raw, exec: exec, rows: rows}
	c.stmts[query] = s
	return s, nil
}

func (c *conn) bind(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

// exec runs a statement that yields nothing.
func (c *conn) exec(query string, args ...driver.Value) error {
	_, err := c.result(query, args)
	return err
}

// change is exec that tells how many rows were changed.
func (c *conn) change(query string, args ...driver.Value) (rows int64, err error) {
	res, err := c.result(query, args)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (c *conn) result(query string, args []driver.Value) (driver.Result, error) {
	s, err := c.prepared(query)
	if err != nil {
		return nil, err
	}
	return s.exec.ExecContext(context.Background(), c.bind(args))
}

// each calls f with every row until it returns an error. The row's slice is used again; the values in it are not.
func (c *conn) each(f func(row []driver.Value) error, query string, args ...driver.Value) (err error) {
	s, err := c.prepared(query)
	if err != nil {
		return err
	}
	rows, err := s.rows.QueryContext(context.Background(), c.bind(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if s.row == nil {
		s.row = make([]driver.Value, len(rows.Columns()))
	}
	for {
		if err := rows.Next(s.row); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := f(s.row); err != nil {
			return err
		}
	}
}

// first returns the only row, nil when there is none.
func (c *conn) first(query string, args ...driver.Value) (found []driver.Value, err error) {
	err = c.each(func(row []driver.Value) error {
		found = row
		return nil
	}, query, args...)
	return found, err
}

// scalar returns the only row's first column, nil when there is none.
func (c *conn) scalar(query string, args ...driver.Value) (driver.Value, error) {
	row, err := c.first(query, args...)
	if err != nil || row == nil {
		return nil, err
	}
	return row[0], nil
}

// integer is scalar for a column that holds an integer; no row and NULL are 0.
func (c *conn) integer(query string, args ...driver.Value) (int64, error) {
	v, err := c.scalar(query, args...)
	if err != nil {
		return 0, err
	}
	return asInteger(v)
}

// transact runs f in a transaction, which is undone when f fails.
func (c *conn) transact(f func() error) error {
	if err := c.exec(queryBegin); err != nil {
		return err
	}
	err := f()
	if err == nil {
		err = c.exec(queryCommit)
	}
	if err != nil {
		// SQLite has often undone it by itself; then this fails, and means nothing.
		_ = c.exec(queryRollback)
	}
	return err
}

func asInteger(v driver.Value) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case nil:
		return 0, nil
	}
	return 0, fmt.Errorf("%w: %T where an integer belongs", errMalformed, v)
}
