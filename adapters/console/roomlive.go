package console

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/internal/sse"
)

const (
	// liveEvents is how many events are taken at a time.
	liveEvents = 128
	// asidePace is the least time between two looks at what stands beside the conversation; lookEvery the longest: presence
	// that lapses wakes nobody.
	asidePace = 300 * time.Millisecond
	lookEvery = 2 * time.Second
)

// liveRoom sends what happens in a room, as pieces of its page: "item" for each event, with its version as the id, "aside"
// for all that stands beside the conversation when it has changed, and "over" when the page must be loaded again.
func (c *Console) liveRoom(v *visit) error {
	sum, err := c.roomIn(v)
	if err != nil {
		return err
	}
	since := v.request().Header.Get("Last-Event-ID")
	if since == "" {
		since = v.query("since")
	}
	after, err := version(since)
	if err != nil {
		return err
	}
	if _, err = c.eventAt(v.ctx(), sum.ID, after); err != nil {
		// A page from before a backup was put back has what is not in the log any more: it is over, and loads anew.
		return err
	}
	from, err := c.node.HistoryOf(sum.ID).PositionOf(v.ctx(), after)
	if err != nil {
		return err
	}
	out, leave, err := v.stream()
	if err != nil {
		return err
	}
	defer leave()
	if self := v.user.Agent; self != "" && c.node.IsMember(self, sum.ID) {
		defer c.node.Attend(self, sum.ID, "console")()
	}
	l := &roomLive{
		console: c, visit: v, room: sum.ID, out: out,
		reader: c.node.NewRoomReader(sum.ID, from), typing: c.node.NewTypingReader(sum.ID),
	}
	defer l.reader.Close()
	defer l.typing.Close()
	err = l.run()
	if errors.Is(err, errOver) {
		err = out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("signed out")}))
	}
	if err != nil {
		c.log.Debug("live page broke off", zap.String("room", sum.ID), zap.Error(err))
	}
	return nil
}

// stream begins a live stream of a user. leave ends it.
func (v *visit) stream() (out *transport.EventStream, leave func(), err error) {
	return v.streamWithin(func() (func(), bool) { return v.console.gate.openStream(v.user.ID) })
}

// streamWithin begins a live stream if there is a place for it.
func (v *visit) streamWithin(place func() (leave func(), ok bool)) (out *transport.EventStream, leave func(), err error) {
	c := v.console
	if c.life.Err() != nil {
		return nil, nil, core.ErrDraining
	}
	free, ok := place()
	if !ok {
		return nil, nil, errTooMany
	}
	h := v.echo.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	h.Set(echo.HeaderCacheControl, "no-cache, no-transform")
	v.echo.Response().WriteHeader(http.StatusOK)
	out, err = transport.NewEventStream(v.echo.Response(), v.request(), transport.EventStreamOptions{KeepAlive: c.opts.KeepAlive})
	if err != nil {
		free()
		return nil, nil, err
	}
	return out, func() {
		out.Close()
		free()
	}, nil
}

// listens tells whether a browser's event source asks.
func (v *visit) listens() bool {
	return v.request().Method == http.MethodGet && v.request().Header.Get("Accept") == "text/event-stream"
}

// over answers an event source that there is nothing to follow any more: from a refusal its page would learn nothing, and ask
// again for ever.
func (v *visit) over() error {
	end := sse.Frame{Event: "over", Data: []byte(`<p class="notice">There is nothing to follow here any more.</p>`)}
	return v.echo.Blob(http.StatusOK, "text/event-stream", sse.Append(nil, end))
}

// stillIn tells whether the visitor is signed in still, and learns what it is by now.
func (v *visit) stillIn() bool {
	user, _, ok := v.console.node.AuthenticateUser(sessionOf(v.request()))
	if !ok || user.ID != v.user.ID {
		return false
	}
	v.user = user
	return true
}

// errOver: the visitor may not see any more what the page has.
var errOver = errors.New("the visitor may not see this any more")

// roomLive is one open stream of a room. It belongs to its request's goroutine.
type roomLive struct {
	console *Console
	visit   *visit
	room    string
	out     *transport.EventStream
	reader  *core.Reader
	typing  *core.TypingReader

	entries []*core.Entry
	// shown is the aside that the page has, looked the time of the last look.
	shown  []byte
	looked time.Time
	stale  bool
}

func (l *roomLive) run() error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	var soon <-chan time.Time
	l.stale = true
	for {
		if err := l.forward(); err != nil {
			return err
		}
		if l.stale && soon == nil {
			soon = time.After(max(0, asidePace-time.Since(l.looked)))
		}
		select {
		case <-l.reader.Wake():
		case <-l.typing.Wake():
			l.stale = true
		case <-soon:
			soon = nil
			if err := l.writeAside(); err != nil {
				return err
			}
		case <-ticker.C:
			l.stale = true
			if err := l.check(); err != nil {
				return err
			}
		case <-l.out.Idle():
			if err := l.out.KeepAlive(); err != nil {
				return err
			}
		case <-l.console.life.Done():
			return nil
		case <-l.out.Context().Done():
			return nil
		}
	}
}

// check tells whether the visitor may still see the room. It comes before anything is written, however much waits.
func (l *roomLive) check() error {
	if !l.visit.stillIn() {
		return errOver
	}
	if _, err := l.console.roomIn(l.visit); err != nil {
		return errOver
	}
	return nil
}

// forward writes what lies behind the cursor.
func (l *roomLive) forward() error {
	for {
		var err error
		clear(l.entries)
		if l.entries, err = l.reader.Read(l.out.Context(), liveEvents, l.entries[:0]); err != nil || len(l.entries) == 0 {
			return err
		}
		if err := l.check(); err != nil {
			return err
		}
		l.stale = true
		var b []byte
		purged := false
		for _, e := range l.entries {
			_, purge := e.Payload.(*core.RoomPurgedEvent)
			purged = purged || purge
			piece, err := l.console.pages.piece("room", "item", itemOf(e, l.visit.user.Agent))
			if err != nil {
				return err
			}
			b = sse.Append(b, sse.Frame{ID: strconv.FormatUint(e.Version, 10), Event: "item", Data: piece})
		}
		if err := l.out.Write(b); err != nil {
			return err
		}
		if purged {
			// The page has what was destroyed.
			return errOver
		}
	}
}

// writeAside writes what stands beside the conversation, if it has changed.
func (l *roomLive) writeAside() error {
	l.stale, l.looked = false, time.Now()
	now, err := l.console.asideOf(l.out.Context(), l.room)
	if err != nil {
		return err
	}
	now.fit()
	piece, err := l.console.pages.piece("room", "aside", now)
	if err != nil || bytes.Equal(piece, l.shown) {
		return err
	}
	l.shown = piece
	return l.out.Write(sse.Append(nil, sse.Frame{Event: "aside", Data: piece}))
}
