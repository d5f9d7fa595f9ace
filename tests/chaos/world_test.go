package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core/sqlitelog"
	agentswitch "stele/switch"
	"stele/tests/chaos"
)

// world is a gateway's data and everybody who uses it, over all runs of the program.
type world struct {
	faults
	ctx    context.Context
	rec    *chaos.Recorder
	random *rand.Rand

	binary, dir, log string
	// runs counts the starts of the gateway.
	runs int

	writers []writer
	// mu guards readers: duels add some while they go on.
	mu      sync.Mutex
	readers []reader
	// missed counts what readers had not seen when they came back.
	missed int
	// rooms are the open-floor ones, by name.
	rooms map[string]string
	// viewers read everything from the beginning: one agent at each door that is in every open-floor room.
	viewer  switchAgent
	watcher areyouaiAgent
	duels   []*duel
}

// writer is one source of commands, on one goroutine.
type writer interface {
	connect(*life) error
	// retry sends again what has a key and an unknown outcome.
	retry(*life) error
	// write sends the next command and tells whether there is sense in another on this life.
	write(*life) bool
}

// reader is somebody who comes back from a cursor.
type reader interface {
	connect(*life) error
	// hangUp ends the connection of this life.
	hangUp()
	cursors() []*cursor
}

func newWorld(t *testing.T, binary string, random *rand.Rand) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	base := t.TempDir()
	return &world{
		ctx: ctx, rec: chaos.NewRecorder(), random: random, rooms: map[string]string{},
		binary: binary, dir: filepath.Join(base, "data"), log: filepath.Join(base, "gateway.log"),
	}
}

// start runs the gateway on the data there is.
func (w *world) start(t *testing.T) *life {
	t.Helper()
	p, err := startProcess(w.binary, w.dir, w.log)
	require.NoError(t, err)
	w.runs++
	return newLife(w, p)
}

// settle registers the agents and makes the rooms and everybody in them.
func (w *world) settle(t *testing.T, l *life) {
	t.Helper()
	registered := map[string]switchAgent{}
	for _, name := range []string{"viewer", "reader", "single", "sara", "simon", "sven", "edna", "egon", "duke"} {
		a, err := w.registerSwitch(l, name)
		require.NoError(t, err)
		registered[name] = a
	}
	speaking := map[string]areyouaiAgent{}
	for _, name := range []string{"watcher", "anna", "arne", "adam", "alma", "axel"} {
		a, err := w.registerAreyouai(l, name)
		require.NoError(t, err)
		speaking[name] = a
	}
	w.viewer, w.watcher = registered["viewer"], speaking["watcher"]
	for _, room := range []string{"one", "two"} {
		id, err := w.createRoom(l, room, "viewer", "reader", "single", "sara", "simon", "sven", "edna", "egon", "watcher", "anna", "arne")
		require.NoError(t, err)
		w.rooms[room] = id
	}
	one, two := w.rooms["one"], w.rooms["two"]
	w.writers = []writer{
		w.newSwitchWriter(registered["sara"], one), w.newSwitchWriter(registered["simon"], one),
		w.newSwitchWriter(registered["sven"], two),
		w.newAreyouaiWriter(speaking["anna"], one), w.newAreyouaiWriter(speaking["arne"], two),
		w.newEdgeWriter(registered["edna"], one), w.newEdgeWriter(registered["egon"], two),
	}
	w.readers = []reader{
		w.newSwitchReader("switch reader", registered["reader"], agentswitch.ScopeAll, one, two),
		w.newSwitchReader("switch single", registered["single"], agentswitch.ScopeSingle, two),
		w.newAreyouaiReader("areyouai reader one", w.watcher, one), w.newAreyouaiReader("areyouai reader two", w.watcher, two),
		w.newEdgeReader("edge reader one", "viewer", w.viewer.key, one), w.newEdgeReader("edge reader two", "viewer", w.viewer.key, two),
	}
	duke, err := w.loginAreyouai(l, registered["duke"])
	require.NoError(t, err)
	w.duels = []*duel{
		w.newDuel("both areyouai", speaking["adam"], areyouaiDuelist{w.newAreyouaiWriter(speaking["alma"], "")}),
		w.newDuel("areyouai against switch", speaking["axel"], switchDuelist{w.newSwitchWriter(registered["duke"], ""), duke}),
	}
	for _, d := range w.duels {
		w.writers = append(w.writers, d)
	}
}

func (w *world) newDuel(name string, owner areyouaiAgent, guest duelist) *duel {
	return &duel{
		world: w, name: name, owner: areyouaiDuelist{w.newAreyouaiWriter(owner, "")}, guest: guest,
		random: rand.New(rand.NewPCG(w.random.Uint64(), 0)),
	}
}

func (w *world) createRoom(l *life, name string, members ...string) (string, error) {
	client, err := w.viewer.client(l)
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	err = client.Call(l.ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": name, "description": "where everybody speaks", "agent_names": members,
	}, &made)
	return made.ID, err
}

// watchDuel lets two readers into a new turns room: its owner over areyouai, and over an edge socket.
func (w *world) watchDuel(l *life, d *duel) {
	owner, room := d.owner.door(), d.room.id
	for _, r := range []reader{
		w.newAreyouaiReader("areyouai reader of "+d.room.topic, owner, room),
		w.newEdgeReader("edge reader of "+d.room.topic, owner.id, owner.key, room),
	} {
		// When the gateway was killed in between, it comes back on the next life.
		_ = r.connect(l)
		w.mu.Lock()
		w.readers = append(w.readers, r)
		w.mu.Unlock()
	}
}

// resume brings everybody back, before anything new is published, and checks that each gets exactly what it had not seen.
func (w *world) resume(t *testing.T, l *life) {
	t.Helper()
	truth, err := w.truth(l)
	require.NoError(t, err)
	for _, r := range w.readers {
		var want [][]delivery
		for _, c := range r.cursors() {
			want = append(want, truth.after(c))
		}
		require.NoError(t, r.connect(l))
		for i, c := range r.cursors() {
			require.NoError(t, c.await(l.ctx, want[i]))
			w.missed += len(want[i])
		}
	}
	w.retire(truth)
	var failed []error
	for _, x := range w.writers {
		failed = append(failed, x.connect(l))
	}
	require.NoError(t, errors.Join(failed...))
	for _, x := range w.writers {
		failed = append(failed, x.retry(l))
	}
	require.NoError(t, errors.Join(failed...))
}

// retire lets go of the readers of rooms that are over: they have everything that will ever be there. Their connections
// stay for this life.
func (w *world) retire(truth *truth) {
	var staying []reader
	for _, r := range w.readers {
		if !truth.over[r.cursors()[0].rooms[0]] {
			staying = append(staying, r)
		}
	}
	w.readers = staying
}

// load lets everybody write until so many commands were acknowledged, and kills the gateway then, a random moment later.
// Some readers are away meanwhile, others go and come back.
// Now and then it is asked to end before, so that the kill may hit the middle of an orderly end.
func (w *world) load(t *testing.T, l *life) {
	t.Helper()
	l.left.Store(20 + w.random.Int64N(60))
	for _, r := range w.readers {
		if w.random.IntN(3) == 0 {
			r.hangUp()
		}
	}
	var writing sync.WaitGroup
	for _, x := range w.writers {
		writing.Go(func() {
			for x.write(l) {
			}
		})
	}
	random := rand.New(rand.NewPCG(w.random.Uint64(), 0))
	l.work.Go(func() { w.flap(l, random) })
	select {
	case <-l.enough:
	case <-time.After(patience):
		t.Error("too few commands were acknowledged")
	}
	if w.random.IntN(4) == 0 {
		l.ending.Store(true)
		l.proc.terminate()
		<-time.After(time.Duration(w.random.Int64N(int64(30 * time.Millisecond))))
	} else {
		<-time.After(time.Duration(w.random.Int64N(int64(3 * time.Millisecond))))
	}
	l.ending.Store(true)
	l.proc.kill()
	writing.Wait()
	l.over()
}

// flap lets readers go and come back while everybody writes.
func (w *world) flap(l *life, random *rand.Rand) {
	for {
		select {
		case <-l.flaps:
		case <-l.ctx.Done():
			return
		}
		w.mu.Lock()
		r := w.readers[random.IntN(len(w.readers))]
		w.mu.Unlock()
		r.hangUp()
		if r.connect(l) != nil {
			return
		}
	}
}

// finish ends the gateway in order and returns what is in its log.
func (w *world) finish(t *testing.T, l *life) []chaos.Entry {
	t.Helper()
	l.ending.Store(true)
	l.proc.terminate()
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	require.NoError(t, l.proc.await(ctx), "an orderly end")
	l.over()
	log, err := sqlitelog.Open(w.dir, sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	entries, err := chaos.ReadLog(w.ctx, log)
	require.NoError(t, err)
	return w.onlyRecorded(entries)
}

// onlyRecorded takes the marks off what was made before anything was recorded.
func (w *world) onlyRecorded(entries []chaos.Entry) []chaos.Entry {
	for i, e := range entries {
		for name, room := range w.rooms {
			if e.Room == room && e.Mark == chaos.CreateMark+name {
				entries[i].Mark = ""
			}
		}
	}
	return entries
}

// keep writes everything about a failed run to a folder that stays.
func (w *world) keep(t *testing.T, h chaos.History) {
	t.Helper()
	dir, err := os.MkdirTemp("", "stele-chaos-failed-")
	require.NoError(t, err)
	f, err := os.Create(filepath.Join(dir, "history.jsonl"))
	require.NoError(t, err)
	require.NoError(t, errors.Join(h.Dump(f), f.Close()))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "data"), os.DirFS(w.dir)))
	if data, err := os.ReadFile(w.log); err == nil {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "gateway.log"), data, 0o600))
	}
	t.Logf("history, data and log of the failed run are in %s", dir)
}

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
		sortDeliveries(out)
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

// seedOf returns the seed of the test, which STELE_CHAOS_SEED sets.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("STELE_CHAOS_SEED"); text != "" {
		_, err := fmt.Sscan(strings.TrimSpace(text), &seed)
		require.NoError(t, err, "STELE_CHAOS_SEED")
	}
	return seed
}
