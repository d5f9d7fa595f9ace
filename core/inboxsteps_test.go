package core_test

import (
	"context"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
)

// step does one thing to the node and to the model.
func (m *inboxModel) step() {
	switch rapid.SampledFrom([]string{
		"create", "open", "connect", "connect", "post", "post", "post", "post", "close", "leave", "time", "time", "ack", "ack",
		"restart", "foreign", "read", "read",
	}).Draw(m.rt, "step") {
	case "create":
		m.create()
	case "open":
		m.openFloor()
	case "connect":
		m.withRoom(m.connect)
	case "post":
		m.withRoom(m.post)
	case "close":
		m.withRoom(m.close)
	case "leave":
		m.withRoom(m.leave)
	case "time":
		m.time()
	case "ack":
		m.ack()
	case "restart":
		m.restart()
	case "foreign":
		m.foreign()
	case "read":
		m.read()
	}
}

func (m *inboxModel) withRoom(do func(*modelRoom)) {
	if len(m.rooms) > 0 {
		do(rapid.SampledFrom(m.rooms).Draw(m.rt, "room"))
	}
}

func (m *inboxModel) create() {
	owner := m.agent("owner")
	r := &modelRoom{listing: m.n.IDs().New(core.ListingPrefix, m.now.Now()), state: core.StateOpen, sides: []int{owner}, members: []int{owner}}
	cmd := core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "duel", Floor: core.FloorTurns, MaxTurns: modelTurns,
			Listing: &core.Listing{ID: r.listing, Agent: m.agents[owner].ID, Topic: "duel"},
		},
		Members: []core.NewMember{member(m.agents[owner])}, TTL: modelTTL,
	}
	r.ttl = m.now.Now().Add(modelTTL)
	made, _, err := m.n.CreateRoom(context.Background(), cmd, nil)
	require.NoError(m.rt, err)
	r.id = made.Room
	m.rooms = append(m.rooms, r)
}

func (m *inboxModel) openFloor() {
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "ops", Creator: m.agents[0].ID}}
	r := &modelRoom{open: true, state: core.StateActive}
	for i, a := range m.agents {
		cmd.Members = append(cmd.Members, member(a))
		r.members = append(r.members, i)
	}
	made, _, err := m.n.CreateRoom(context.Background(), cmd, nil)
	require.NoError(m.rt, err)
	r.id = made.Room
	m.rooms = append(m.rooms, r)
}

func (m *inboxModel) connect(r *modelRoom) {
	who := m.agent("who")
	if r.open {
		return
	}
	_, err := m.n.ConnectListing(context.Background(), r.listing, core.ConnectListing{Member: member(m.agents[who])}, nil)
	if r.state != core.StateOpen || r.sides[0] == who {
		require.Error(m.rt, err)
		return
	}
	require.NoError(m.rt, err)
	r.state, r.sides, r.members = core.StateActive, append(r.sides, who), append(r.members, who)
	m.tellTurn(r, r.sides[0], "room_activated")
}

func (m *inboxModel) post(r *modelRoom) {
	who := m.agent("who")
	text, addressed := "well", -1
	if r.open && rapid.Bool().Draw(m.rt, "addresses") {
		addressed = m.agent("addressed")
		text = "@" + m.agents[addressed].Handle + " well?"
	}
	_, _, err := m.n.PostMessage(context.Background(), r.id, core.PostMessage{Sender: m.agents[who].ID, Text: text}, nil)
	if r.state != core.StateActive || !slices.Contains(r.members, who) || !r.open && r.sides[r.turn%2] != who {
		require.Error(m.rt, err)
		return
	}
	require.NoError(m.rt, err)
	r.turn++
	if r.open {
		m.withdraw(r, who)
		if addressed >= 0 && addressed != who && slices.Contains(r.members, addressed) {
			m.withdraw(r, addressed)
			m.tellTurn(r, addressed, "peer_message")
		}
		return
	}
	m.withdrawAll(r)
	if r.turn == modelTurns {
		m.end(r, "max_turns_reached")
		return
	}
	m.tellTurn(r, r.sides[r.turn%2], "peer_message")
}

func (m *inboxModel) close(r *modelRoom) {
	who := m.agent("who")
	_, _, err := m.n.CloseRoom(context.Background(), r.id, core.CloseRoom{Actor: m.agents[who].ID}, nil)
	if r.state == core.StatePurged || !slices.Contains(r.members, who) {
		require.Error(m.rt, err)
		return
	}
	require.NoError(m.rt, err)
	if r.state != core.StateClosed {
		m.end(r, "manual_close")
	}
}

func (m *inboxModel) leave(r *modelRoom) {
	who := m.agent("who")
	require.NoError(m.rt, m.n.LeaveRoom(context.Background(), r.id, core.LeaveRoom{Agent: m.agents[who].ID}))
	if !slices.Contains(r.members, who) {
		return
	}
	if !r.open && (r.state == core.StateOpen || r.state == core.StateActive) {
		m.end(r, "manual_close")
	}
	m.withdraw(r, who)
	r.members = slices.DeleteFunc(slices.Clone(r.members), func(i int) bool { return i == who })
}

// time passes, and takes effect on every room.
func (m *inboxModel) time() {
	m.now.Advance(time.Duration(rapid.IntRange(1, 15).Draw(m.rt, "minutes")) * time.Minute)
	now := m.now.Now()
	for _, r := range m.rooms {
		require.NoError(m.rt, m.n.Evaluate(context.Background(), r.id))
		switch {
		case !r.ttl.IsZero() && (r.state == core.StateOpen || r.state == core.StateActive) && now.After(r.ttl):
			m.end(r, "ttl_expired")
		case !r.open && r.state == core.StateClosed && now.Sub(r.closed) >= modelGrace:
			r.state = core.StatePurged
			reason := "grace_elapsed"
			for _, who := range r.members {
				m.tell(who, summarised{Kind: core.RoomWasPurged, Room: r.id, Reason: reason})
			}
		}
	}
}

func (m *inboxModel) end(r *modelRoom, reason string) {
	m.withdrawAll(r)
	r.state, r.closed = core.StateClosed, m.now.Now()
	for _, who := range r.members {
		m.tell(who, closed(r.id, reason))
	}
}

func (m *inboxModel) tellTurn(r *modelRoom, who int, reason string) {
	m.tell(who, turn(r.id, r.turn, m.agents[who], reason))
}

func (m *inboxModel) tell(who int, what summarised) {
	m.pending[who] = append(m.pending[who], expected{summarised: what, at: m.now.Now()})
}

func (m *inboxModel) withdrawAll(r *modelRoom) {
	for who := range m.agents {
		m.withdraw(r, who)
	}
}

func (m *inboxModel) withdraw(r *modelRoom, who int) {
	m.pending[who] = slices.DeleteFunc(m.pending[who], func(e expected) bool { return e.Kind == core.TurnReady && e.Room == r.id })
}

// ack acknowledges any delivery that the agent was ever given, waiting or not.
func (m *inboxModel) ack() {
	who := m.agent("who")
	ids := make([]string, 0, len(m.known[who]))
	for id := range m.known[who] {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(m.rt, "id")
	require.NoError(m.rt, m.n.Acknowledge(context.Background(), m.agents[who].ID, id))
	m.acked[who][id] = m.acked[who][id] || m.now.Now().Before(m.known[who][id].Add(core.DeliveryLife))
	m.pending[who] = slices.DeleteFunc(m.pending[who], func(e expected) bool { return e.id == id })
}

// read takes what a reader has: all that waits and that it did not hand out before.
func (m *inboxModel) read() {
	who := m.agent("who")
	want, got := []string{}, []string{}
	for _, e := range m.pending[who] {
		if !m.handed[who][e.id] {
			want = append(want, e.id)
			m.handed[who][e.id] = true
		}
	}
	for _, d := range m.readers[who].Next(context.Background()) {
		got = append(got, d.ID(m.agents[who].ID))
	}
	require.Equal(m.rt, want, got)
}

// foreign acknowledges what was another agent's.
func (m *inboxModel) foreign() {
	who := m.agent("who")
	for id := range m.known[(who+1)%len(m.agents)] {
		require.ErrorIs(m.rt, m.n.Acknowledge(context.Background(), m.agents[who].ID, id), core.ErrNoDelivery)
		return
	}
}

// restart ends the node in order, or as a kill would: nothing is stored on the way out.
func (m *inboxModel) restart() {
	how := rapid.SampledFrom([]string{"in order", "killed", "fresh fold"}).Draw(m.rt, "how")
	if m.shots != nil {
		m.shots.dead.Store(how == "killed")
	}
	require.NoError(m.rt, m.n.Close(context.Background()))
	m.shots = nil
	m.start(how == "fresh fold")
	m.follow()
}
