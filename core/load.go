package core

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"stele/internal/strictjson"
)

// roomFormat and indexFormat are the versions of the snapshots' encodings; a snapshot of another one is ignored.
const (
	roomFormat  = 2
	indexFormat = 4
	// roomSnapshotEvery is how many events a room in use gets between two of its snapshots.
	roomSnapshotEvery = 2_000
)

// roomSnapshot is what is stored of a room.
type roomSnapshot struct {
	Room     *Room              `json:"room"`
	Marks    marks              `json:"marks"`
	Receipts map[string]Receipt `json:"receipts,omitempty"`
}

// roomCell brings a room into memory and pins it there; the caller unpins it. A room that does not exist yet is an empty
// one, ready to be created.
func (n *Node) roomCell(ctx context.Context, id string) (*cell[*Room], error) {
	n.mu.Lock()
	c := n.rooms[id]
	if c == nil {
		c = newCell(n, RoomStream(id), &Room{}, 0)
		c.loading = true
		n.rooms[id] = c
		if !n.spawn(func() { n.loadRoom(id, c) }) {
			delete(n.rooms, id)
			n.mu.Unlock()
			return nil, ErrDraining
		}
	}
	c.pins.Add(1)
	n.mu.Unlock()
	if err := c.awaitReady(ctx); err != nil {
		c.unpin()
		return nil, err
	}
	return c, nil
}

// snapshotLimits bound a stored snapshot. It grows with what the node knows, and was written by it. The shared state of a
// room alone may be as deep as its own limit.
var snapshotLimits = strictjson.Limits{MaxBytes: 1 << 30, MaxDepth: 64 + maxSharedDepth}

// loadRoom folds a room from its snapshot and the log. What the tail brings meanwhile waits in the cell.
func (n *Node) loadRoom(id string, c *cell[*Room]) {
	err := n.foldRoom(n.ctx, id, c)
	if err != nil {
		n.mu.Lock()
		if n.rooms[id] == c {
			delete(n.rooms, id)
		}
		n.mu.Unlock()
		err = fmt.Errorf("load room %s: %w", id, err)
	}
	c.settle(err)
}

func (n *Node) foldRoom(ctx context.Context, id string, c *cell[*Room]) error {
	n.restoreRoom(ctx, id, c)
	for rec, err := range n.log.Read(ctx, c.stream, c.head) {
		if err != nil {
			return err
		}
		if err := rec.decode(); err != nil {
			return err
		}
		c.mu.Lock()
		c.fold(&rec)
		c.mu.Unlock()
	}
	return nil
}

// restoreRoom starts the cell from a snapshot if there is a good one.
func (n *Node) restoreRoom(ctx context.Context, id string, c *cell[*Room]) {
	var s roomSnapshot
	at, ok := n.loadSnapshot(ctx, "room/"+id, roomFormat, &s)
	if !ok || s.Room == nil || s.Room.ID != id {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live, c.marks, c.head = s.Room, s.Marks, at
	if s.Receipts != nil {
		c.receipts = s.Receipts
	}
	c.saved.Store(s.Room.Version)
}

// agentCell brings an agent's stream into memory and pins it. Its state comes from the index, which is always whole.
func (n *Node) agentCell(id string) *cell[*AgentState] {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.agents[id]
	if c == nil {
		// The tail looks the cell up under n.mu after the index has the event: either it finds the cell, or the index had
		// the event before this.
		state, head := n.index.agent(id)
		c = newCell(n, AgentStream(id), state, head)
		close(c.ready)
		n.agents[id] = c
	}
	c.pins.Add(1)
	return c
}

// loadSnapshot decodes the newest snapshot under a name, if it belongs to this log and format.
func (n *Node) loadSnapshot(ctx context.Context, name string, format int, into any) (Position, bool) {
	if n.opts.Snapshots == nil {
		return 0, false
	}
	s, err := n.opts.Snapshots.Load(ctx, name)
	if err != nil || s.Log != n.log.ID() || s.Format != format {
		return 0, false
	}
	if err := strictjson.UnmarshalLimits(s.Data, into, snapshotLimits); err != nil {
		n.zap.Warn("snapshot ignored", zap.String("name", name), zap.Error(err))
		return 0, false
	}
	return s.At, true
}
