package nodes

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
	"stele/core/memlog"
	"stele/edgeframes"
	agentswitch "stele/switch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is far more than anything here needs.
const patience = time.Minute

const token = "let-me-in"

// pair is two gateways on one log.
type pair struct {
	urls  [2]string
	nodes [2]*core.Node
}

func newPair(t *testing.T) *pair {
	t.Helper()
	store := memlog.NewStore(memlog.Options{})
	p := &pair{}
	for i := range p.urls {
		n, err := core.Open(t.Context(), store.Open(), core.Options{NodeID: fmt.Sprintf("node-%d", i)})
		require.NoError(t, err)
		g := adapters.New(n, adapters.Options{Areyouai: areyouaifront.Options{Limits: &areyouaifront.Limits{}}})
		srv := httptest.NewServer(g.Handler())
		p.urls[i], p.nodes[i] = srv.URL, n
		t.Cleanup(func() {
			g.Drain()
			srv.Close()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			require.NoError(t, n.Close(ctx))
		})
	}
	require.NoError(t, p.nodes[0].AddRegistrationToken(t.Context(), "owner", token))
	return p
}

// agent is one agent with a Switch client at each gateway.
type agent struct {
	id, key string
	at      [2]*agentswitch.Client
}

func (p *pair) register(t *testing.T, name string, door int) *agent {
	t.Helper()
	c, err := agentswitch.NewClient(agentswitch.Options{BaseURL: p.urls[door]})
	require.NoError(t, err)
	ans, err := c.Register(t.Context(), token, agentswitch.RegisterRequest{AgentType: "codex", Name: name, Description: name})
	require.NoError(t, err)
	a := &agent{id: ans.ID, key: ans.APIKey}
	for i := range a.at {
		a.at[i], err = agentswitch.NewClient(agentswitch.Options{BaseURL: p.urls[i], AgentID: a.id, APIKey: a.key})
		require.NoError(t, err)
	}
	return a
}

func (p *pair) areyouai(t *testing.T, door int, key string) *areyouai.Client {
	t.Helper()
	c, err := areyouai.NewClient(p.urls[door], areyouai.ClientOptions{APIKey: key})
	require.NoError(t, err)
	return c
}

// hear opens a stream at a gateway after a sequence, reads want messages, and closes it.
func hear(t *testing.T, c *agentswitch.Client, connection, room string, after uint64, want int) (got []agentswitch.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for frame, err := range c.OpenOnce(ctx, agentswitch.StreamOptions{ConnectionID: connection, Rooms: []string{room}, After: &after}) {
		require.NoError(t, err)
		if e, ok := frame.(agentswitch.Event); ok {
			if _, ok := e.Payload.(agentswitch.Message); ok {
				got = append(got, e)
			}
		}
		if len(got) == want {
			return got
		}
	}
	return got
}

func TestAnyRequestAndAnyReconnectToEither(t *testing.T) {
	p := newPair(t)
	ada := p.register(t, "ada", 0)
	// Each step goes to the other gateway than the one before, at once.
	bob := p.register(t, "bob", 1)
	var made agentswitch.CreateRoomAnswer
	require.NoError(t, ada.at[0].Call(t.Context(), agentswitch.OpCreateRoom, map[string]any{
		"name": "ops", "description": "", "agent_names": []string{"ada", "bob"},
	}, &made))
	stream, stop := context.WithCancel(t.Context())
	defer stop()
	opened := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var once sync.Once
		for range ada.at[1].Events(stream, agentswitch.StreamOptions{ConnectionID: "ada", Rooms: []string{made.ID}}) {
			once.Do(func() { close(opened) })
		}
	})
	<-opened

	// The connection's stream is at 1; operations and beats at 0 find it alive.
	const rounds = 30
	for i := range rounds {
		_, err := ada.at[i%2].WithConnection("ada").PostMessage(t.Context(), fmt.Sprintf("m%d", i), "")
		require.NoError(t, err)
		_, err = ada.at[(i+1)%2].Beat(t.Context(), agentswitch.BeatRequest{ConnectionID: "ada"})
		require.NoError(t, err)
	}

	// Bob reads three at a time, each time at the other gateway, each time from his cursor.
	var after uint64
	var heard []string
	for i := 0; len(heard) < rounds; i++ {
		for _, e := range hear(t, bob.at[i%2], "bob", made.ID, after, min(3, rounds-len(heard))) {
			require.Greater(t, e.Sequence, after)
			after = e.Sequence
			heard = append(heard, e.Payload.(agentswitch.Message).Body)
		}
	}
	for i, text := range heard {
		require.Equal(t, fmt.Sprintf("m%d", i), text)
	}

	// areyouai: log in at one, read at the other, history joins up whatever the gateway.
	var since int64
	var texts []string
	for i := 0; len(texts) < rounds; i++ {
		h, err := p.areyouai(t, i%2, bob.key).History(t.Context(), made.ID, since, 7)
		require.NoError(t, err)
		for _, e := range h.Items {
			require.Equal(t, since+1, e.EventID)
			since = e.EventID
			if e.Type == areyouai.EventMessageCreated {
				texts = append(texts, e.Ciphertext)
			}
		}
	}
	require.Equal(t, heard, texts)

	// edge: the socket is at 1, what is said at 0 reaches it.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	socket, err := edgeframes.Dial(ctx, "ws"+strings.TrimPrefix(p.urls[1], "http")+"/agents/ada/ops", edgeframes.ClientOptions{Token: bob.key})
	require.NoError(t, err)
	defer socket.Close()
	_, err = ada.at[0].WithConnection("ada").PostMessage(t.Context(), "to the socket", "")
	require.NoError(t, err)
	for update, err := range socket.Messages(ctx) {
		require.NoError(t, err)
		if all := update.Messages; len(all) > 0 && all[len(all)-1].Content == "to the socket" {
			break
		}
	}
	stop()
	wg.Wait()
}

func TestOneWinnerPerTurnAcrossGateways(t *testing.T) {
	p := newPair(t)
	ada, bob := p.register(t, "ada", 0), p.register(t, "bob", 1)
	listing, err := p.areyouai(t, 0, ada.key).CreateListing(t.Context(), areyouai.ListingRequest{Topic: "race", MaxTurns: 1_000})
	require.NoError(t, err)

	// Two connect at once through different gateways: one wins.
	eve := p.register(t, "eve", 0)
	var mu sync.Mutex
	var winners []*agent
	var wg sync.WaitGroup
	for i, a := range []*agent{bob, eve} {
		wg.Go(func() {
			_, err := p.areyouai(t, i, a.key).Connect(t.Context(), listing.ID)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				winners = append(winners, a)
				return
			}
			if !errors.Is(err, areyouai.CodeListingAlreadyConnected) {
				t.Errorf("the loser got %v", err)
			}
		})
	}
	wg.Wait()
	require.Len(t, winners, 1)

	clients := map[int][]*areyouai.Client{}
	for i, a := range []*agent{ada, winners[0]} {
		for door := range 2 {
			clients[i] = append(clients[i], p.areyouai(t, door, a.key))
		}
	}
	for turn := range 40 {
		accepted := 0
		var wg sync.WaitGroup
		for _, c := range clients[turn%2] {
			for range 2 {
				wg.Go(func() {
					state, err := c.Context(t.Context(), listing.RoomID)
					if err != nil {
						t.Error(err)
						return
					}
					_, err = c.Send(t.Context(), listing.RoomID, areyouai.SendRequest{
						ExpectedTurn: int64(turn), Ciphertext: "mine", BundleHash: state.BundleHash,
					})
					if err == nil {
						mu.Lock()
						defer mu.Unlock()
						accepted++
						return
					}
					if !errors.Is(err, areyouai.CodeTurnMismatch) && !errors.Is(err, areyouai.CodeStaleBundleHash) {
						t.Errorf("a loser got %v", err)
					}
				})
			}
		}
		wg.Wait()
		require.Equal(t, 1, accepted, "turn %d", turn)
	}
}

func TestClaimAtOneGatewayIsSeenAtTheOther(t *testing.T) {
	p := newPair(t)
	ada := p.register(t, "ada", 0)
	var made agentswitch.CreateRoomAnswer
	require.NoError(t, ada.at[0].Call(t.Context(), agentswitch.OpCreateRoom, map[string]any{
		"name": "ops", "description": "", "agent_names": []string{"ada"},
	}, &made))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	lost := make(chan struct{})
	open := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			rooms := []string{made.ID}
			if i == 1 {
				rooms = nil
			}
			for frame, err := range ada.at[i].OpenOnce(ctx, agentswitch.StreamOptions{ConnectionID: fmt.Sprint("c-", i), Rooms: rooms}) {
				if err != nil {
					return
				}
				switch f := frame.(type) {
				case agentswitch.ConnectionState:
					close(open[i])
				case agentswitch.SubscriptionChanged:
					if i == 0 && len(f.Rooms) == 0 {
						close(lost)
					}
				}
			}
		})
		<-open[i]
	}
	_, err := ada.at[1].Subscribe(ctx, agentswitch.SubscribeRequest{ConnectionID: "c-1", RoomID: made.ID})
	var refusal agentswitch.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, 409, refusal.Status())
	ans, err := ada.at[0].Subscribe(ctx, agentswitch.SubscribeRequest{ConnectionID: "c-1", RoomID: made.ID, Takeover: true})
	require.NoError(t, err)
	require.Equal(t, "c-0", *ans.EvictedConnectionID)
	<-lost
	cancel()
	wg.Wait()
}
