package areyouaifront

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/areyouai"
	"stele/core"
)

// viewerRecheck is how often an open stream makes sure that its viewer is still there: half of the time after which one
// that is not heard of is gone, at most 10 s (areyouai: streams, re-auth) and not more often than a ticker can be asked for.
func (f *Front) viewerRecheck() time.Duration {
	return max(min(f.node.Lives().Viewer/2, 10*time.Second, f.opts.Reauth), time.Millisecond)
}

// viewerEvents serves a viewer's stream. Opening it is no sign of life: the page sends those by themselves.
func (f *Front) viewerEvents(c echo.Context) error {
	r, err := newRequest(c)
	if err != nil {
		return err
	}
	token, ok := areyouai.ParseBearer(c.Request().Header.Get(echo.HeaderAuthorization))
	if !ok {
		return areyouai.NewError(areyouai.CodeUnauthorized)
	}
	if err := f.catchUp(r.ctx()); err != nil {
		return err
	}
	if err := f.timePasses(r); err != nil {
		return err
	}
	if err := f.node.CheckViewer(r.id, token); err != nil {
		return err
	}
	if sum, _ := f.node.Room(r.id); !live(sum.State) {
		return &core.RoomNotActiveError{Room: r.id, State: sum.State}
	}
	if f.draining() {
		return core.ErrDraining
	}
	leave, err := f.takeViewerPlace(r)
	if err != nil {
		return err
	}
	defer leave()
	return f.serveViewer(r, token)
}

// live tells whether there is something to watch in a room, or soon will be: who joins before the other agent does waits.
func live(s core.RoomState) bool { return s == core.StateOpen || s == core.StateActive }

func (f *Front) serveViewer(r *request, token string) error {
	reader := f.node.NewTypingReader(r.id)
	defer reader.Close()
	areyouai.SetStreamHeaders(r.Response().Header())
	r.Response().WriteHeader(http.StatusOK)
	es, err := transport.NewEventStream(r.Response(), r.Request(), transport.EventStreamOptions{
		KeepAlive: f.opts.KeepAlive, Comment: "keepalive", ProgressTimeout: f.opts.ProgressTimeout,
	})
	if err != nil {
		return err
	}
	defer es.Close()
	s := &viewerStream{front: f, request: r, token: token, reader: reader, out: es, shown: map[string]core.Typing{}}
	if err := s.run(); err != nil {
		f.audit.add(areyouai.AuditStreamDropped, r.id, map[string]any{"route": areyouai.PathRoomViewerEvents})
		f.brokeOff("viewer stream", err, zap.String("room", r.id))
	}
	return nil
}

// viewerStream is one open stream of a viewer. It belongs to its request's goroutine.
type viewerStream struct {
	front   *Front
	request *request
	token   string
	reader  *core.TypingReader
	out     *transport.EventStream
	// shown are those of whom the viewer knows that they write.
	shown map[string]core.Typing
}

// run serves the stream until its client, its viewer, the room or the front ends. It returns an error only when something
// broke.
func (s *viewerStream) run() error {
	f := s.front
	err := s.out.Write([]byte(areyouai.StreamPreamble))
	recheck := time.NewTicker(f.viewerRecheck())
	defer recheck.Stop()
	over := time.NewTimer(0)
	defer over.Stop()
	for err == nil {
		sum, _ := f.node.Room(s.request.id)
		until, werr := s.show(live(sum.State))
		if werr != nil || !live(sum.State) || f.node.CheckViewer(s.request.id, s.token) != nil {
			err = werr
			break
		}
		if !until.IsZero() {
			over.Reset(until.Sub(f.node.Now()))
		}
		select {
		case <-s.reader.Wake():
		case <-over.C:
		case <-recheck.C:
			err = f.timePasses(s.request)
		case <-s.out.Idle():
			err = s.out.KeepAlive()
		case <-f.life.Done():
			return nil
		case <-f.node.Done():
			return nil
		case <-s.out.Context().Done():
			return nil
		}
	}
	if s.out.Context().Err() != nil {
		return nil
	}
	return err
}

// show writes what changed since it was last called, and returns when the first of those who write will have stopped
// unless they go on. In a room that is not live nobody writes.
func (s *viewerStream) show(live bool) (until time.Time, err error) {
	who, until := s.reader.Now()
	if !live {
		clear(who)
	}
	room, now := s.request.id, s.front.node.Now()
	var frames []areyouai.TypingFrame
	for agent := range s.shown {
		if _, still := who[agent]; !still {
			frames = append(frames, areyouai.NewTypingStop(room, agent, now))
		}
	}
	for agent, t := range who {
		if s.shown[agent] != t {
			frames = append(frames, areyouai.NewTypingStart(room, agent, t.At, t.Until.Sub(t.At)))
		}
	}
	s.shown = who
	if len(frames) == 0 {
		return until, nil
	}
	var out []byte
	for _, frame := range frames {
		if out, err = areyouai.AppendTypingFrame(out, frame); err != nil {
			return until, err
		}
	}
	return until, s.out.Write(out)
}
