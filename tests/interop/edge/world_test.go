package edge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	agentswitch "stele/switch"
	"stele/tests/internal/npm"
	"stele/tests/internal/program"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 30 * time.Second

// registrationToken registers the agents of the tests.
const registrationToken = "a token of these tests"

// stele is the program under test.
var stele = program.Program{Patience: patience}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := stele.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// here is the folder of the clients, with their packages installed.
func here(t *testing.T) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(file)
	npm.Install(t, dir, "the edge door with clients under Node and in a browser")
	return dir
}

// agent is an agent as the clients know it. Its key works at every door.
type agent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Key  string `json:"key"`
}

// world is a gateway with agents.
type world struct {
	t      *testing.T
	dir    string
	flags  []string
	url    string
	proc   *program.Process
	http   *http.Client
	agents map[string]agent
}

// newWorld starts a gateway in which alice, bob and eve are registered.
func newWorld(t *testing.T, flags ...string) *world {
	t.Helper()
	w := &world{
		t: t, dir: t.TempDir(), flags: append([]string{"--registration-token", registrationToken, "--edge-create-rate", "0"}, flags...),
		http: &http.Client{Transport: &http.Transport{}}, agents: map[string]agent{},
	}
	w.start()
	t.Cleanup(func() {
		w.http.CloseIdleConnections()
		require.NoError(t, w.proc.Stop())
	})
	anyone := w.client("")
	for _, name := range []string{"alice", "bob", "eve"} {
		made, err := anyone.Register(t.Context(), registrationToken, agentswitch.RegisterRequest{
			AgentType: "codex", Name: name, Description: "takes part in a test",
		})
		require.NoError(t, err)
		w.agents[name] = agent{made.ID, name, made.APIKey}
	}
	return w
}

// start runs the gateway on the data there is.
func (w *world) start() {
	w.t.Helper()
	proc, err := stele.Serve(w.dir, w.flags...)
	require.NoError(w.t, err)
	w.proc, w.url = proc, proc.URL
}

// client speaks at the Switch door, as nobody if name is empty.
func (w *world) client(name string) *agentswitch.Client {
	w.t.Helper()
	client, err := agentswitch.NewClient(agentswitch.Options{
		BaseURL: w.url, AgentID: w.agents[name].ID, APIKey: w.agents[name].Key, HTTPClient: w.http,
	})
	require.NoError(w.t, err)
	return client
}

// room makes a room of alice and bob at the Switch door and returns its id.
func (w *world) room(ctx context.Context, name, visibility string) string {
	w.t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	require.NoError(w.t, w.client("alice").Call(ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": name, "description": "where the tests meet", "agent_names": []string{"alice", "bob"},
		"read_visibility": visibility, "write_visibility": visibility,
	}, &made))
	return made.ID
}

// told is what the clients are told of the world, with other things beside.
func (w *world) told(more map[string]any) string {
	w.t.Helper()
	all := map[string]any{"url": w.url, "agents": w.agents}
	for key, value := range more {
		all[key] = value
	}
	text, err := json.Marshal(all)
	require.NoError(w.t, err)
	return string(text)
}
