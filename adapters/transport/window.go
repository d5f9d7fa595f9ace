package transport

import (
	"container/list"
	"sync"
	"time"
)

// MaxWindowKeys bounds how many keys a window remembers. When there are more at a time, those that were not heard of for
// longest begin anew.
const MaxWindowKeys = 16 << 10

// Window counts events per key over a span of time that ends now, exactly. It is safe for concurrent use and holds at
// most limit times for each of MaxWindowKeys keys.
type Window struct {
	limit int
	span  time.Duration

	mu   sync.Mutex
	keys map[string]*list.Element
	// recent holds the *tally of every key, the one counted last in front.
	recent list.List
}

// tally are the times of a key's events, oldest first, in Unix milliseconds.
type tally struct {
	key string
	at  []int64
}

// NewWindow returns a window that allows limit events of a key per span; 0: any number.
func NewWindow(limit int, span time.Duration) *Window {
	return &Window{limit: limit, span: span, keys: map[string]*list.Element{}}
}

// Take counts an event, unless there were as many as are allowed.
func (w *Window) Take(key string, now time.Time) bool {
	if w.limit <= 0 {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.keys[key]
	if e == nil {
		w.forget(now)
		e = w.recent.PushFront(&tally{key: key})
		w.keys[key] = e
	}
	t := e.Value.(*tally)
	if w.count(t, now) >= w.limit {
		return false
	}
	t.at = append(t.at, now.UnixMilli())
	w.recent.MoveToFront(e)
	return true
}

// Wait tells how long it takes until the key has a place again, if nothing else is counted meanwhile; 0: it has one now.
func (w *Window) Wait(key string, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.keys[key]
	if w.limit <= 0 || e == nil {
		return 0
	}
	t := e.Value.(*tally)
	n := w.count(t, now)
	if n < w.limit {
		return 0
	}
	return time.UnixMilli(t.at[n-w.limit]).Add(w.span).Sub(now)
}

// GiveBack takes an event out of the count again.
func (w *Window) GiveBack(key string, at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.keys[key]
	if e == nil {
		return
	}
	t := e.Value.(*tally)
	for i := len(t.at) - 1; i >= 0; i-- {
		if t.at[i] == at {
			t.at = append(t.at[:i], t.at[i+1:]...)
			return
		}
	}
}

// count drops what has left the span and counts the rest.
func (w *Window) count(t *tally, now time.Time) int {
	begin := now.Add(-w.span).UnixMilli()
	old := 0
	for old < len(t.at) && t.at[old] <= begin {
		old++
	}
	if old > 0 {
		t.at = append(t.at[:0], t.at[old:]...)
	}
	return len(t.at)
}

// forget makes room for one more key: it drops those with nothing in the span, from the one that is silent for longest.
func (w *Window) forget(now time.Time) {
	for e := w.recent.Back(); e != nil; e = w.recent.Back() {
		t := e.Value.(*tally)
		if w.count(t, now) > 0 && len(w.keys) < MaxWindowKeys {
			return
		}
		w.recent.Remove(e)
		delete(w.keys, t.key)
	}
}
