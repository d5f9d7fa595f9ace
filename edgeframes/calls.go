package edgeframes

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
)

// Call runs a method of the agent and returns what it returned. Arguments are Go
// values or [superjson.Value]s, see [superjson.FromGo]. While no link is ready the
// call waits, and is sent after hello.
//
// The error is the agent's [Error], [ErrLinkDown] when the link dropped or an attempt
// failed while the call waited (nothing is sent again), ctx's error, [ErrTooManyCalls],
// [ErrClosed], or that of an argument that cannot be written.
func (c *Client) Call(ctx context.Context, method string, args ...any) (superjson.Value, error) {
	values := make([]superjson.Value, len(args))
	for i, arg := range args {
		v, err := superjson.FromGo(arg)
		if err != nil {
			return nil, fmt.Errorf("edge: argument %d of %s: %w", i, method, err)
		}
		values[i] = v
	}
	w, err := c.enlist(method, values)
	if err != nil {
		return nil, err
	}
	select {
	case <-w.answered:
		return w.value, w.err
	case <-ctx.Done():
		c.mu.Lock()
		c.calls.forget(w)
		c.mu.Unlock()
		return nil, ctx.Err()
	}
}

// CallAs is [Client.Call] with the result decoded into T by way of its plain JSON, so
// that a Date becomes a time.Time or a string. A T of [superjson.Value] is not decoded.
func CallAs[T any](ctx context.Context, c *Client, method string, args ...any) (T, error) {
	var result T
	v, err := c.Call(ctx, method, args...)
	if err != nil {
		return result, err
	}
	if whole, ok := any(&result).(*superjson.Value); ok {
		*whole = v
		return result, nil
	}
	text := superjson.AppendJSON(nil, v)
	if err := strictjson.UnmarshalLimits(text, &result, strictjson.Limits{MaxBytes: len(text)}); err != nil {
		return result, fmt.Errorf("edge: result of %s: %w", method, err)
	}
	return result, nil
}

// enlist gives a call its id and a place in the queue.
func (c *Client) enlist(method string, args []superjson.Value) (*waiter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls.add(method, args)
}

// waiter is a call that has not been answered. Its value and err may be read once
// answered is closed.
type waiter struct {
	id       string
	text     []byte
	answered chan struct{}
	value    superjson.Value
	err      error
}

func (w *waiter) answer(v superjson.Value, err error) {
	w.value, w.err = v, err
	close(w.answered)
}

// callTable holds the waiting calls and which of them are still to be sent. The
// client's lock guards it.
type callTable struct {
	max     int
	lastID  uint64
	waiting map[string]*waiter
	unsent  []*waiter
	closed  error
	// wake has room for one signal that something is to be sent.
	wake chan struct{}
}

func newCallTable(most int) callTable {
	return callTable{max: most, waiting: make(map[string]*waiter), wake: make(chan struct{}, 1)}
}

func (t *callTable) add(method string, args []superjson.Value) (*waiter, error) {
	if t.closed != nil {
		return nil, t.closed
	}
	if len(t.waiting) >= t.max {
		return nil, ErrTooManyCalls
	}
	t.lastID++
	id := "c" + strconv.FormatUint(t.lastID, 10)
	text, err := Encode(Call{ID: id, Method: method, Args: args})
	if err != nil {
		return nil, err
	}
	w := &waiter{id: id, text: text, answered: make(chan struct{})}
	t.waiting[id] = w
	t.unsent = append(t.unsent, w)
	t.signal()
	return w, nil
}

func (t *callTable) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// take returns the calls to be sent, in order, and counts them as sent.
func (t *callTable) take() []*waiter {
	unsent := t.unsent
	t.unsent = nil
	return unsent
}

// answer resolves or rejects a call. An id nobody waits for belonged to a call whose
// caller has left.
func (t *callTable) answer(id string, v superjson.Value, err error) {
	if w := t.waiting[id]; w != nil {
		delete(t.waiting, id)
		w.answer(v, err)
	}
}

func (t *callTable) forget(w *waiter) {
	delete(t.waiting, w.id)
	t.unsent = slices.DeleteFunc(t.unsent, func(u *waiter) bool { return u == w })
}

func (t *callTable) rejectAll(err error) {
	for _, w := range t.waiting {
		w.answer(nil, err)
	}
	clear(t.waiting)
	t.unsent = nil
}

func (t *callTable) close(err error) {
	t.closed = err
	t.rejectAll(err)
}
