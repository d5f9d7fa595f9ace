package switchfront_test

import (
	"fmt"
	"time"
)

// pass lets time pass while nobody beats.
type pass struct{ d time.Duration }

func (s pass) String() string { return fmt.Sprintf("%v pass without a beat", s.d) }

func (s pass) play(w *world) []refEvent {
	w.endure(s.d)
	return nil
}

// live lets time pass while every client with a stream beats and tells how far it has read. Another one may beat without.
type live struct {
	limping string
	d       time.Duration
}

func (s live) String() string { return fmt.Sprintf("%v pass with everybody beating", s.d) }

func (s live) play(w *world) []refEvent {
	for end := w.now().Add(s.d); w.now().Before(end); {
		for _, conn := range refConns {
			if l := w.listeners[conn]; conn == s.limping || l != nil && !l.stream.ended {
				w.beat(refOwners[conn], conn, int64(w.seen[conn]))
			}
		}
		w.endure(2 * time.Second)
	}
	return nil
}

// die ends the process of a connection: its socket closes, and the others go on until its lease is over.
type die struct{ conn string }

func (s die) String() string { return "the process of " + s.conn + " dies" }

func (s die) play(w *world) []refEvent {
	drop(s).play(w)
	return live{d: refTTL}.play(w)
}

// limp lets a client go on beating without its stream, until that cannot be for longer.
type limp struct{ conn string }

func (s limp) String() string { return s.conn + " loses its stream and goes on beating" }

func (s limp) play(w *world) []refEvent {
	drop(s).play(w)
	w.endure(beatTime)
	return live{limping: s.conn, d: refTTL + 2*time.Second}.play(w)
}

// endure lets time pass in which nothing happens but that connections lapse.
func (w *world) endure(d time.Duration) {
	w.sleep(d)
	w.ref.pass(w.now())
	w.ref.learn(nil, w.now(), w.head())
}
