package core

import (
	"sync"
	"time"
)

// trafficMinutes is how far back the traffic is known.
const trafficMinutes = 60

// Traffic is what was said at the gateway in the last hour, in memory only: see Since.
type Traffic struct {
	// At is when it was looked at: the last of Messages is the minute in which that was, the first one 59 minutes before.
	At time.Time
	// Since is from when on every message is counted, zero when that is longer ago than an hour.
	Since time.Time
	// Messages counts what was posted, by the minute of the events' own times: what came with an imported room counts where
	// it was said.
	Messages [trafficMinutes]int
	// GivenUp counts the callbacks of webhooks that were given up in the same minutes.
	GivenUp int
}

// traffic counts what passes the tail, by the minute. It is not stored: after a start it knows what the tail applies again.
type traffic struct {
	mu    sync.Mutex
	since time.Time
	// whole: the tail began at the beginning of the log. begun: it has brought something.
	whole, begun bool
	minutes      [trafficMinutes]minute
}

// minute counts one minute; at is its number since 1970.
type minute struct {
	at                int64
	messages, givenUp int
}

// start says where the tail begins.
func (t *traffic) start(after Position, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since, t.whole = now, after == 0
}

// note counts a batch. The tail calls it.
func (t *traffic) note(batch []Recorded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range batch {
		rec := &batch[i]
		if !t.begun {
			t.begun = true
			if rec.At.Before(t.since) {
				t.since = rec.At
			}
		}
		switch rec.Kind {
		case MessagePosted:
			t.add(rec.At, 1, 0)
		case WebhookSettled:
			if e, ok := rec.Payload.(*WebhookSettledEvent); ok && e.Outcome == WebhookDead {
				t.add(rec.At, 0, 1)
			}
		}
	}
}

// add counts in the minute of a time, unless a later one has its place already; t.mu is held.
func (t *traffic) add(at time.Time, messages, givenUp int) {
	number := at.Unix() / 60
	m := &t.minutes[number%trafficMinutes]
	if number < m.at {
		return
	}
	if number > m.at {
		*m = minute{at: number}
	}
	m.messages += messages
	m.givenUp += givenUp
}

// Traffic tells what was said in the last hour, as far as this node has seen it.
func (n *Node) Traffic() Traffic {
	now := n.now()
	out := Traffic{At: now}
	t := &n.traffic
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.whole && t.since.After(now.Add(-trafficMinutes*time.Minute)) {
		out.Since = t.since
	}
	last := now.Unix() / 60
	for i := range out.Messages {
		number := last - trafficMinutes + 1 + int64(i)
		if m := t.minutes[number%trafficMinutes]; m.at == number {
			out.Messages[i] = m.messages
			out.GivenUp += m.givenUp
		}
	}
	return out
}
