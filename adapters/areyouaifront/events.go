package areyouaifront

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/areyouai"
	"stele/core"
)

// events serves a room's event stream. Everything that can be refused is refused before the first byte of a 200.
func (f *Front) events(c echo.Context) error {
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
	since, err := areyouai.ParseCursor(query.Get("since"), c.Request().Header.Get("Last-Event-ID"))
	if err != nil {
		return err
	}
	if f.draining() {
		return core.ErrDraining
	}
	if err := f.mayRead(r, since); err != nil {
		return err
	}
	leave, err := f.takeSeat(r)
	if err != nil {
		return err
	}
	defer leave()
	after, err := f.node.HistoryOf(r.id).PositionOf(r.ctx(), uint64(since))
	if err != nil {
		return err
	}
	return f.serveStream(r, after)
}

// takeSeat counts the stream in, under both limits of a member.
func (f *Front) takeSeat(r *request) (leave func(), err error) {
	member, now := r.id+" "+r.cred.Agent, f.node.Now()
	if !f.rates.opensMember.Take(member, now) {
		return nil, refusal(f.rates.opensMember, member, now)
	}
	leave, ok := f.streams.enter(seat{room: r.id, agent: r.cred.Agent})
	if !ok {
		return nil, areyouai.NewError(areyouai.CodeRateLimited)
	}
	return f.auditStream(r, leave), nil
}

// serveStream writes what lies behind the reader's cursor until the client, the session, the membership or the front
// ends.
func (f *Front) serveStream(r *request, after core.Position) error {
	reader := f.node.NewRoomReader(r.id, after)
	reader.Serve(r.cred.Agent, "areyouai", r.id)
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
	defer f.node.Attend(r.cred.Agent, r.id, "areyouai")()
	s := &stream{front: f, request: r, reader: reader, out: es, batch: firstBatch}
	if err := s.run(); err != nil {
		f.audit.add(areyouai.AuditStreamDropped, r.id, map[string]any{"route": areyouai.PathRoomEvents})
		f.brokeOff("event stream", err, zap.String("room", r.id), zap.String("agent", r.cred.Agent))
	}
	return nil
}
