package console

import (
	"errors"
	"strconv"
	"time"

	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/internal/sse"
)

// liveWatch sends what is said in a room to somebody who watches it: "item" for each message, with its version as the id,
// "standing" and "aside" for what stands around the conversation when it has changed, "anew" when the page must be loaded again,
// and "over" when there is nothing to watch any more. While it is open its viewer counts as watching.
func (c *Console) liveWatch(v *visit) error {
	room := v.param("room")
	after, err := sinceOf(v)
	if err != nil {
		return err
	}
	_, refused := c.watchAs(v, room)
	if refused != nil && !is[*watchRefusal](refused) {
		return refused
	}
	out, leave, err := v.streamWithin(func() (func(), bool) { return c.gate.openWatch(v.address(), room) })
	if err != nil {
		return err
	}
	defer leave()
	if refused != nil {
		// The page hears it in the stream: from a refusal a browser learns nothing, and asks again for ever.
		return c.endWatch(v, room, out, refused)
	}
	if after > 0 {
		if _, err = c.eventAt(v.ctx(), room, after); errors.Is(err, errNoPage) {
			// A page from before a backup was put back has what is not in the log any more.
			return out.Write(sse.Append(nil, sse.Frame{Event: "anew", Data: []byte("the log was replaced")}))
		}
		if err != nil {
			return err
		}
	}
	from, err := c.node.HistoryOf(room).PositionOf(v.ctx(), after)
	if err != nil {
		return err
	}
	l := &watchLive{
		console: c, visit: v, room: room, out: out, shown: shownParts{},
		// A viewer is heard of three times in its life at least.
		rounds: c.newRounds(out, max(time.Millisecond, min(lookEvery, c.node.Lives().Viewer/3))),
		reader: c.node.NewRoomReader(room, from), typing: c.node.NewTypingReader(room),
	}
	defer l.reader.Close()
	defer l.typing.Close()
	defer l.rounds.stop()
	if err := l.run(); err != nil {
		c.log.Debug("page of a viewer broke off", zap.String("room", room), zap.Error(err))
	}
	return nil
}

// endWatch says why the stream ends.
func (c *Console) endWatch(v *visit, room string, out *transport.EventStream, refused error) error {
	end := endUnknown
	var r *watchRefusal
	if errors.As(refused, &r) {
		end = r.end
	}
	over, err := c.watchEndOf(v.ctx(), room, end)
	if err != nil {
		return err
	}
	piece, err := c.pages.piece("watch", "watch-end", over)
	if err != nil {
		return err
	}
	return out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: piece}))
}

// watchLive is one open stream of somebody who watches. It belongs to its request's goroutine.
type watchLive struct {
	console *Console
	visit   *visit
	room    string
	out     *transport.EventStream
	reader  *core.Reader
	typing  *core.TypingReader

	rounds  *rounds
	entries []*core.Entry
	shown   shownParts
}

func (l *watchLive) run() error {
	l.rounds.stale = true
	for {
		view, err := l.console.watchAs(l.visit, l.room)
		if is[*watchRefusal](err) {
			return l.console.endWatch(l.visit, l.room, l.out, err)
		}
		if err == nil {
			err = l.forward()
		}
		if err != nil {
			return err
		}
		turn, err := l.rounds.next(l.reader.Wake(), l.typing.Wake())
		switch {
		case err != nil || turn == ended:
			return err
		case turn == due:
			err = l.rounds.tell(l.shown, "watch", part{"standing", view}, part{"aside", view})
		case turn == ticked:
			l.rounds.stale = true
		}
		if err != nil {
			return err
		}
	}
}

// forward writes what was said behind the cursor.
func (l *watchLive) forward() error {
	for {
		var err error
		clear(l.entries)
		if l.entries, err = l.reader.Read(l.out.Context(), liveEvents, l.entries[:0]); err != nil || len(l.entries) == 0 {
			return err
		}
		l.rounds.stale = true
		var b []byte
		for _, e := range l.entries {
			if _, ok := e.Payload.(*core.MessagePostedEvent); !ok {
				continue
			}
			piece, err := l.console.pages.piece("watch", "watch-item", watchItem{item: itemOf(e, "")})
			if err != nil {
				return err
			}
			b = sse.Append(b, sse.Frame{ID: strconv.FormatUint(e.Version, 10), Event: "item", Data: piece})
		}
		if len(b) == 0 {
			continue
		}
		if err := l.out.Write(b); err != nil {
			return err
		}
	}
}
