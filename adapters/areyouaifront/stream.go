package areyouaifront

import (
	"errors"
	"os"
	"time"

	"stele/adapters/transport"
	"stele/areyouai"
	"stele/core"
)

// Bounds of what a stream gathers before it writes. A stream of long messages takes fewer of them at a time, so that a
// reader that takes nothing holds about batchBytes and not a batch of the longest.
const (
	maxBatch   = 256
	firstBatch = 32
	minBatch   = 4
	batchBytes = 256 << 10
)

// errOver ends a stream in an orderly way.
var errOver = errors.New("stream is over")

// stream is one open event stream. It belongs to its request's goroutine.
type stream struct {
	front   *Front
	request *request
	reader  *core.Reader
	out     *transport.EventStream
	// batch is how many entries are taken at a time.
	batch int
}

// run serves the stream to its end. It returns an error only when something broke, not when somebody left.
func (s *stream) run() error {
	if err := s.out.Write([]byte(areyouai.StreamPreamble)); err != nil {
		return err
	}
	reauth := time.NewTicker(s.front.opts.Reauth)
	defer reauth.Stop()
	for {
		s.out.Pace()
		caughtUp, err := s.forward()
		if err == nil && caughtUp {
			err = s.wait(reauth.C)
		} else if err == nil {
			err = s.poll(reauth.C)
		}
		// A reader that takes nothing is cut, which ends its request as well: that is no client that left.
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		if errors.Is(err, errOver) || s.out.Context().Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// wait blocks until there may be something to do.
func (s *stream) wait(reauth <-chan time.Time) error {
	select {
	case <-s.reader.Wake():
		return nil
	case <-s.out.Idle():
		return s.out.KeepAlive()
	case <-reauth:
		return s.stillAllowed()
	case <-s.front.life.Done():
	case <-s.front.node.Done():
	case <-s.out.Context().Done():
	}
	return errOver
}

// poll does what wait does for a stream with more to write: it looks whether it must end.
func (s *stream) poll(reauth <-chan time.Time) error {
	select {
	case <-reauth:
		return s.stillAllowed()
	case <-s.front.life.Done():
		return errOver
	default:
		return nil
	}
}

// stillAllowed makes sure that session and membership hold.
func (s *stream) stillAllowed() error {
	if _, err := s.front.session(s.request); err != nil || !s.front.node.IsMember(s.request.cred.Agent, s.request.id) {
		return errOver
	}
	return nil
}

// forward gathers what lies behind the cursor and writes it at once.
func (s *stream) forward() (caughtUp bool, err error) {
	entries, err := s.reader.Read(s.out.Context(), s.batch, nil)
	if err != nil || len(entries) == 0 {
		return true, err
	}
	if !s.front.node.KeyStands(s.request.cred) {
		return false, errOver
	}
	buf := s.front.buffers.Get()
	defer s.front.buffers.Put(buf)
	left := false
	for _, e := range entries {
		*buf = append(*buf, s.front.frameOf(e)...)
		if left = s.leaves(e); left {
			break
		}
	}
	s.resize(len(entries), len(*buf))
	if len(*buf) > 0 {
		err = s.out.Write(*buf)
	}
	if err == nil && left {
		err = errOver
	}
	return false, err
}

// leaves tells whether the event ends the reader's membership for good: what follows is not for it.
func (s *stream) leaves(e *core.Entry) bool {
	p, ok := e.Payload.(*core.MemberLeftEvent)
	return ok && p.Agent == s.request.cred.Agent && !s.front.node.IsMember(p.Agent, s.request.id)
}

// resize fits the number of entries taken at a time to how long they were.
func (s *stream) resize(entries, bytes int) {
	each := max(bytes/entries, 1)
	s.batch = min(max(batchBytes/each, minBatch), maxBatch)
}
