package areyouaifront

import (
	"context"
	"encoding/json"
	"net/http"

	"stele/areyouai"
	"stele/core"
)

// page is a reply of the history. Its items are the objects of the stream's frames as they are.
type page struct {
	RoomID    string            `json:"room_id"`
	Items     []json.RawMessage `json:"items"`
	NextSince int64             `json:"next_since"`
}

// maxPageBytes ends a page early. No page of messages that were posted through this door reaches it; other doors let in
// longer ones, and 200 of those would be too much to hold at a time.
const maxPageBytes = 16 << 20

// history returns a page of a room's events. Members read it until the room is purged, also after it closed.
func (f *Front) history(r *request) (int, any, error) {
	values, err := r.query()
	if err != nil {
		return 0, nil, err
	}
	q, err := f.opts.Sizes.ParseHistoryQuery(values)
	if err != nil {
		return 0, nil, err
	}
	if err := f.mayRead(r, q.Since); err != nil {
		return 0, nil, err
	}
	out, err := f.page(r.ctx(), r.id, q)
	return http.StatusOK, out, err
}

func (f *Front) page(ctx context.Context, room string, q areyouai.HistoryQuery) (page, error) {
	out := page{RoomID: room, Items: []json.RawMessage{}, NextSince: q.Since}
	size := 0
	for e, err := range f.node.HistoryOf(room).After(ctx, uint64(q.Since)) {
		if err != nil {
			return page{}, err
		}
		frame := f.frameOf(e)
		if frame == nil {
			continue
		}
		out.Items = append(out.Items, objectOf(frame))
		out.NextSince = int64(e.Version)
		if size += len(frame); len(out.Items) == q.Limit || size >= maxPageBytes {
			break
		}
	}
	return out, nil
}

// mayRead checks that the caller may read the room's events after one of them (areyouai: events/history, order of the
// errors).
func (f *Front) mayRead(r *request, since int64) error {
	var refused error
	err := f.node.ViewRoom(r.ctx(), r.id, func(room *core.Room) {
		switch {
		case room.State == core.StatePurged:
			refused = &core.RoomNotActiveError{Room: room.ID, State: room.State}
		case room.Members[r.cred.Agent] == nil:
			refused = core.ErrNotMember
		case since > 0 && !room.HasVersion(uint64(since)):
			// Also an event that was lost when a backup was restored: what came instead must not be taken for its sequel.
			refused = areyouai.InvalidRequest("The event to continue after is not an event of this room. Start again without it.")
		}
	})
	if err != nil {
		return err
	}
	return refused
}
