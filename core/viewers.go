package core

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	viewerPrefix = "hv_"
	viewerBytes  = 18
)

// Refusals to viewers.
var (
	// ErrWrongCode: the code is not the room's, or it has ended.
	ErrWrongCode = errors.New("code does not open this room")
	// ErrNoViewer: the room has no viewer with that token.
	ErrNoViewer = errors.New("no such viewer in this room")
	// ErrViewerLeft: the viewer said goodbye.
	ErrViewerLeft = errors.New("viewer left this room")
)

// watching remembers when viewers were heard of, by room and hash. It is kept on the node alone: after a restart everybody
// who did not leave counts as heard of at that time.
type watching struct {
	// life is how long somebody who was heard of counts.
	life  time.Duration
	mu    sync.Mutex
	rooms map[string]map[string]time.Time
}

func (w *watching) heard(room, hash string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rooms[room] == nil {
		set(&w.rooms, room, map[string]time.Time{})
	}
	w.rooms[room][hash] = at
}

func (w *watching) left(room, hash string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.rooms[room], hash); len(w.rooms[room]) == 0 {
		delete(w.rooms, room)
	}
}

// active counts those that were heard of lately and forgets the others.
func (w *watching) active(room string, now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for hash, at := range w.rooms[room] {
		if now.Sub(at) > w.life {
			delete(w.rooms[room], hash)
		}
	}
	n := len(w.rooms[room])
	if n == 0 {
		delete(w.rooms, room)
	}
	return n
}

func (w *watching) fresh(room, hash string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.rooms[room][hash]
	return ok && now.Sub(at) <= w.life
}

// ended forgets everybody who watched a room.
func (w *watching) ended(room string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.rooms, room)
}

func (w *watching) sweep(now time.Time) {
	w.mu.Lock()
	rooms := make([]string, 0, len(w.rooms))
	for room := range w.rooms {
		rooms = append(rooms, room)
	}
	w.mu.Unlock()
	for _, room := range rooms {
		w.active(room, now)
	}
}

// CheckHumanCode tells whether a code lets people watch and read a room. Errors: [ErrNoRoom], *[RoomNotActiveError] when it
// was purged, [ErrWrongCode].
func (n *Node) CheckHumanCode(ctx context.Context, room, code string) error {
	hash, now := HashSecret(code), n.now()
	var refused error
	err := n.ViewRoom(ctx, room, func(r *Room) {
		switch {
		case r.State == StatePurged:
			refused = &RoomNotActiveError{Room: room, State: r.State}
		case r.HumanCodeHash == "" || !sameHash(r.HumanCodeHash, hash) || !now.Before(r.HumanCodeUntil):
			refused = ErrWrongCode
		}
	})
	if err != nil {
		return err
	}
	return refused
}

// JoinViewers lets a person with the room's code watch it. The token that it returns names the viewer from then on. Errors:
// those of CheckHumanCode, and *[InvalidError] when MaxViewers have joined.
func (n *Node) JoinViewers(ctx context.Context, room, code string) (token string, err error) {
	if err := n.CheckHumanCode(ctx, room, code); err != nil {
		return "", err
	}
	return n.newViewer(ctx, room)
}

// BeatViewer hears of a viewer. Errors: [ErrNoViewer] for a token that is not one of the room's, also when it was purged;
// [ErrViewerLeft].
func (n *Node) BeatViewer(room, token string) error {
	hash := HashSecret(token)
	if err := n.index.viewer(room, hash); err != nil {
		return err
	}
	n.watching.heard(room, hash, n.now())
	return nil
}

// CheckViewer tells whether a viewer may see the room now. Errors: [ErrNoViewer] also for one that was not heard of for as
// long as a viewer lives, [ErrViewerLeft].
func (n *Node) CheckViewer(room, token string) error {
	hash := HashSecret(token)
	if err := n.index.viewer(room, hash); err != nil {
		return err
	}
	if !n.watching.fresh(room, hash, n.now()) {
		return ErrNoViewer
	}
	return nil
}

// LeaveViewers ends a viewer; repeating it changes nothing. Errors: [ErrNoViewer].
func (n *Node) LeaveViewers(ctx context.Context, room, token string) error {
	hash := HashSecret(token)
	if err := n.index.viewer(room, hash); err != nil && !errors.Is(err, ErrViewerLeft) {
		return err
	}
	c := n.galleryCell(room)
	defer c.unpin()
	_, _, err := propose(ctx, c, leaveViewers{hash: hash}, nil)
	if err == nil {
		n.watching.left(room, hash)
		// Those that show the viewer who writes learn of it there.
		n.typists.notify(room)
	}
	return err
}

// ActiveViewers is how many people watch the room now, as this node knows it.
func (n *Node) ActiveViewers(room string) int { return n.watching.active(room, n.now()) }

// KnowsViewer tells whether any room has a viewer with that token, whatever became of it.
func (n *Node) KnowsViewer(token string) bool {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	_, ok := n.index.byViewer[HashSecret(token)]
	return ok
}

// viewer tells whether the room has a viewer with a token's hash.
func (x *index) viewer(room, hash string) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.byViewer[hash] != room {
		return ErrNoViewer
	}
	if x.s.Galleries[room].State.Viewers[hash].Left {
		return ErrViewerLeft
	}
	return nil
}

// galleryEntry is a gallery with the position of its stream's newest event.
type galleryEntry struct {
	State *Gallery `json:"state"`
	Head  Position `json:"head"`
}

func (x *index) applyViewers(room string, rec *Recorded) {
	entry := x.s.Galleries[room]
	if entry == nil {
		entry = &galleryEntry{State: &Gallery{}}
		set(&x.s.Galleries, room, entry)
	}
	entry.Head = rec.Position
	if sum := x.s.Rooms[room]; sum != nil && sum.State == StatePurged {
		// It was on its way when the room was purged.
		entry.State.Version = rec.Version
		return
	}
	entry.State.Apply(rec)
	if e, ok := rec.Payload.(*ViewerJoinedEvent); ok {
		x.byViewer[e.Hash] = room
	}
}

// endGallery lets a purged room's viewers go.
func (x *index) endGallery(room string) {
	entry := x.s.Galleries[room]
	if entry == nil {
		return
	}
	for hash := range entry.State.Viewers {
		delete(x.byViewer, hash)
	}
	entry.State = &Gallery{Version: entry.State.Version}
}

// galleryCell brings a room's viewers into memory and pins them there, as agentCell does with an agent.
func (n *Node) galleryCell(room string) *cell[*Gallery] {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.galleries[room]
	if c == nil {
		state, head := n.index.gallery(room)
		c = newCell(n, ViewersStream(room), state, head)
		close(c.ready)
		if n.galleries == nil {
			n.galleries = map[string]*cell[*Gallery]{}
		}
		n.galleries[room] = c
	}
	c.pins.Add(1)
	return c
}

func (x *index) gallery(room string) (*Gallery, Position) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	entry := x.s.Galleries[room]
	if entry == nil {
		return &Gallery{}, 0
	}
	return entry.State.Clone(), entry.Head
}

// adoptViewers lets everybody who watched before a restart count as heard of now.
func (n *Node) adoptViewers() {
	now := n.now()
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	for room, entry := range n.index.s.Galleries {
		if sum := n.index.s.Rooms[room]; sum == nil || sum.State == StatePurged {
			continue
		}
		for hash, v := range entry.State.Viewers {
			if !v.Left {
				n.watching.heard(room, hash, now)
			}
		}
	}
}
