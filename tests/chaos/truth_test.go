package chaos_test

import (
	"cmp"
	"fmt"
	"slices"

	"stele/areyouai"
	agentswitch "stele/switch"
	"stele/tests/chaos"
)

// truth is what everybody should see, as readers see it that begin from nothing.
type truth struct {
	// rooms holds each room's events in order.
	rooms map[string][]chaos.Entry
	over  map[string]bool
}

// after is what a cursor has not seen.
func (tr *truth) after(c *cursor) []delivery {
	number := c.at()
	var out []delivery
	for _, room := range c.rooms {
		for _, e := range tr.rooms[room] {
			n := e.Version
			switch c.line {
			case chaos.Positions:
				n = e.Position
			case chaos.Turns:
				n = e.Turn
			}
			if e.Turn == 0 && c.line != chaos.Versions || n <= number {
				continue
			}
			out = append(out, delivery{n, e.Mark})
		}
	}
	if c.line == chaos.Positions {
		slices.SortFunc(out, func(a, b delivery) int { return cmp.Compare(a.number, b.number) })
	}
	return out
}

// truth reads everything from the beginning, over every protocol, and makes sure that all tell the same.
func (w *world) truth(l *life) (*truth, error) {
	tr := &truth{rooms: map[string][]chaos.Entry{}, over: map[string]bool{}}
	for name, room := range w.rooms {
		if err := w.viewRoom(l, tr, room, name, w.watcher, "viewer", w.viewer.key); err != nil {
			return nil, err
		}
	}
	for _, r := range w.readers {
		if watch, ok := r.(*areyouaiReader); ok && tr.rooms[watch.room] == nil {
			if err := w.viewRoom(l, tr, watch.room, watch.room, watch.agent, watch.agent.id, watch.agent.key); err != nil {
				return nil, err
			}
		}
	}
	return tr, w.placeMessages(l, tr)
}

// viewRoom reads one room from the beginning by history over areyouai and by snapshot over an edge socket.
func (w *world) viewRoom(l *life, tr *truth, room, name string, a areyouaiAgent, edgeAgent, edgeKey string) error {
	client, err := a.client(l)
	if err != nil {
		return err
	}
	history := w.newCursor(fmt.Sprintf("history of %s in run %d", name, w.runs), onAreyouai, chaos.Versions, room)
	history.open()
	for more := true; more; {
		page, err := client.History(l.ctx, room, int64(history.at()), 0)
		if err != nil {
			return fmt.Errorf("history of %s: %w", name, err)
		}
		for _, ev := range page.Items {
			history.got(room, uint64(ev.EventID), ev.Ciphertext)
			e := chaos.Entry{Room: room, Version: uint64(ev.EventID), Mark: ev.Ciphertext}
			if ev.Turn != nil {
				e.Turn = uint64(*ev.Turn) + 1
			}
			tr.over[room] = tr.over[room] || ev.Type == areyouai.EventRoomClosed
			tr.rooms[room] = append(tr.rooms[room], e)
		}
		more = len(page.Items) > 0
	}
	edge := w.newEdgeReader(fmt.Sprintf("snapshot of %s in run %d", name, w.runs), edgeAgent, edgeKey, room)
	if err := edge.connect(l); err != nil {
		return fmt.Errorf("snapshot of %s: %w", name, err)
	}
	// An edge client is told everything before hello, so there is nothing to wait for.
	for _, c := range edge.cursors() {
		fresh := &cursor{line: c.line, rooms: c.rooms}
		if err := c.await(l.ctx, tr.after(fresh)); err != nil {
			return err
		}
	}
	return nil
}

// placeMessages reads the open-floor rooms from the beginning over Switch, which tells the messages' positions.
func (w *world) placeMessages(l *life, tr *truth) error {
	count, rooms := 0, []string{}
	for _, room := range w.rooms {
		rooms = append(rooms, room)
		for _, e := range tr.rooms[room] {
			if e.Turn > 0 {
				count++
			}
		}
	}
	all := w.newSwitchReader(fmt.Sprintf("stream from the beginning in run %d", w.runs), w.viewer, agentswitch.ScopeAll, rooms...)
	all.opts.ConnectionID = "from the beginning"
	if err := all.connect(l); err != nil {
		return err
	}
	got, err := all.cursor.take(l.ctx, count)
	if err != nil {
		return err
	}
	places := map[string]uint64{}
	for _, d := range got {
		places[d.mark] = d.number
	}
	for _, room := range rooms {
		for i, e := range tr.rooms[room] {
			if e.Turn > 0 {
				tr.rooms[room][i].Position = places[e.Mark]
			}
		}
	}
	// In each room the positions must rise as the versions do; the checker sees to that with what this reader recorded.
	return nil
}
