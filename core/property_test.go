package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// TestRebuiltStateIsTheLiveState runs random commands in two rooms and asserts, for each prefix that a run ends with,
// that folding the log anew gives the state that was built live, that versions and turns are contiguous, that no turn is
// given twice, and that every member's reader saw exactly the events of its time as a member.
func TestRebuiltStateIsTheLiveState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		now := newClock()
		log := memlog.New()
		n, err := core.Open(ctx, log, core.Options{Now: now.Now})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, n.Close(ctx)) }()
		m := &machine{n: n, log: log, accepted: map[string][]string{}}
		m.setup(rt)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			now.Advance(time.Duration(rapid.IntRange(0, 400).Draw(rt, "advance")) * time.Second)
			m.step(rt)
		}
		m.check(rt)
	})
}

type machine struct {
	n        *core.Node
	log      core.Log
	agents   []core.Agent
	rooms    []string
	listing  string
	accepted map[string][]string
}

func (m *machine) setup(rt *rapid.T) {
	ctx := context.Background()
	for i := range 4 {
		r, err := m.n.Register(ctx, core.Registration{Agent: core.Agent{Name: "bot"}, DeriveHandle: true})
		require.NoError(rt, err)
		require.Equal(rt, []string{"bot", "bot-2", "bot-3", "bot-4"}[i], r.Agent.Handle)
		m.agents = append(m.agents, r.Agent)
	}
	made, _, err := m.n.CreateRoom(ctx, core.CreateRoom{
		Facts: core.RoomFacts{Name: "open"}, Members: []core.NewMember{member(m.agents[0]), member(m.agents[1])},
	}, nil)
	require.NoError(rt, err)
	m.rooms = append(m.rooms, made.Room)
	m.listing = m.n.IDs().New(core.ListingPrefix, m.n.Now())
	made, _, err = m.n.CreateRoom(ctx, core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "turns", Floor: core.FloorTurns, MaxTurns: 6,
			Listing: &core.Listing{ID: m.listing, Agent: m.agents[0].ID, Topic: "turns"},
		},
		Members: []core.NewMember{member(m.agents[0])}, TTL: time.Hour,
	}, nil)
	require.NoError(rt, err)
	m.rooms = append(m.rooms, made.Room)
}

func (m *machine) step(rt *rapid.T) {
	ctx := context.Background()
	agent := rapid.SampledFrom(m.agents).Draw(rt, "agent")
	room := rapid.SampledFrom(m.rooms).Draw(rt, "room")
	var err error
	switch rapid.SampledFrom([]string{"post", "post", "post", "turn", "join", "connect", "close", "key"}).Draw(rt, "command") {
	case "post":
		err = m.post(room, core.PostMessage{Sender: agent.ID, Text: rapid.String().Draw(rt, "text")}, nil)
	case "turn":
		turn := rapid.IntRange(0, 8).Draw(rt, "expected")
		err = m.post(room, core.PostMessage{Sender: agent.ID, Text: "t", Expected: &turn}, nil)
	case "key":
		key := &core.Key{Agent: agent.ID, Value: fmt.Sprint(rapid.IntRange(0, 3).Draw(rt, "key")), BodyHash: "h"}
		err = m.post(room, core.PostMessage{Sender: agent.ID, Text: "k"}, key)
	case "join":
		err = m.n.JoinRoom(ctx, m.rooms[0], core.JoinRoom{Member: member(agent)})
	case "connect":
		_, err = m.n.ConnectListing(ctx, m.listing, core.ConnectListing{Member: member(agent)}, nil)
	case "close":
		if rapid.IntRange(0, 9).Draw(rt, "really") == 0 {
			_, _, err = m.n.CloseRoom(ctx, room, core.CloseRoom{Actor: agent.ID}, nil)
		}
	}
	require.True(rt, err == nil || expectedRefusal(err), "unexpected: %v", err)
}

func (m *machine) post(room string, cmd core.PostMessage, key *core.Key) error {
	posted, placed, err := m.n.PostMessage(context.Background(), room, cmd, key)
	if err == nil && !placed.Replayed {
		m.accepted[room] = append(m.accepted[room], posted.Message)
	}
	return err
}

func expectedRefusal(err error) bool {
	var (
		notActive *core.RoomNotActiveError
		expired   *core.RoomExpiredError
		mismatch  *core.TurnMismatchError
		notTurn   *core.NotYourTurnError
		invalid   *core.InvalidError
	)
	return errors.Is(err, core.ErrNotMember) || errors.Is(err, core.ErrOwnListing) || errors.Is(err, core.ErrListingTaken) ||
		errors.As(err, &invalid) || errors.Is(err, core.ErrNotAllowed) || errors.As(err, &notActive) || errors.As(err, &expired) || errors.As(err, &mismatch) || errors.As(err, &notTurn)
}

func (m *machine) check(rt *rapid.T) {
	ctx := context.Background()
	for _, room := range m.rooms {
		var live []byte
		require.NoError(rt, m.n.ViewRoom(ctx, room, func(r *core.Room) { live = mustJSON(rt, r) }))
		rebuilt := &core.Room{}
		var said []string
		for rec, err := range m.log.Read(ctx, core.RoomStream(room), 0) {
			require.NoError(rt, err)
			decodeAnew(rt, &rec)
			require.Equal(rt, rebuilt.Version+1, rec.Version, "versions are contiguous")
			if p, ok := rec.Payload.(*core.MessagePostedEvent); ok {
				require.Equal(rt, len(said), p.Turn, "turns are contiguous and given once")
				said = append(said, p.ID)
			}
			rebuilt.Apply(&rec)
		}
		require.Equal(rt, m.accepted[room], said, "exactly what was accepted is in the log")
		require.Equal(rt, string(mustJSON(rt, rebuilt)), string(live))
	}
}

// decodeAnew makes the payload of a record from its bytes: the one that this process still has would prove nothing about
// what the log keeps.
func decodeAnew(rt *rapid.T, rec *core.Recorded) {
	rec.Payload = nil
	require.NoError(rt, core.DecodeRecord(rec))
}

func mustJSON(rt *rapid.T, v any) []byte {
	b, err := json.Marshal(v)
	require.NoError(rt, err)
	return b
}
