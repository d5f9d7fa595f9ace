package sqlitelog

import (
	"fmt"

	"stele/core"
)

// attempt writes a batch in one transaction and returns the records that were committed, in order. Each append is judged
// by what those before it in the batch have written; one that loses its swap leaves nothing and fails alone. After an
// error nothing of the batch was written, and the verdicts in it mean nothing.
func (w *writer) attempt(batch []*request) (records []core.Recorded, err error) {
	if w.broken != nil {
		return nil, w.broken
	}
	t := transaction{writer: w, base: w.base}
	for _, r := range batch {
		if r.err, err = t.stage(r); err != nil {
			return nil, t.undo(err)
		}
	}
	if !t.begun {
		return nil, nil
	}
	if err := w.conn.exec(queryCommit); err != nil {
		return nil, t.undo(err)
	}
	if len(t.staged) == 1 {
		return t.staged[0].records, nil
	}
	records = make([]core.Recorded, 0, t.base-w.base)
	for _, r := range t.staged {
		records = append(records, r.records...)
	}
	return records, nil
}

// transaction is a batch on its way to the disk. It begins with the first append that wins its swap, so that a batch of
// losers costs nothing.
type transaction struct {
	*writer
	begun  bool
	base   core.Position // as the transaction leaves it
	staged []*request
}

// stage writes one append, or says why it may not be written. The error is the storage's.
func (t *transaction) stage(r *request) (verdict, err error) {
	s, err := t.stream(r.stream)
	if err != nil {
		return nil, err
	}
	if s.last != r.last {
		return &core.ConflictError{Stream: r.stream, Expected: r.last, Last: s.last}, nil
	}
	if !t.begun {
		if err := t.conn.exec(queryBegin); err != nil {
			return nil, err
		}
		t.begun = true
	}
	if s.id == 0 {
		t.nextStream++
		if err := t.conn.exec(queryAddStream, t.nextStream, string(r.stream)); err != nil {
			return nil, err
		}
		s.id = t.nextStream
	}
	for i := range r.records {
		t.base++
		rec := &r.records[i]
		rec.Position = t.base
		if err := t.insert(s.id, rec); err != nil {
			return nil, err
		}
	}
	s.last = t.base
	t.staged = append(t.staged, r)
	return nil, nil
}

func (w *writer) insert(stream int64, r *core.Recorded) error {
	return w.conn.exec(queryAddEvent,
		int64(r.Position), stream, int64(r.Version), string(r.Kind), r.At.UnixMilli(),
		string(r.Body), text(r.Content), text(r.Receipt), w.sums.head(r), w.sums.content(r),
	)
}

// undo rolls back and forgets what the transaction made the writer believe.
func (t *transaction) undo(err error) error {
	if t.begun {
		// SQLite has often undone it by itself; then this fails, and means nothing.
		_ = t.conn.exec(queryRollback)
	}
	t.heads.clear()
	return err
}

// stream returns what is known of a stream, asking the index when it is not remembered.
func (w *writer) stream(name core.Stream) (*streamHead, error) {
	if s, ok := w.heads.get(name); ok {
		return s, nil
	}
	s := &streamHead{}
	row, err := w.conn.first(queryFindStream, string(name))
	if err != nil {
		return nil, err
	}
	if row != nil {
		id, err := asInteger(row[0])
		if err != nil {
			return nil, err
		}
		last, err := asInteger(row[1])
		if err != nil {
			return nil, err
		}
		if id <= 0 {
			return nil, fmt.Errorf("%w: number %d of stream %s", errMalformed, id, name)
		}
		s.id, s.last = id, core.Position(last)
	}
	w.heads.put(name, s)
	return s, nil
}
