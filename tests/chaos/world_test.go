package chaos_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

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
	p, err := spawn(w.binary, w.dir, w.log)
	require.NoError(t, err)
	require.NoError(t, p.listens(), "see %s", w.log)
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
