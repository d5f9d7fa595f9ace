package areyouaifront

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/areyouai"
	"stele/core"
)

// agentStream is one open agent stream. It belongs to one goroutine at a time: that of the request that opened it, then
// that of its present turn. Between the turns it is this and little more.
type agentStream struct {
	front  *Front
	cred   core.Credential
	reader *core.InboxReader
	// out is set when the response has begun. Whoever applies events wakes the stream through it.
	out atomic.Pointer[transport.EventStream]
	// stopDrain ends the wake-up by the front's end, and leave gives the stream's place back.
	stopDrain func() bool
	leave     func()
	// absent takes back that the agent is there; nil before that was said.
	absent func()
	// judged is when the session is looked at next.
	judged time.Time
}

// serveAgentStream opens an agent stream. What becomes of the cursor is decided before the first byte of the 200, and told
// in the first frame. It comes back when the stream has ended, or at once when that does not need the request any more.
func (f *Front) serveAgentStream(c echo.Context) error {
	r, err := newRequest(c)
	if err != nil {
		return err
	}
	if r.cred, err = f.session(c); err != nil {
		return err
	}
	query, err := r.query()
	if err != nil {
		return err
	}
	if f.draining() {
		return core.ErrDraining
	}
	leave, err := f.takeAgentPlace(r)
	if err != nil {
		return err
	}
	cursor := areyouai.ParseDeliveryCursor(query.Get("last_delivery_id"), c.Request().Header.Get("Last-Event-ID"))
	status := f.resume(r.cred.Agent, cursor)
	s, attended := f.newAgentStream(r.cred, leave), false
	defer func() {
		if !attended {
			s.Ended()
		}
	}()
	out, err := s.begin(c, status, cursor)
	if err != nil {
		return err
	}
	if status == areyouai.ResumeReplayRequired {
		f.metrics.replayRequired()
		out.Close()
		return nil
	}
	attended = true
	s.absent = f.node.Attend(r.cred.Agent, "", "areyouai")
	out.Attend(s)
	return nil
}

// resume decides what becomes of a client's cursor (areyouai: agent stream, resume decision).
func (f *Front) resume(agent, cursor string) areyouai.ResumeStatus {
	switch {
	case cursor == "":
		return areyouai.ResumeFresh
	case f.node.Acknowledged(agent, cursor):
		return areyouai.ResumeOK
	}
	return areyouai.ResumeReplayRequired
}

func (f *Front) newAgentStream(cred core.Credential, leave func()) *agentStream {
	s := &agentStream{front: f, cred: cred, leave: leave, judged: time.Now().Add(f.opts.Reauth)}
	s.reader = f.node.NewInboxReaderFunc(cred.Agent, s.wake)
	s.stopDrain = context.AfterFunc(f.life, s.wake)
	return s
}

// begin starts the response with the frames that every stream begins with.
func (s *agentStream) begin(c echo.Context, status areyouai.ResumeStatus, cursor string) (*transport.EventStream, error) {
	agent := s.cred.Agent
	frames := []areyouai.AgentFrame{areyouai.NewStreamHello(agent, status, cursor, s.front.node.Now())}
	if status == areyouai.ResumeReplayRequired {
		frames = append(frames, areyouai.NewReplayRequired(agent))
	}
	first := []byte(areyouai.StreamPreamble)
	for _, frame := range frames {
		var err error
		if first, err = areyouai.AppendAgentFrame(first, frame); err != nil {
			return nil, err
		}
	}
	areyouai.SetStreamHeaders(c.Response().Header())
	c.Response().WriteHeader(http.StatusOK)
	out, err := transport.NewEventStream(c.Response(), c.Request(), transport.EventStreamOptions{
		KeepAlive: s.front.opts.KeepAlive, Comment: "keepalive", ProgressTimeout: s.front.opts.ProgressTimeout,
	})
	if err != nil {
		return nil, err
	}
	if err := out.Write(first); err != nil {
		out.Close()
		return nil, err
	}
	s.out.Store(out)
	return out, nil
}

// wake makes another turn due. What comes before the response has begun is seen by the first one.
func (s *agentStream) wake() {
	if out := s.out.Load(); out != nil {
		out.Wake()
	}
}

// Ended implements [transport.Attendant].
func (s *agentStream) Ended() {
	if s.absent != nil {
		s.absent()
	}
	s.stopDrain()
	s.reader.Close()
	s.leave()
}

// Turn implements [transport.Attendant]. No handler is around it that would catch a panic.
func (s *agentStream) Turn(ctx context.Context) (next time.Time, ok bool) {
	out := s.out.Load()
	defer func() {
		if v := recover(); v != nil {
			s.front.log.Error("agent stream panicked", zap.String("agent", s.cred.Agent), zap.Any("panic", v), zap.Stack("stack"))
			out.Abort()
			next, ok = time.Time{}, false
		}
	}()
	out.Pace()
	if err := s.turn(ctx, out); err != nil {
		if !errors.Is(err, errOver) && ctx.Err() == nil {
			s.front.brokeOff("agent stream", err, zap.String("agent", s.cred.Agent))
		}
		return time.Time{}, false
	}
	if silent := out.SilentAt(); silent.Before(s.judged) {
		return silent, true
	}
	return s.judged, true
}

// turn writes what waits and was not written here yet.
func (s *agentStream) turn(ctx context.Context, out *transport.EventStream) error {
	if ctx.Err() != nil || s.front.draining() {
		return errOver
	}
	buf := s.front.buffers.Get()
	defer s.front.buffers.Put(buf)
	waiting := s.reader.Next(ctx)
	// Asked after the deliveries were taken: none goes to whoever holds a dead key.
	if !s.stillAllowed(ctx) {
		return s.farewell(out, *buf)
	}
	var err error
	written := 0
	for i := range waiting {
		if *buf, err = areyouai.AppendAgentFrame(*buf, deliveryFrame(s.cred.Agent, &waiting[i])); err != nil {
			return err
		}
		if len(*buf) < batchBytes && i < len(waiting)-1 {
			continue
		}
		if err := out.Write(*buf); err != nil {
			return err
		}
		s.front.metrics.emitted(waiting[written : i+1])
		written = i + 1
		*buf = (*buf)[:0]
	}
	if !time.Now().Before(out.SilentAt()) {
		return out.KeepAlive()
	}
	return nil
}

// farewell tells the client that its session ended, which is the last thing that the stream says.
func (s *agentStream) farewell(out *transport.EventStream, buf []byte) error {
	buf, err := areyouai.AppendAgentFrame(buf, areyouai.NewReloginRequired(s.cred.Agent))
	if err != nil {
		return err
	}
	return errors.Join(out.Write(buf), errOver)
}

// stillAllowed tells whether the session holds: whether its key does at every turn, and the session itself at the
// protocol's pace.
func (s *agentStream) stillAllowed(ctx context.Context) bool {
	if !s.front.node.KeyStands(s.cred) {
		return false
	}
	now := time.Now()
	if now.Before(s.judged) {
		return true
	}
	s.judged = now.Add(s.front.opts.Reauth)
	if err := s.front.catchUp(ctx); err != nil {
		s.front.log.Debug("agent stream was judged by what this node knows", zap.Error(err))
	}
	return s.front.node.StillValid(s.cred)
}
