package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/edgeframes"
	agentswitch "stele/switch"
	"stele/tests/internal/program"
)

// registrationToken registers the agents of the tests.
const registrationToken = "a token of these tests"

// world is a gateway with people and agents.
type world struct {
	t     *testing.T
	dir   string
	proc  *program.Process
	url   string
	flags []string
	http  *http.Client
	// password is the administrator's, as the first start printed it.
	password string
}

func newWorld(t *testing.T, flags ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), flags: flags, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	w.start("127.0.0.1:0")
	t.Cleanup(func() {
		w.http.CloseIdleConnections()
		require.NoError(t, w.proc.Stop())
	})
	w.password = w.printed(`password \(shown this once\): (\S+)`)
	return w
}

func (w *world) start(address string) {
	w.t.Helper()
	flags := append([]string{"--registration-token", registrationToken, "--listen", address}, w.flags...)
	proc, err := stele.Serve(w.dir, flags...)
	require.NoError(w.t, err)
	w.proc, w.url = proc, proc.URL
}

// restart kills the gateway and starts it again on its data, at the same address.
func (w *world) restart(meanwhile func()) {
	w.t.Helper()
	w.proc.Kill()
	w.http.CloseIdleConnections()
	meanwhile()
	w.start(strings.TrimPrefix(w.url, "http://"))
}

// printed waits for something that the program says, and returns what stands in the pattern's parentheses.
func (w *world) printed(pattern string) string {
	w.t.Helper()
	var found []string
	p := regexp.MustCompile(pattern)
	require.Eventually(w.t, func() bool {
		found = p.FindStringSubmatch(w.proc.Said())
		return found != nil
	}, patience, 10*time.Millisecond, "the program does not say %q", pattern)
	return found[1]
}

// signIn signs the administrator in, as a person does.
func (w *world) signIn(b *tab) {
	w.t.Helper()
	b.open("/gateway")
	b.await(`location.pathname === "/gateway/sign-in"`)
	b.fill(`input[name="name"]`, "admin")
	b.fill(`input[name="password"]`, w.password)
	b.submit(`input[name="password"]`)
	b.await(`location.pathname === "/gateway"`)
}

// register registers an agent at the Switch door, whose key works at all doors.
func (w *world) register(name, token string) agentswitch.RegisterAnswer {
	w.t.Helper()
	anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, HTTPClient: w.http})
	require.NoError(w.t, err)
	made, err := anyone.Register(w.t.Context(), token, agentswitch.RegisterRequest{
		AgentType: "claude-code", Name: name, Description: "takes part in a test",
	})
	require.NoError(w.t, err)
	return made
}

// party is three agents in one room, each with a client of another protocol.
type party struct {
	w    *world
	room string
	ada  *agentswitch.Session
	bert *areyouai.Client
	cleo *edgeframes.Client
	work sync.WaitGroup
}

// newParty lets the three meet in a room of Ada's. They stay until the test ends.
func (w *world) newParty(room agentswitch.CreateRoomArgs) *party {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &party{w: w}
	w.t.Cleanup(func() {
		if p.cleo != nil {
			p.cleo.Close()
		}
		if p.ada != nil {
			p.ada.Close()
		}
		cancel()
		p.work.Wait()
	})
	adaKey, cleoKey := w.register("ada", registrationToken), w.register("cleo", registrationToken)
	var err error
	p.bert, err = areyouai.NewClient(w.url, areyouai.ClientOptions{HTTP: w.http})
	require.NoError(w.t, err)
	_, err = p.bert.Register(ctx, "bert")
	require.NoError(w.t, err)

	ada, err := agentswitch.NewClient(agentswitch.Options{BaseURL: w.url, AgentID: adaKey.ID, APIKey: adaKey.APIKey, HTTPClient: w.http})
	require.NoError(w.t, err)
	room.AgentNames = []string{"ada", "bert", "cleo"}
	made, err := ada.CreateRoom(ctx, room)
	require.NoError(w.t, err)
	p.room = made.ID
	p.ada, err = ada.Connect(ctx, agentswitch.StreamOptions{ConnectionID: "ada-1", Rooms: []string{p.room}})
	require.NoError(w.t, err)
	p.work.Go(func() {
		for range p.ada.Frames(ctx) {
		}
	})
	require.NoError(w.t, p.ada.Await(ctx))
	p.work.Go(func() {
		for range p.bert.Events(ctx, p.room, areyouai.EventsOptions{}) {
		}
	})
	address := "ws" + strings.TrimPrefix(w.url, "http") + "/agents/cleo/" + url.PathEscape(p.room)
	p.cleo, err = edgeframes.NewClient(address, edgeframes.ClientOptions{Token: cleoKey.APIKey, Resume: true})
	require.NoError(w.t, err)
	p.cleo.Start(ctx)
	require.NoError(w.t, p.cleo.Ready(ctx))
	return p
}

func (p *party) adaSays(text string) {
	p.w.t.Helper()
	_, err := p.ada.PostMessage(p.w.t.Context(), text, "")
	require.NoError(p.w.t, err)
}

func (p *party) bertSays(text string) {
	p.w.t.Helper()
	now, err := p.bert.Context(p.w.t.Context(), p.room)
	require.NoError(p.w.t, err)
	_, err = p.bert.Send(p.w.t.Context(), p.room, areyouai.SendRequest{
		ExpectedTurn: now.NextTurn, Ciphertext: text, BundleHash: now.BundleHash,
	})
	require.NoError(p.w.t, err)
}

func (p *party) cleoSays(text string) {
	p.w.t.Helper()
	_, err := p.cleo.Call(p.w.t.Context(), "post_message", text)
	require.NoError(p.w.t, err)
}

// harbour is the room that most tests look at.
func harbour() agentswitch.CreateRoomArgs {
	return agentswitch.CreateRoomArgs{Name: "harbour", Description: "cranes and berths"}
}
