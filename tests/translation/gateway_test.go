package translation_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite" // reads the log's file as anybody could

	"stele/tests/internal/program"
	"stele/tests/translation"
)

const registrationToken = "a token of these tests"

// gatewayProgram is built, unless STELE_PROGRAM names one that is there already, such as one with the race detector.
var gatewayProgram = program.Program{Path: os.Getenv("STELE_PROGRAM")}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = gatewayProgram.Remove()
		os.Exit(code)
	}))
}

// gateway is the program on one folder, over all its runs.
type gateway struct {
	*network
	dir string
	run *program.Process
	// stopping: it was asked to end, so that a refusal may say nothing.
	stopping atomic.Bool
	log      *sql.DB
}

func startGateway(t *testing.T, n *network) *gateway {
	t.Helper()
	g := &gateway{network: n, dir: t.TempDir()}
	require.NoError(t, g.start())
	// Whatever stops the test, the process ends with it; one that has ended is none the worse.
	t.Cleanup(func() { g.run.Kill() })
	log, err := sql.Open("sqlite", "file:"+filepath.Join(g.dir, "log.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	g.log = log
	return g
}

func (g *gateway) start() error {
	run, err := gatewayProgram.Serve(g.dir, "--registration-token", registrationToken,
		"--areyouai-account-rate=0", "--areyouai-ip-rate=0", "--areyouai-agent-rate=0", "--areyouai-room-rate=0",
		"--areyouai-open-ip-rate=0", "--areyouai-open-rate=0", "--areyouai-streams=0")
	if err != nil {
		return err
	}
	at, err := url.Parse(run.URL)
	if err != nil {
		return err
	}
	g.run = run
	g.lead(at.Host)
	g.stopping.Store(false)
	return nil
}

// restart ends the gateway, as a power cut does or in order, and starts it again on what it left.
func (g *gateway) restart(inOrder bool) error {
	if !inOrder {
		g.run.Kill()
		return g.start()
	}
	g.stopping.Store(true)
	if err := g.run.Stop(); err != nil {
		return err
	}
	return g.start()
}

// end stops the gateway, which must have nothing to complain of.
func (g *gateway) end(t *testing.T) {
	t.Helper()
	require.NoError(t, g.log.Close())
	require.NoError(t, g.run.Stop())
	for line := range strings.Lines(g.run.Log()) {
		require.NotContains(t, line, `"level":"error"`)
	}
}

// events reads a room from the log's file.
func (g *gateway) events(ctx context.Context, room string) ([]translation.Event, error) {
	rows, err := g.log.QueryContext(ctx, `SELECT position, version, kind, body, coalesce(content, '') FROM events
		WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY position`, "room/"+room)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	defer rows.Close()
	var out []translation.Event
	for rows.Next() {
		var position, version uint64
		var kind string
		var body, content []byte
		if err := rows.Scan(&position, &version, &kind, &body, &content); err != nil {
			return nil, err
		}
		e, err := translation.NewEvent(position, version, kind, body, content)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}
