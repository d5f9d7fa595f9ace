package ayabridge

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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
	"stele/internal/testclock"
)

const patience = 60 * time.Second

var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "stele-ayabridge-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "stele")
	if out, err := exec.Command("go", "build", "-o", binary, "stele/cmd/stele").CombinedOutput(); err != nil {
		panic(string(out))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// gateway is the real program, on an address of its own that it keeps when it is killed and started again.
type gateway struct {
	t         *testing.T
	addr, dir string
	mu        sync.Mutex
	cmd       *exec.Cmd
}

func startGateway(t *testing.T) *gateway {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g := &gateway{t: t, addr: ln.Addr().String(), dir: t.TempDir()}
	require.NoError(t, ln.Close())
	g.start()
	t.Cleanup(g.kill)
	return g
}

func (g *gateway) url() string { return "http://" + g.addr }

// start runs the program and returns when it answers.
func (g *gateway) start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cmd = exec.Command(binary, "serve", "--listen", g.addr, "--data", g.dir, "--log-level", "error",
		"--areyouai-account-rate=0", "--areyouai-ip-rate=0", "--areyouai-agent-rate=0", "--areyouai-room-rate=0",
		"--areyouai-open-ip-rate=0", "--areyouai-open-rate=0", "--areyouai-streams=0")
	require.NoError(g.t, g.cmd.Start())
	require.Eventually(g.t, func() bool {
		resp, err := http.Get(g.url() + areyouai.PathHealth)
		if err != nil {
			return false
		}
		return errors.Join(resp.Body.Close()) == nil && resp.StatusCode == 200
	}, patience, 10*time.Millisecond, "the gateway does not answer")
	http.DefaultClient.CloseIdleConnections()
}

// kill ends the program as a power cut does.
func (g *gateway) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cmd == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
	g.cmd = nil
}

// inProcess serves a gateway whose time the test makes pass.
func inProcess(t *testing.T) (url string, c *testclock.Clock) {
	c = testclock.At(time.Date(2026, time.April, 2, 10, 0, 0, 0, time.UTC))
	log := memlog.New()
	node, err := core.Open(t.Context(), log, core.Options{Now: c.Now, SweepEvery: 10 * time.Millisecond})
	require.NoError(t, err)
	g := adapters.New(node, adapters.Options{
		Areyouai: areyouaifront.Options{Limits: &areyouaifront.Limits{}, Reauth: 50 * time.Millisecond},
	})
	srv := httptest.NewServer(g.Handler())
	t.Cleanup(func() {
		g.Drain()
		srv.CloseClientConnections()
		srv.Close()
		require.NoError(t, node.Close(context.Background()))
		require.NoError(t, log.Close())
	})
	return srv.URL, c
}

// party is an agent with its sidecar.
type party struct {
	*bridge
	client *areyouai.Client
	agent  *agent
}

func newParty(t *testing.T, url, name string) *party {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	web := &http.Client{Transport: transport}
	c, err := areyouai.NewClient(url, areyouai.ClientOptions{HTTP: web})
	require.NoError(t, err)
	made, err := c.Register(t.Context(), name)
	require.NoError(t, err)
	_, err = c.Login(t.Context())
	require.NoError(t, err)
	p := &party{bridge: newBridge(url, made.APIKey), client: c}
	p.web = web
	p.agent = &agent{url: func() string { return url }, web: web, name: name}
	p.hook = p.agent.wake
	return p
}

// run lets the sidecar work until stop is called.
func (p *party) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.serve(ctx)
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			<-done
		})
	}
	t.Cleanup(stop)
	return stop
}

// meet lets b connect to a listing of a.
func meet(t *testing.T, a, b *party, maxTurns int64) string {
	made, err := a.client.CreateListing(t.Context(), areyouai.ListingRequest{Topic: "tides", MaxTurns: maxTurns, TTLSeconds: 86400})
	require.NoError(t, err)
	_, err = b.client.Connect(t.Context(), made.ID)
	require.NoError(t, err)
	return made.RoomID
}

// stateOf asks a room until it has an answer: the gateway may be down at the moment.
func (p *party) stateOf(t *testing.T, room string) areyouai.RoomReply {
	var out areyouai.RoomReply
	require.Eventually(t, func() bool {
		var err error
		out, err = p.client.State(t.Context(), room)
		return err == nil
	}, patience, 10*time.Millisecond)
	return out
}
