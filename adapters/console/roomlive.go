package console

import (
	"errors"
	"strconv"

	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/internal/sse"
)

// liveEvents is how many events are taken at a time.
const liveEvents = 128

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
		console: c, visit: v, room: sum.ID, out: out, rounds: c.newRounds(out, lookEvery), shown: shownParts{},
		reader: c.node.NewRoomReader(sum.ID, from), typing: c.node.NewTypingReader(sum.ID),
	}
	defer l.reader.Close()
	defer l.typing.Close()
	defer l.rounds.stop()
	err = l.run()
	if errors.Is(err, errOver) {
		err = out.Write(sse.Append(nil, sse.Frame{Event: "over", Data: []byte("signed out")}))
	}
	if err != nil {
		c.log.Debug("live page broke off", zap.String("room", sum.ID), zap.Error(err))
	}
	return nil
}

// roomLive is one open stream of a room. It belongs to its request's goroutine.
type roomLive struct {
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

func (l *roomLive) run() error {
	l.rounds.stale = true
	for {
		if err := l.forward(); err != nil {
			return err
		}
		turn, err := l.rounds.next(l.reader.Wake(), l.typing.Wake())
		switch {
		case err != nil || turn == ended:
			return err
		case turn == due:
			err = l.writeAside()
		case turn == ticked:
			l.rounds.stale = true
		}
		if err != nil {
			return err
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
		l.rounds.stale = true
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
	if err := l.check(); err != nil {
		return err
	}
	now, err := l.console.asideOf(l.out.Context(), l.room)
	if err != nil {
		return err
	}
	now.fit()
	return l.rounds.tell(l.shown, "room", part{"aside", now})
}
