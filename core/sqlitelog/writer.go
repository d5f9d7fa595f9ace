package sqlitelog

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"stele/core"
)

// writer is the one goroutine that writes. It takes everything that waits in its queue, up to a bound, puts it into one
// transaction, and answers when that is on disk: while the disk works the queue fills again, so the slower the disk, the
// larger the batches. Its fields belong to its goroutine, save those that say otherwise.
type writer struct {
	opts Options
	path string
	conn *conn
	lock *lockFile
	feed *feed // safe for concurrent use

	queue   chan *request   // from everybody
	closing <-chan struct{} // closed when nothing new is accepted
	gone    chan struct{}   // closed when the goroutine has ended
	refusal atomic.Pointer[error]

	heads      *heads
	nextStream int64
	base       core.Position // the next event goes after it
	sums       summer
	batch      []*request // used again
	// broken is why nothing will be written any more; nil while the log works.
	broken error
	// traces says that the write-ahead log may still hold what was erased.
	traces bool
}

// request is an append or a job that waits for the writer. It belongs to the writer from when it is queued until done is
// closed.
type request struct {
	stream  core.Stream
	last    core.Position
	records []core.Recorded
	job     func(*writer) error

	err  error
	done chan struct{}
}

// run serves requests until closing, and then those that are still queued.
func (w *writer) run() {
	defer close(w.gone)
	for {
		select {
		case r := <-w.queue:
			w.serve(r)
			continue
		case <-w.closing:
		}
		for {
			select {
			case r := <-w.queue:
				w.serve(r)
			default:
				return
			}
		}
	}
}

// serve handles a request together with those that wait behind it.
func (w *writer) serve(r *request) {
	batch, events := w.batch[:0], 0
	for r != nil && r.job == nil {
		batch = append(batch, r)
		if events += len(r.records); events >= w.opts.MaxBatch {
			r = nil
			break
		}
		r = w.next()
	}
	if len(batch) > 0 {
		w.write(batch)
		clear(batch)
		w.batch = batch
	}
	if r != nil {
		r.err = r.job(w)
		close(r.done)
	}
}

// next returns the next request that waits, nil when none does.
func (w *writer) next() *request {
	select {
	case r := <-w.queue:
		return r
	default:
	}
	// Those who were just answered may be about to come back. Letting them makes fuller batches, and costs nothing when
	// nobody is there.
	runtime.Gosched()
	select {
	case r := <-w.queue:
		return r
	default:
		return nil
	}
}

// submit queues a request and waits for its answer. A context that ends before the request is queued leaves nothing
// behind; later it only ends the waiting.
func (w *writer) submit(ctx context.Context, r *request) error {
	select {
	case <-w.closing:
		return core.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case w.queue <- r:
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-w.gone:
	}
	// The writer may have answered before it went.
	select {
	case <-r.done:
		return r.err
	default:
		return core.ErrClosed
	}
}

// do runs f in the writer's goroutine.
func (w *writer) do(ctx context.Context, f func(*writer) error) error {
	return w.submit(ctx, &request{job: f, done: make(chan struct{})})
}

// write commits a batch and answers it. When a batch cannot be written but the log is sound, each append is tried by
// itself, so that only those fail that cannot be written.
func (w *writer) write(batch []*request) {
	records, err := w.attempt(batch)
	switch {
	case err == nil && len(records) > 0:
		w.base = records[len(records)-1].Position
		w.lock.note(w.base)
		w.feed.publish(records)
		w.refusal.Store(nil)
	case err == nil:
	case len(batch) > 1 && staysSound(err):
		for i := range batch {
			w.write(batch[i : i+1])
		}
		return
	default:
		err = w.refuse(err)
		for _, r := range batch {
			r.err = err
		}
	}
	for _, r := range batch {
		close(r.done)
	}
}

// refuse notes why a write failed and returns that as the core knows it.
func (w *writer) refuse(err error) error {
	err = refusalOf(w.path, err)
	if !staysSound(err) && w.broken == nil {
		w.broken = err
	}
	if errors.Is(err, core.ErrFull) || errors.Is(err, core.ErrReadOnly) {
		w.refusal.Store(&err)
	}
	return err
}
