package core_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// TestDeliveriesFollowTheirModel runs random commands, lets time pass, and ends the node in order or as a kill does; after
// each step exactly the deliveries wait that a simple model says, in its order, each under the id that it had from the
// start, whether the node began from a snapshot or with a fresh fold of the log.
func TestDeliveriesFollowTheirModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newInboxModel(rt)
		defer func() { require.NoError(rt, m.n.Close(context.Background())) }()
		for range rapid.IntRange(1, 50).Draw(rt, "steps") {
			m.step()
			m.check()
		}
	})
}

// expected is a delivery in the model.
type expected struct {
	summarised
	at time.Time
	id string
}

// modelRoom is a room in the model.
type modelRoom struct {
	id, listing string
	open        bool
	state       core.RoomState
	sides       []int
	members     []int
	turn        int
	ttl         time.Time
	closed      time.Time
}

const (
	modelTurns = 4
	modelTTL   = 40 * time.Minute
	modelGrace = 20 * time.Minute
)

type inboxModel struct {
	rt    *rapid.T
	n     *core.Node
	now   *testclock.Clock
	log   core.Log
	snaps *memlog.Snapshots
	shots *mortalSnapshots

	agents  []core.Agent
	rooms   []*modelRoom
	pending [][]expected
	// readers live as long as the node; handed are the ids that each handed out.
	readers []*core.InboxReader
	handed  []map[string]bool
	// known are all ids ever seen, by agent, and acked when each was acknowledged first.
	known []map[string]time.Time
	acked []map[string]bool
}

// mortalSnapshots stores nothing any more once the process is dead.
type mortalSnapshots struct {
	core.Snapshots
	dead atomic.Bool
}

func (s *mortalSnapshots) Save(ctx context.Context, name string, snap core.Snapshot) error {
	if s.dead.Load() {
		return nil
	}
	return s.Snapshots.Save(ctx, name, snap)
}

func newInboxModel(rt *rapid.T) *inboxModel {
	m := &inboxModel{rt: rt, now: newClock(), log: memlog.New(), snaps: memlog.NewSnapshots()}
	m.start(false)
	for _, name := range []string{"alice", "bob", "cara"} {
		r, err := m.n.Register(context.Background(), core.Registration{Agent: core.Agent{Name: name, Handle: name}})
		require.NoError(rt, err)
		m.agents = append(m.agents, r.Agent)
		m.known, m.acked = append(m.known, map[string]time.Time{}), append(m.acked, map[string]bool{})
	}
	m.pending = make([][]expected, len(m.agents))
	m.follow()
	return m
}

// follow opens a reader for each agent.
func (m *inboxModel) follow() {
	m.readers, m.handed = nil, nil
	for _, a := range m.agents {
		m.readers, m.handed = append(m.readers, m.n.NewInboxReader(a.ID)), append(m.handed, map[string]bool{})
	}
}

func (m *inboxModel) start(fresh bool) {
	o := core.Options{
		Now: m.now.Now, SweepEvery: time.Hour, SnapshotEvery: 3, Purge: core.PurgePolicy{Grace: modelGrace, Retention: 2 * modelGrace},
	}
	if !fresh {
		m.shots = &mortalSnapshots{Snapshots: m.snaps}
		o.Snapshots = m.shots
	}
	var err error
	m.n, err = core.Open(context.Background(), m.log, o)
	require.NoError(m.rt, err)
}

func (m *inboxModel) agent(label string) int {
	return rapid.IntRange(0, len(m.agents)-1).Draw(m.rt, label)
}

// check compares what waits with the model.
func (m *inboxModel) check() {
	now := m.now.Now()
	for who, a := range m.agents {
		m.pending[who] = slices.DeleteFunc(m.pending[who], func(e expected) bool { return !now.Before(e.at.Add(core.DeliveryLife)) })
		got := m.n.Waiting(context.Background(), a.ID)
		require.Len(m.rt, got, len(m.pending[who]), "%s: %v", a.Handle, summarise(got))
		for i, d := range got {
			want := &m.pending[who][i]
			require.Equal(m.rt, want.summarised, summarise(got[i : i+1])[0])
			require.Equal(m.rt, want.at, d.At)
			if want.id == "" {
				want.id = d.ID(a.ID)
				require.NotContains(m.rt, m.known[who], want.id, fmt.Sprint("an id is given once: ", want.summarised))
				m.known[who][want.id] = d.At
			}
			require.Equal(m.rt, want.id, d.ID(a.ID))
		}
		for id, at := range m.known[who] {
			live := now.Before(at.Add(core.DeliveryLife))
			require.Equal(m.rt, live && m.acked[who][id], m.n.Acknowledged(a.ID, id))
		}
	}
}
