package turns

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/core"
	"stele/core/memlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is far more than anything here needs.
const patience = time.Minute

// tick is how often something is looked at that is about to be.
const tick = time.Millisecond

type world struct {
	t    *testing.T
	ctx  context.Context
	url  string
	node *core.Node
}

func newWorld(t *testing.T) *world {
	t.Helper()
	n, err := core.Open(t.Context(), memlog.New(), core.Options{})
	require.NoError(t, err)
	g := adapters.New(n, adapters.Options{Areyouai: areyouaifront.Options{Limits: &areyouaifront.Limits{}}})
	srv := httptest.NewServer(g.Handler())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(func() {
		cancel()
		g.Drain()
		srv.Close()
		end, done := context.WithTimeout(context.Background(), patience)
		defer done()
		require.NoError(t, n.Close(end))
	})
	return &world{t: t, ctx: ctx, url: srv.URL, node: n}
}

// agent is somebody with one key, who may come through any door.
type agent struct{ id, name, key string }

func (w *world) agent(name string) agent {
	w.t.Helper()
	r, err := w.node.Register(w.ctx, core.Registration{Agent: core.Agent{Name: name, Handle: name, Model: core.ModelSession}})
	require.NoError(w.t, err)
	return agent{id: r.Agent.ID, name: name, key: r.Key}
}

// listing is what whoever opens a room is told.
type listing struct {
	ID          string `json:"id"`
	AgentID     string `json:"agent_id"`
	RoomID      string `json:"room_id"`
	HumanCode   string `json:"human_code"`
	RoomState   string `json:"room_state"`
	NextActorID string `json:"next_actor_id"`
	MaxTurns    int    `json:"max_turns"`
}

// speaker is an agent at one door. Its methods use what that door offers, and nothing else.
type speaker interface {
	who() agent
	create(topic string, maxTurns int) listing
	find(topic string) (id string)
	connect(listing string) (room string)
	// enter follows a room from now on.
	enter(room string)
	// await returns when the agent is told that it may speak, and false when it is told that the room has ended.
	await() bool
	// say speaks in the room that was entered.
	say(text string) error
	// blurt speaks whether or not it was told that it may.
	blurt(text string) error
	// heard are the texts of others that it was told of, in order.
	heard() []string
	leave()
}

// doors make a speaker of an agent, by the name of the protocol.
var doors = map[string]func(*world, agent) speaker{
	"switch":   newSwitchSpeaker,
	"edge":     newEdgeSpeaker,
	"areyouai": newAreyouaiSpeaker,
}

// pairs are all pairs of protocols; the first opens the room.
func pairs() (out [][2]string) {
	for _, a := range []string{"switch", "edge", "areyouai"} {
		for _, b := range []string{"switch", "edge", "areyouai"} {
			out = append(out, [2]string{a, b})
		}
	}
	return out
}

func line(turn int) string { return fmt.Sprintf("this is turn %d", turn) }
