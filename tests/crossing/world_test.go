package crossing_test

import (
	"context"
	"iter"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/areyouai"
	"stele/edgeframes"
	agentswitch "stele/switch"
	"stele/tests/internal/program"
)

const (
	registrationToken = "a token of these tests"
	// patience is how long anything may take that must happen.
	patience = 90 * time.Second
)

var gatewayProgram program.Program

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = gatewayProgram.Remove()
		os.Exit(code)
	}))
}

// door is a protocol's way in.
type door string

const (
	bySwitch   door = "switch"
	byAreyouai door = "areyouai"
	byEdge     door = "edge"
)

func doors() []door { return []door{bySwitch, byAreyouai, byEdge} }

// world is a gateway.
type world struct {
	ctx    context.Context
	url    string
	anyone *agentswitch.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	run, err := gatewayProgram.Serve(t.TempDir(), "--registration-token", registrationToken,
		"--areyouai-account-rate=0", "--areyouai-ip-rate=0", "--areyouai-agent-rate=0", "--areyouai-room-rate=0",
		"--areyouai-open-ip-rate=0", "--areyouai-open-rate=0", "--areyouai-streams=0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, run.Stop()) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w := &world{ctx: ctx, url: run.URL}
	w.anyone, err = agentswitch.NewClient(agentswitch.Options{BaseURL: w.url})
	require.NoError(t, err)
	return w
}

// agent is somebody with one key, which opens every door.
type agent struct {
	w               *world
	id, key, handle string
	// session is its connection of the Switch protocol, aya its client of areyouai, socket its edge socket; each is there from
	// when it was first asked for.
	session *agentswitch.Session
	aya     *areyouai.Client
	socket  *edgeframes.Client
	// events are those of the room that the socket is told, from the first one.
	events iter.Seq2[edgeframes.EventFrame, error]
}

// register registers an agent at a door. The edge has none of its own: who goes there took a key at another one.
func (w *world) register(t *testing.T, at door, name string) *agent {
	t.Helper()
	a := &agent{w: w, handle: name}
	if at == byAreyouai {
		c, err := areyouai.NewClient(w.url, areyouai.ClientOptions{})
		require.NoError(t, err)
		made, err := c.Register(w.ctx, name)
		require.NoError(t, err)
		a.id, a.key = made.AgentID, made.APIKey
		return a
	}
	made, err := w.anyone.Register(w.ctx, registrationToken, agentswitch.RegisterRequest{
		AgentType: "claude-code", Name: name, Description: "d",
	})
	require.NoError(t, err)
	a.id, a.key = made.ID, made.APIKey
	return a
}

// client is the agent at the Switch door.
func (a *agent) client() *agentswitch.Client { return a.w.anyone.WithAgent(a.id, a.key) }

// connect opens the agent's connection with the room claimed.
func (a *agent) connect(t *testing.T, room string) *agentswitch.Session {
	t.Helper()
	if a.session == nil {
		s, err := a.client().Connect(a.w.ctx, agentswitch.StreamOptions{ConnectionID: a.id + "-" + room, Rooms: []string{room}})
		require.NoError(t, err)
		a.session = s
		t.Cleanup(s.Close)
	}
	return a.session
}

func (a *agent) areyouai(t *testing.T) *areyouai.Client {
	t.Helper()
	if a.aya == nil {
		c, err := areyouai.NewClient(a.w.url, areyouai.ClientOptions{APIKey: a.key, AgentID: a.id})
		require.NoError(t, err)
		a.aya = c
	}
	return a.aya
}

func (a *agent) attach(t *testing.T, room string) *edgeframes.Client {
	t.Helper()
	if a.socket == nil {
		c, err := edgeframes.NewClient(a.w.socketURL(a.id, room), edgeframes.ClientOptions{Token: a.key})
		require.NoError(t, err)
		a.socket, a.events = c, c.Events(a.w.ctx, 1)
		c.Start(a.w.ctx)
		t.Cleanup(c.Close)
		require.NoError(t, c.Ready(a.w.ctx))
	}
	return a.socket
}

func (w *world) socketURL(agent, conversation string) string {
	return "ws" + strings.TrimPrefix(w.url, "http") + "/agents/" + url.PathEscape(agent) + "/" + url.PathEscape(conversation)
}

// say posts a message by a door, in the words of its protocol.
func (a *agent) say(t *testing.T, by door, room, text string) error {
	t.Helper()
	switch by {
	case bySwitch:
		_, err := a.connect(t, room).PostMessage(a.w.ctx, text, "")
		return err
	case byAreyouai:
		c := a.areyouai(t)
		at, err := c.Context(a.w.ctx, room)
		require.NoError(t, err)
		_, err = c.Send(a.w.ctx, room, areyouai.SendRequest{ExpectedTurn: at.NextTurn, Ciphertext: text, BundleHash: at.BundleHash})
		return err
	}
	_, err := a.attach(t, room).Call(a.w.ctx, "post_message", text)
	return err
}

// heard is a message as a door brought it.
type heard struct {
	text, thread string
	addressed    bool
	attachments  []agentswitch.Attachment
}

// listen follows what is said in a room by a door, from now on.
func (a *agent) listen(t *testing.T, by door, room string) <-chan heard {
	t.Helper()
	out := make(chan heard, 1024)
	ctx, cancel := context.WithCancel(a.w.ctx)
	var work sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		if by == bySwitch {
			a.session.Close()
		}
		work.Wait()
	})
	switch by {
	case bySwitch:
		s := a.connect(t, room)
		work.Go(func() {
			for frame := range s.Frames(ctx) {
				if e, ok := frame.(agentswitch.Event); ok {
					if m, ok := e.Payload.(agentswitch.Message); ok {
						h := heard{text: m.Body, addressed: m.Addressed, attachments: m.Attachments}
						if m.ThreadID != nil {
							h.thread = *m.ThreadID
						}
						out <- h
					}
				}
			}
		})
	case byAreyouai:
		stream, err := a.areyouai(t).OpenOnce(ctx, room, areyouai.EventsOptions{})
		require.NoError(t, err)
		work.Go(func() {
			defer func() { _ = stream.Close() }()
			for {
				ev, err := stream.Next()
				if err != nil {
					return
				}
				if ev.Type == areyouai.EventMessageCreated {
					out <- heard{text: ev.Ciphertext}
				}
			}
		})
	case byEdge:
		c := a.attach(t, room)
		updates := c.Messages(ctx)
		work.Go(func() {
			for update, err := range updates {
				if err != nil {
					return
				}
				for _, m := range update.Messages {
					out <- heard{text: m.Content}
				}
			}
		})
	}
	return out
}

// next is the next message.
func next(t *testing.T, w *world, from <-chan heard) heard {
	t.Helper()
	select {
	case h := <-from:
		return h
	case <-w.ctx.Done():
		require.Fail(t, "nothing came")
	}
	return heard{}
}

// room makes an open room of agents, the first of which makes it.
func (w *world) room(t *testing.T, name string, all ...*agent) string {
	t.Helper()
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.handle
	}
	made, err := all[0].client().CreateRoom(w.ctx, agentswitch.CreateRoomArgs{Name: name, Description: "d", AgentNames: names})
	require.NoError(t, err)
	return made.ID
}
