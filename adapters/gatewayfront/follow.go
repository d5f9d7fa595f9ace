package gatewayfront

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/internal/sse"
	"stele/internal/strictjson"
)

// batchEntries is how many events are taken at a time, batchBytes after how many bytes a write is made although there are more.
const (
	batchEntries = 64
	batchBytes   = 256 << 10
)

// errOver ends a stream in an orderly way.
var errOver = errors.New("stream is over")

// follow shows the room's events after a version, and then each one as it happens.
func (f *Front) follow(c echo.Context, v view, after uint64) error {
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	v.now = func(use func(*core.Room)) error {
		return f.node.ViewRoom(c.Request().Context(), v.room.ID, use)
	}
	w, err := newWriter(v)
	if err != nil {
		return err
	}
	leave, err := f.enter(c, v.looker)
	if err != nil {
		return err
	}
	defer leave()
	room := v.room.ID
	unpin, err := f.node.PinRoom(c.Request().Context(), room)
	if err != nil {
		return err
	}
	defer unpin()
	from, err := f.node.HistoryOf(room).PositionOf(c.Request().Context(), after)
	if err != nil {
		return err
	}
	reader := f.node.NewRoomReader(room, from)
	defer reader.Close()
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, typeEventStream)
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	out, err := transport.NewEventStream(c.Response(), c.Request(), transport.EventStreamOptions{
		KeepAlive: f.opts.KeepAlive, ProgressTimeout: f.opts.ProgressTimeout,
	})
	if err != nil {
		return err
	}
	s := &following{front: f, ctx: c, writer: w, reader: reader, out: out}
	whole := false
	defer func() {
		if whole {
			out.Close()
			return
		}
		// What broke in the middle must not look like an end.
		out.Abort()
	}()
	if err := s.run(); err != nil {
		f.log.Warn("stream of a room broke off", zap.String("room", room), zap.Error(err))
		return nil
	}
	whole = true
	return nil
}

// enter counts a stream in.
func (f *Front) enter(c echo.Context, l looker) (leave func(), err error) {
	if f.life.Err() != nil {
		return nil, core.ErrDraining
	}
	ip := transport.ClientIP(c.Request())
	leavePlace, ok := f.places.Enter(ip)
	if !ok {
		return nil, refuse(CodeTooMany, "too many streams are open from this address")
	}
	leaveCaller, ok := f.callers.Enter(l.key(ip))
	if !ok {
		leavePlace()
		return nil, refuse(CodeTooMany, "this caller has too many streams open")
	}
	return func() {
		leaveCaller()
		leavePlace()
	}, nil
}

// following is one open stream. It belongs to its request's goroutine.
type following struct {
	front  *Front
	ctx    echo.Context
	writer *writer
	reader *core.Reader
	out    *transport.EventStream
	// entries is used again for each batch.
	entries []*core.Entry
}

// run serves the stream to its end. It returns an error only when something broke.
func (s *following) run() error {
	recheck := time.NewTicker(s.front.opts.Recheck)
	defer recheck.Stop()
	for {
		s.out.Pace()
		caughtUp, err := s.forward()
		if err == nil {
			err = s.await(recheck.C, caughtUp)
		}
		if errors.Is(err, errOver) || s.out.Context().Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// await waits until there may be something to do; with more to write it only looks whether the stream is to end.
func (s *following) await(recheck <-chan time.Time, caughtUp bool) error {
	if !caughtUp {
		select {
		case <-recheck:
			return s.stillMay()
		case <-s.front.life.Done():
			return errOver
		default:
			return nil
		}
	}
	select {
	case <-s.reader.Wake():
		return nil
	case <-s.out.Idle():
		return s.out.KeepAlive()
	case <-recheck:
		return s.stillMay()
	case <-s.front.life.Done():
	case <-s.out.Context().Done():
	}
	return errOver
}

func (s *following) stillMay() error {
	if !s.front.stillMay(s.ctx, s.writer.looker) {
		return errOver
	}
	return nil
}

// forward writes what lies behind the cursor.
func (s *following) forward() (caughtUp bool, err error) {
	clear(s.entries)
	if s.entries, err = s.reader.Read(s.out.Context(), batchEntries, s.entries[:0]); err != nil || len(s.entries) == 0 {
		return true, err
	}
	if !s.front.stands(s.writer.looker) {
		return false, errOver
	}
	buf := s.front.buffers.Get()
	defer s.front.buffers.Put(buf)
	for _, e := range s.entries {
		if *buf, err = s.append(*buf, e); err != nil {
			return false, err
		}
		over := s.ends(e)
		if over || len(*buf) >= batchBytes {
			if err := s.out.Write(*buf); err != nil {
				return false, err
			}
			*buf = (*buf)[:0]
		}
		if over {
			return false, errOver
		}
	}
	if len(*buf) > 0 {
		err = s.out.Write(*buf)
	}
	return false, err
}

func (s *following) append(dst []byte, e *core.Entry) ([]byte, error) {
	item, _, err := s.writer.item(e)
	if err != nil {
		return dst, err
	}
	data, err := strictjson.Marshal(item)
	if err != nil {
		return dst, err
	}
	return sse.Append(dst, sse.Frame{ID: strconv.FormatUint(e.Version, 10), Data: data}), nil
}

// ends tells whether nothing that follows the event is for this looker: it left, or the content was destroyed.
func (s *following) ends(e *core.Entry) bool {
	switch p := e.Payload.(type) {
	case *core.MemberLeftEvent:
		l := s.writer.looker
		return p.Agent == l.agent && l.agent != "" && !s.front.node.IsMember(l.agent, l.room.ID)
	case *core.RoomPurgedEvent:
		return true
	}
	return false
}
