package bench

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
	"stele/core/sqlitelog"
	"stele/edgeframes"
	agentswitch "stele/switch"
)

// crossingRoom is a room in which one client of each protocol listens and another one of each speaks, all with the clients of
// this project.
type crossingRoom struct {
	url, id string
	web     *http.Client
	work    *sync.WaitGroup
	// senders prepare a message, which is not measured, and return what sends it.
	senders [3]func(ctx context.Context, text string) (send func() error, err error)
	// deliveries are what the listeners have decoded.
	deliveries chan delivery
}

// delivery is a message that a listener has.
type delivery struct {
	script int
	text   string
	at     time.Time
}

func newCrossingRoom(b *testing.B) *crossingRoom {
	b.Helper()
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	// Nobody beats here, so that only messages are measured, and nobody is held back.
	n, err := core.Open(b.Context(), log, core.Options{LeaseTTL: time.Hour})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, n.Close(context.Background())) })
	limits := areyouaifront.Options{Limits: &areyouaifront.Limits{}}
	url, _ := listen(b, adapters.New(n, adapters.Options{Areyouai: limits}).Serve)
	pool := &http.Transport{MaxIdleConnsPerHost: 16}
	r := &crossingRoom{
		url: url, web: &http.Client{Transport: pool}, work: &sync.WaitGroup{}, deliveries: make(chan delivery, len(scripts)),
	}
	b.Cleanup(func() {
		r.work.Wait()
		pool.CloseIdleConnections()
	})

	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "crossing"}}
	var agents []core.Registered
	for _, name := range []string{"sara", "anna", "edna", "simon", "arne", "egon"} {
		a, err := n.Register(b.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name, Model: core.ModelSession}})
		require.NoError(b, err)
		agents = append(agents, a)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: a.Agent.ID, Name: name, Handle: name})
	}
	made, _, err := n.CreateRoom(b.Context(), cmd, nil)
	require.NoError(b, err)
	r.id = made.Room
	r.speakSwitch(b, agents[0])
	r.speakAreyouai(b, agents[1])
	r.speakEdge(b, agents[2])
	r.hearSwitch(b, agents[3])
	r.hearAreyouai(b, agents[4])
	r.hearEdge(b, agents[5])
	return r
}

// heard passes a message on.
func (r *crossingRoom) heard(script int, text string) {
	r.deliveries <- delivery{script, text, time.Now()}
}

func (r *crossingRoom) onSwitch(b *testing.B, a core.Registered) (*agentswitch.Client, *agentswitch.Stream) {
	b.Helper()
	c, err := agentswitch.NewClient(agentswitch.Options{BaseURL: r.url, AgentID: a.Agent.ID, APIKey: a.Key, HTTPClient: r.web})
	require.NoError(b, err)
	stream, err := c.Open(b.Context(), agentswitch.StreamOptions{ConnectionID: a.Agent.Name, Rooms: []string{r.id}})
	require.NoError(b, err)
	b.Cleanup(func() { _ = stream.Close() })
	_, err = stream.Next()
	require.NoError(b, err)
	return c.WithConnection(a.Agent.Name), stream
}

// speakSwitch posts through a connection, whose own stream nobody reads: nothing of its own comes to it, and what others say
// is small.
func (r *crossingRoom) speakSwitch(b *testing.B, a core.Registered) {
	c, stream := r.onSwitch(b, a)
	r.work.Go(func() {
		for err := error(nil); err == nil; {
			_, err = stream.Next()
		}
	})
	r.senders[0] = func(ctx context.Context, text string) (func() error, error) {
		return func() error {
			_, err := c.PostMessage(ctx, text, "")
			return err
		}, nil
	}
}

func (r *crossingRoom) hearSwitch(b *testing.B, a core.Registered) {
	_, stream := r.onSwitch(b, a)
	r.work.Go(func() {
		for {
			frame, err := stream.Next()
			if err != nil {
				return
			}
			if ev, ok := frame.(agentswitch.Event); ok {
				if m, ok := ev.Payload.(agentswitch.Message); ok {
					r.heard(0, m.Body)
				}
			}
		}
	})
}

func (r *crossingRoom) onAreyouai(b *testing.B, a core.Registered) *areyouai.Client {
	b.Helper()
	c, err := areyouai.NewClient(r.url, areyouai.ClientOptions{HTTP: r.web, APIKey: a.Key})
	require.NoError(b, err)
	_, err = c.Login(b.Context())
	require.NoError(b, err)
	return c
}

// speakAreyouai reads the room before each message, as every agent of this protocol has to. That is no part of the crossing.
func (r *crossingRoom) speakAreyouai(b *testing.B, a core.Registered) {
	c := r.onAreyouai(b, a)
	r.senders[1] = func(ctx context.Context, text string) (func() error, error) {
		read, err := c.Context(ctx, r.id)
		return func() error {
			_, err := c.Send(ctx, r.id, areyouai.SendRequest{ExpectedTurn: read.NextTurn, Ciphertext: text, BundleHash: read.BundleHash})
			return err
		}, err
	}
}

func (r *crossingRoom) hearAreyouai(b *testing.B, a core.Registered) {
	stream, err := r.onAreyouai(b, a).OpenOnce(b.Context(), r.id, areyouai.EventsOptions{})
	require.NoError(b, err)
	b.Cleanup(func() { _ = stream.Close() })
	r.work.Go(func() {
		for {
			ev, err := stream.Next()
			if err != nil {
				return
			}
			if ev.Type == areyouai.EventMessageCreated {
				r.heard(1, ev.Ciphertext)
			}
		}
	})
}

func (r *crossingRoom) onEdge(b *testing.B, a core.Registered, streams ...edgeframes.Stream) *edgeframes.Client {
	b.Helper()
	address := "ws" + strings.TrimPrefix(r.url, "http") + "/agents/" + a.Agent.ID + "/" + r.id
	c, err := edgeframes.Dial(b.Context(), address, edgeframes.ClientOptions{Token: a.Key, Subscribe: streams, HTTPClient: r.web})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	return c
}

func (r *crossingRoom) speakEdge(b *testing.B, a core.Registered) {
	c := r.onEdge(b, a, []edgeframes.Stream{}...)
	r.senders[2] = func(ctx context.Context, text string) (func() error, error) {
		return func() error {
			_, err := c.Call(ctx, "post_message", text)
			return err
		}, nil
	}
}

func (r *crossingRoom) hearEdge(b *testing.B, a core.Registered) {
	c := r.onEdge(b, a, edgeframes.StreamMessages)
	r.work.Go(func() {
		for update, err := range c.Messages(context.Background()) {
			if err != nil {
				return
			}
			for _, m := range update.Messages {
				r.heard(2, m.Content)
			}
		}
	})
}
