package core_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// TestLeasesFollowTheirModel runs random commands about roles and connections on two nodes while a clock moves by hand,
// and asserts after each one that every answer, every holder and every message to a role is what a simple model says, on
// both nodes, and at the end that folding the log anew gives the rooms that were built live.
func TestLeasesFollowTheirModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := memlog.NewStore(memlog.Options{})
		m := &leaseModel{now: newClock(), log: store.Open(), holds: map[string]*modelHold{}, conns: map[string]*modelConn{}}
		for i, log := range []core.Log{m.log, store.Open()} {
			n, err := core.Open(context.Background(), log, core.Options{
				NodeID: string(rune('a' + i)), Now: m.now.Now, SweepEvery: time.Hour,
			})
			require.NoError(rt, err)
			defer func() { require.NoError(rt, n.Close(context.Background())) }()
			m.nodes = append(m.nodes, n)
		}
		m.setup(rt)
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			m.step(rt)
			m.check(rt)
		}
		m.checkFold(rt)
	})
}

// modelConn is a connection: a life that lasts while it is heard of.
type modelConn struct {
	life int
	last time.Time
	over bool
}

// modelHold is the newest role that an agent took.
type modelHold struct {
	room, role, conn string
	life             int
}

type modelRole struct{ room, name string }

type leaseModel struct {
	now    *testclock.Clock
	log    core.Log
	nodes  []*core.Node
	agents []core.Agent
	// poster is a member of both rooms and does nothing but post.
	poster core.Agent
	rooms  []string
	secret string

	conns     map[string]*modelConn
	holds     map[string]*modelHold
	exclusive map[modelRole]bool
	member    map[[2]string]bool
}

func (m *leaseModel) setup(rt *rapid.T) {
	ctx := context.Background()
	n := m.nodes[0]
	for _, name := range []string{"ann", "ben", "cyd", "poster"} {
		r, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: name, Handle: name}})
		require.NoError(rt, err)
		m.agents = append(m.agents, r.Agent)
	}
	m.poster = m.agents[3]
	m.exclusive, m.member = map[modelRole]bool{}, map[[2]string]bool{}
	for range 3 {
		made, _, err := n.CreateRoom(ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "r"}, Members: []core.NewMember{member(m.poster)}}, nil)
		require.NoError(rt, err)
		m.rooms = append(m.rooms, made.Room)
	}
	m.agents, m.rooms, m.secret = m.agents[:3], m.rooms[:2], m.rooms[2]
	for _, room := range m.rooms {
		for _, a := range m.agents {
			require.NoError(rt, n.JoinRoom(ctx, room, core.JoinRoom{Member: member(a)}))
			m.member[[2]string{a.ID, room}] = true
		}
		for _, name := range []string{"judge", "clerk"} {
			m.define(rt, n, room, name, name == "judge")
		}
	}
	require.NoError(rt, m.nodes[1].CatchUp(ctx))
}

func (m *leaseModel) define(rt *rapid.T, n *core.Node, room, name string, exclusive bool) {
	require.NoError(rt, n.DefineRole(context.Background(), room, core.DefineRole{Actor: m.poster.ID, Name: name, Exclusive: exclusive}, nil))
	m.exclusive[modelRole{room, name}] = exclusive
}

func (m *leaseModel) alive(conn string) bool {
	c := m.conns[conn]
	return c != nil && !c.over && m.now.Now().Sub(c.last) < 6*time.Second
}

// hold is what an agent holds now, nil if nothing.
func (m *leaseModel) hold(agent string) *modelHold {
	h := m.holds[agent]
	if h == nil || !m.alive(h.conn) || m.conns[h.conn].life != h.life {
		return nil
	}
	return h
}

func (m *leaseModel) step(rt *rapid.T) {
	ctx := context.Background()
	n := m.nodes[rapid.IntRange(0, 1).Draw(rt, "node")]
	agent := m.agents[rapid.IntRange(0, 2).Draw(rt, "agent")]
	room := m.rooms[rapid.IntRange(0, 1).Draw(rt, "room")]
	role := rapid.SampledFrom([]string{"judge", "clerk"}).Draw(rt, "role")
	conn := agent.Handle + rapid.SampledFrom([]string{"-1", "-2"}).Draw(rt, "connection")
	switch rapid.SampledFrom([]string{
		"open", "open", "beat", "wait", "wait", "assume", "assume", "assume", "assume", "release", "delete", "edit", "evict", "leave",
	}).Draw(rt, "command") {
	case "open":
		m.open(rt, n, agent, conn)
	case "beat":
		if _, _, err := n.Beat(ctx, agent.ID, conn, 0); m.alive(conn) {
			require.NoError(rt, err)
			m.conns[conn].last = m.now.Now()
		} else {
			require.Error(rt, err)
		}
	case "wait":
		m.now.Advance(time.Duration(rapid.IntRange(1, 4).Draw(rt, "seconds")) * time.Second)
	case "assume":
		m.assume(rt, n, agent, room, role, conn)
	case "release":
		require.NoError(rt, n.ReleaseRole(ctx, agent.ID))
		m.holds[agent.ID] = nil
	case "delete":
		m.delete(rt, n, room, role)
	case "edit":
		exclusive := rapid.Bool().Draw(rt, "exclusive")
		err := n.EditRole(ctx, room, core.EditRole{Actor: m.poster.ID, Name: role, Exclusive: &exclusive}, nil)
		if _, defined := m.exclusive[modelRole{room, role}]; !defined {
			require.Error(rt, err)
			return
		}
		require.NoError(rt, err)
		m.exclusive[modelRole{room, role}] = exclusive
	case "evict":
		m.evict(rt, n, agent, conn)
	case "leave":
		m.leave(rt, n, agent, room)
	}
	for _, n := range m.nodes {
		require.NoError(rt, n.CatchUp(ctx))
	}
}

func (m *leaseModel) open(rt *rapid.T, n *core.Node, agent core.Agent, conn string) {
	o, err := n.OpenConnection(context.Background(), agent.ID, core.OpenRequest{
		ID: conn, Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true,
	})
	require.NoError(rt, err)
	n.AttachStream(agent.ID, o.Connection)
	c := m.conns[conn]
	if c == nil {
		c = &modelConn{}
		m.conns[conn] = c
	}
	if !m.alive(conn) {
		c.life++
	}
	c.last, c.over = m.now.Now(), false
}

// evict lets an agent open its connection on a room that it may not claim.
func (m *leaseModel) evict(rt *rapid.T, n *core.Node, agent core.Agent, conn string) {
	_, err := n.OpenConnection(context.Background(), agent.ID, core.OpenRequest{
		ID: conn, Scope: core.ScopeSingle, Filter: core.FilterAll, Rooms: []string{m.secret},
	})
	require.ErrorIs(rt, err, core.ErrNotMember)
	if c := m.conns[conn]; c != nil {
		c.over = true
	}
}

func (m *leaseModel) leave(rt *rapid.T, n *core.Node, agent core.Agent, room string) {
	ctx, key := context.Background(), [2]string{agent.ID, room}
	if !m.member[key] {
		require.NoError(rt, n.JoinRoom(ctx, room, core.JoinRoom{Member: member(agent)}))
		m.member[key] = true
		return
	}
	require.NoError(rt, n.LeaveRoom(ctx, room, core.LeaveRoom{Agent: agent.ID}))
	m.member[key] = false
	if h := m.holds[agent.ID]; h != nil && h.room == room {
		m.holds[agent.ID] = nil
	}
}

// delete takes a role away, or defines it again when it is gone.
func (m *leaseModel) delete(rt *rapid.T, n *core.Node, room, role string) {
	if _, defined := m.exclusive[modelRole{room, role}]; !defined {
		m.define(rt, n, room, role, role == "judge")
		return
	}
	require.NoError(rt, n.DeleteRole(context.Background(), room, core.DeleteRole{Actor: m.poster.ID, Name: role}, nil))
	delete(m.exclusive, modelRole{room, role})
	for agent, h := range m.holds {
		if h != nil && h.room == room && h.role == role {
			m.holds[agent] = nil
		}
	}
}

func (m *leaseModel) assume(rt *rapid.T, n *core.Node, agent core.Agent, room, role, conn string) {
	_, err := n.AssumeRole(context.Background(), room, core.AssumeRole{Agent: agent.ID, Role: role, Connection: conn})
	exclusive, defined := m.exclusive[modelRole{room, role}]
	own := m.hold(agent.ID)
	var (
		gone    *core.NoConnectionError
		invalid *core.InvalidError
		holds   *core.HoldsRoleError
		held    *core.RoleHeldError
	)
	switch {
	case !m.alive(conn):
		require.ErrorAs(rt, err, &gone)
		return
	case !m.member[[2]string{agent.ID, room}]:
		require.ErrorIs(rt, err, core.ErrNotMember)
		return
	case !defined:
		require.ErrorAs(rt, err, &invalid)
		return
	case own != nil && (own.room != room || own.role != role):
		require.ErrorAs(rt, err, &holds)
		return
	case own == nil && exclusive && len(m.holders(room, role)) > 0:
		require.ErrorAs(rt, err, &held)
		return
	}
	require.NoError(rt, err)
	m.holds[agent.ID] = &modelHold{room: room, role: role, conn: conn, life: m.conns[conn].life}
}

// holders are the agents that hold a role now, by id.
func (m *leaseModel) holders(room, role string) []string {
	out := []string{}
	for _, a := range m.agents {
		if h := m.hold(a.ID); h != nil && h.room == room && h.role == role {
			out = append(out, a.ID)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

func (m *leaseModel) check(rt *rapid.T) {
	ctx := context.Background()
	for _, n := range m.nodes {
		for _, a := range m.agents {
			l, ok := n.LiveLease(ctx, a.ID)
			h := m.hold(a.ID)
			require.Equal(rt, h != nil, ok, "node %s, %s", n.ID(), a.Handle)
			if ok {
				require.Equal(rt, []string{h.room, h.role, h.conn}, []string{l.Room, l.Role, l.Connection})
			}
		}
	}
	n := m.nodes[rapid.IntRange(0, 1).Draw(rt, "posting node")]
	for _, room := range m.rooms {
		for _, role := range []string{"judge", "clerk"} {
			want := m.holders(room, role)
			posted, _, err := n.PostMessage(ctx, room, core.PostMessage{Sender: m.poster.ID, Text: "@" + role}, nil)
			require.NoError(rt, err)
			e, _, err := n.HistoryOf(room).Message(ctx, posted.Message)
			require.NoError(rt, err)
			require.Equal(rt, want, append([]string{}, e.Payload.(*core.MessagePostedEvent).Addressed...), "@%s", role)
		}
	}
}

func (m *leaseModel) checkFold(rt *rapid.T) {
	ctx := context.Background()
	for _, room := range m.rooms {
		rebuilt := &core.Room{}
		for rec, err := range m.log.Read(ctx, core.RoomStream(room), 0) {
			require.NoError(rt, err)
			decodeAnew(rt, &rec)
			rebuilt.Apply(&rec)
		}
		for _, n := range m.nodes {
			require.NoError(rt, n.CatchUp(ctx))
			var live []byte
			require.NoError(rt, n.ViewRoom(ctx, room, func(r *core.Room) { live = mustJSON(rt, r) }))
			require.Equal(rt, string(mustJSON(rt, rebuilt)), string(live))
		}
	}
}
