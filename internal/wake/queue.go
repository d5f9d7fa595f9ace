package wake

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"stele/areyouai"
)

// keptDone is how many finished turns are remembered. A server offers a delivery for 30 minutes, so that this is enough
// for four finished rooms a second; a room that closes takes its own with it.
const keptDone = 8192

// queue is the durable list of wakes, one per room. All methods may be called by any goroutine; what they change is on
// the disk when they return.
type queue struct {
	dir *folder
	now func() time.Time
	// keep is how many finished turns are remembered.
	keep int

	// mu guards what follows and is held during writes, so that memory and disk never tell two stories.
	mu      sync.Mutex
	byRoom  map[string]*Wake
	running map[string]bool
	// held are rooms whose delivery is not acknowledged yet; no hook is called for them.
	held map[string]bool
	// changed holds a token when there may be something new to do.
	changed chan struct{}
}

// openQueue reads the wakes back. Damaged files are set aside and counted: each may have been a wake.
func openQueue(dir *folder, now func() time.Time) (q *queue, damaged int, err error) {
	q = &queue{
		dir: dir, now: now, keep: keptDone, byRoom: map[string]*Wake{}, running: map[string]bool{}, held: map[string]bool{},
		changed: make(chan struct{}, 1),
	}
	names, err := dir.list(wakesDir)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		w, err := readWake(dir, name)
		var bad *DamagedError
		if errors.As(err, &bad) {
			damaged++
			err = dir.setAside(name)
		}
		if err != nil {
			return nil, 0, err
		}
		if w != nil {
			w.unsure = true
			q.byRoom[w.RoomID] = w
		}
	}
	return q, damaged, nil
}

func readWake(dir *folder, name string) (*Wake, error) {
	var w Wake
	if err := dir.read(name, &w); err != nil {
		return nil, err
	}
	err := w.check()
	if err == nil && fileOf(wakesDir, w.RoomID) != name {
		err = errors.New("the file is named for another room")
	}
	if err != nil {
		return nil, &DamagedError{Path: dir.path(name), cause: err}
	}
	return &w, nil
}

func (q *queue) signal() {
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

func (q *queue) save(w *Wake) error {
	w.UpdatedAt = areyouai.NewTime(q.now())
	if err := q.dir.write(fileOf(wakesDir, w.RoomID), w); err != nil {
		return err
	}
	q.byRoom[w.RoomID] = w
	return nil
}

// knows tells whether a wake is nothing new: its turn, or a later one of the room, is here already.
func (q *queue) knows(w *Wake) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.knownLocked(w)
}

func (q *queue) knownLocked(w *Wake) bool {
	have, ok := q.byRoom[w.RoomID]
	return ok && (have.key() == w.key() || have.Turn > w.Turn)
}

// add queues a wake unless it is nothing new. It takes the place of an earlier turn of its room, and is handed out after
// release.
func (q *queue) add(w *Wake) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.knownLocked(w) {
		return nil
	}
	return q.addLocked(w)
}

// beyond tells whether a later turn of the wake's room is here already.
func (q *queue) beyond(w *Wake) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	have, ok := q.byRoom[w.RoomID]
	return ok && have.Turn > w.Turn
}

// addWaiting is add for a room of which the server has just said that it waits: a turn that counted as over is queued
// once more, and so is one behind a later turn, to which a server went back that was restored from a backup.
func (q *queue) addWaiting(w *Wake) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	have, ok := q.byRoom[w.RoomID]
	if ok && (have.Turn > w.Turn || have.key() == w.key() && have.Stage == StageDone) {
		w.Round, w.unsure = have.Round+1, true
		return q.addLocked(w)
	}
	if q.knownLocked(w) {
		return nil
	}
	return q.addLocked(w)
}

func (q *queue) addLocked(w *Wake) error {
	now := areyouai.NewTime(q.now())
	w.Stage, w.Round, w.QueuedAt, w.DueAt = StageQueued, max(w.Round, 1), now, now
	q.held[w.RoomID] = true
	return q.save(w)
}

// release lets a room's wake be handed out.
func (q *queue) release(roomID string) {
	q.mu.Lock()
	delete(q.held, roomID)
	q.mu.Unlock()
	q.signal()
}

// drop forgets a room altogether.
func (q *queue) drop(roomID string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.dir.remove(fileOf(wakesDir, roomID)); err != nil {
		return err
	}
	delete(q.byRoom, roomID)
	return nil
}

// has tells whether a room has a wake, of any turn and stage.
func (q *queue) has(roomID string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.byRoom[roomID] != nil
}

// update changes the wake that a worker holds, unless another turn or round took its place meanwhile. The worker's copy
// follows.
func (q *queue) update(held *Wake, change func(*Wake)) (current bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	have, ok := q.byRoom[held.RoomID]
	if !ok || !have.same(held) {
		return false, nil
	}
	next := *have
	change(&next)
	if err := q.save(&next); err != nil {
		return false, err
	}
	*held = next
	return true, nil
}

// take hands out a due wake whose room no worker attends to. Without one it tells when the next is due; zero is never.
func (q *queue) take() (*Wake, time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	var first *Wake
	for room, w := range q.byRoom {
		if w.Stage == StageDone || q.running[room] || q.held[room] {
			continue
		}
		if first == nil || cmp.Or(w.due(now).Compare(first.due(now)), cmp.Compare(w.RoomID, first.RoomID)) < 0 {
			first = w
		}
	}
	if first == nil {
		return nil, time.Time{}
	}
	if due := first.due(now); due.After(now) {
		return nil, due
	}
	q.running[first.RoomID] = true
	held := *first
	return &held, time.Time{}
}

// giveBack ends a worker's hold on a room.
func (q *queue) giveBack(roomID string) {
	q.mu.Lock()
	delete(q.running, roomID)
	q.mu.Unlock()
	q.signal()
}

// clear forgets every room.
func (q *queue) clear() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for room := range q.byRoom {
		if err := q.dir.remove(fileOf(wakesDir, room)); err != nil {
			return err
		}
		delete(q.byRoom, room)
	}
	return nil
}

// trim forgets the oldest finished turns beyond keep.
func (q *queue) trim() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.byRoom) <= q.keep {
		return nil
	}
	var done []*Wake
	for room, w := range q.byRoom {
		if w.Stage == StageDone && !q.running[room] {
			done = append(done, w)
		}
	}
	slices.SortFunc(done, func(a, b *Wake) int { return a.UpdatedAt.Compare(b.UpdatedAt.Time) })
	for len(done) > q.keep {
		if err := q.dir.remove(fileOf(wakesDir, done[0].RoomID)); err != nil {
			return err
		}
		delete(q.byRoom, done[0].RoomID)
		done = done[1:]
	}
	return nil
}
