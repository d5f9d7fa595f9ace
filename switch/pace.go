package agentswitch

import "time"

// backoff draws each wait from all of a step that doubles from MinBackoff to
// MaxBackoff (full jitter), so that clients which failed together come back
// apart.
type backoff struct {
	step   time.Duration
	random func() float64
}

func (b *backoff) next() time.Duration {
	b.step = min(max(2*b.step, MinBackoff), MaxBackoff)
	return time.Duration(b.random() * float64(b.step))
}

func (b *backoff) reset() { b.step = 0 }

// ending tells how an attempt ended.
type ending struct {
	err    error
	raw    []byte // of the frame that was not understood
	broken bool   // refused or broken, in contrast to ended by the other side
	lived  time.Duration
}

// maxChurn is how many streams in a row may end within MinBackoff before the
// next open waits. Two holders of one id would otherwise evict each other as
// fast as they can.
const maxChurn = 3

// pacer says how long to wait before a stream is opened again: not at all
// after a clean end, and by the backoff after a failure or a storm of ends.
type pacer struct {
	backoff backoff
	churn   int
}

func (p *pacer) delay(end ending) time.Duration {
	if end.lived >= MinBackoff {
		p.churn = 0
		p.backoff.reset()
	} else if !end.broken {
		p.churn++
	}
	if end.broken || p.churn > maxChurn {
		return p.backoff.next()
	}
	return 0
}
