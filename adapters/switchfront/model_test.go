package switchfront_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestStreamsFollowTheReference lets agents open, drop, reopen, steal, claim, leave, beat, talk and fall silent as they
// like, in simulated time, and holds every answer and every frame against a plain reference of the protocol: who must
// receive what. One event never reaches two claimants of a room (Exclusive); nothing is lost to whoever covers it when it
// is written, nothing comes twice or out of order (Gapless, Once, Ordered), nothing reaches the lapsed; a stream parks, is
// told of claims, of gaps and of its end exactly when it must (Honest), and a client that comes back goes on where it was
// (Resumable).
//
// A run is the same for the same seed: -rapid.seed repeats one, -rapid.checks asks for more.
func TestStreamsFollowTheReference(t *testing.T) { followTheReference(t, plans(steps(), 6)) }

// TestClaimsAtOnce lets all sessions of an agent take a room at the same moment: the answers, the claims and what is
// delivered afterwards are those of some order, with one holder at its end (Exclusive). Who wins is up to the scheduler.
func TestClaimsAtOnce(t *testing.T) { followTheReference(t, plans(rushes(), 1)) }

func followTheReference(t *testing.T, plans *rapid.Generator[plan]) {
	rapid.Check(t, func(t *rapid.T) {
		o := worldOptions{sweeps: rapid.Bool().Draw(t, "sweeps"), plain: rapid.Bool().Draw(t, "plain")}
		p := plans.Draw(t, "plan")
		rapid.SyncTest(t, func(t *rapid.T) {
			w := newWorld(t, o)
			for i, s := range p {
				w.tell("%2d. %v", i+1, s)
				w.play(s)
			}
		})
	})
}

// play takes one step and waits until every stream has come to rest. The reference moves along.
func (w *world) play(s step) {
	expected := s.play(w)
	happened := w.observed()
	same := slices.EqualFunc(expected, happened, func(a, b refEvent) bool {
		return a.room == b.room && a.kind == b.kind && a.who == b.who && a.text == b.text
	})
	w.law(same, "what was accepted is in the log, once, and nothing else", "%+v, wanted %+v", happened, expected)
	w.ref.learn(happened, w.now(), w.head())
	w.rest()
	w.ref.deliver(w.head())
	w.ref.pass(w.now())
	w.ref.learn(nil, w.now(), w.head())
	w.hear()
	for _, agent := range refAgents {
		for _, room := range refRooms {
			is, must := string(w.node.Presence(w.ids[agent], w.ids[room])), w.ref.presence(agent, room)
			w.law(is == must, "presence follows claims and leases", "%s in %s is %s, wanted %s", agent, room, is, must)
		}
	}
}

// hear compares what the clients got with what they must get.
func (w *world) hear() {
	w.t.Helper()
	for _, conn := range refConns {
		l := w.listeners[conn]
		if l == nil {
			continue
		}
		if l.stream.ended {
			w.retire(conn)
		} else if !l.away {
			w.compare(l)
		}
	}
	for _, l := range w.ending {
		w.compare(l)
		l.cancel()
	}
	w.ending = nil
}

// retire puts a stream that must end aside until it has.
func (w *world) retire(conn string) {
	w.ending = append(w.ending, w.listeners[conn])
	delete(w.listeners, conn)
}
