package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/areyouai"
	agentswitch "stele/switch"
)

// drainBound is what the program promises; a drain takes a few milliseconds.
const drainBound = 5 * time.Second

// startServe runs this test binary as the program.
func startServe(t *testing.T, args ...string) (cmd *exec.Cmd, url string) {
	t.Helper()
	cmd, lines, rest := spawnServe(t, t.TempDir(), args...)
	url = after(t, lines, "listening on ")
	rest()
	return cmd, url
}

// after returns what stands behind a prefix in the first line that has it.
func after(t *testing.T, lines *bufio.Scanner, prefix string) string {
	t.Helper()
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return strings.TrimSpace(text)
		}
	}
	require.Fail(t, "the program did not print it", "%q", prefix)
	return ""
}

// spawnServe starts the program on a data folder. The caller reads the lines it wants of its output, and then calls rest.
func spawnServe(t *testing.T, data string, args ...string) (cmd *exec.Cmd, lines *bufio.Scanner, rest func()) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(self)
	cmd.Args = append([]string{"stele", "serve", "--listen", "127.0.0.1:0", "--data", data}, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out), func() { go func() { _, _ = io.Copy(io.Discard, out) }() }
}

// TestTermDrains opens a stream of each protocol, ends the program with SIGTERM and asserts that every stream got its
// protocol's goodbye and the program exits with 0 in time.
func TestTermDrains(t *testing.T) {
	cmd, url := startServe(t, "--registration-token", "let-me-in")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := agentswitch.NewClient(agentswitch.Options{BaseURL: url})
	require.NoError(t, err)
	ada, err := c.Register(ctx, "let-me-in", agentswitch.RegisterRequest{AgentType: "codex", Name: "ada", Description: "d"})
	require.NoError(t, err)
	var made agentswitch.CreateRoomAnswer
	require.NoError(t, c.WithAgent(ada.ID, ada.APIKey).Call(ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": "ops", "description": "", "agent_names": []string{"ada"},
	}, &made))

	onSwitch := stream(ctx, t, url+"/agents/"+ada.ID+"/events?connection_id=c-1&rooms="+made.ID, ada.APIKey)
	bert, err := areyouai.NewClient(url, areyouai.ClientOptions{APIKey: ada.APIKey})
	require.NoError(t, err)
	_, err = bert.Login(ctx)
	require.NoError(t, err)
	onAreyouai := stream(ctx, t, url+"/v1/rooms/"+made.ID+"/events", bert.SessionToken())
	onEdge, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+"/agents/ada/ops", nil)
	require.NoError(t, err)
	require.NoError(t, onEdge.Write(ctx, websocket.MessageText,
		[]byte(`{"json":{"v":2,"kind":"attach","token":"`+ada.APIKey+`","subscribe":["state"]}}`)))
	for {
		_, text, err := onEdge.Read(ctx)
		require.NoError(t, err)
		if strings.Contains(string(text), `"hello"`) {
			break
		}
	}

	began := time.Now()
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	for name, body := range map[string]io.ReadCloser{"switch": onSwitch, "areyouai": onAreyouai} {
		_, err := io.ReadAll(body)
		require.NoError(t, err, "the %s stream ends in order, not as a broken connection", name)
		require.NoError(t, body.Close())
	}
	_, _, err = onEdge.Read(ctx)
	var closed websocket.CloseError
	require.True(t, errors.As(err, &closed), "%v", err)
	require.Equal(t, websocket.StatusGoingAway, closed.Code)
	require.Equal(t, "agent going away", closed.Reason)
	require.NoError(t, cmd.Wait())
	require.Less(t, time.Since(began), drainBound)
}

// TestTermEndsInTimeWhoeverLingers: somebody who never finishes on every connection that the program takes, at once, does not
// keep it beyond what it promises, nor makes its end look like a failure.
func TestTermEndsInTimeWhoeverLingers(t *testing.T) {
	data, err := os.MkdirTemp("", "stele-") // a socket's path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	cmd, lines, rest := spawnServe(t, data, "--registration-token", "let-me-in", "--metrics-listen", "127.0.0.1:0")
	clients := strings.TrimPrefix(after(t, lines, "listening on "), "http://")
	metrics := strings.TrimSuffix(strings.TrimPrefix(after(t, lines, "metrics at "), "http://"), metricsPath)
	_ = after(t, lines, "data in ")
	rest()
	for _, c := range []struct{ network, addr, sends string }{
		{"tcp", clients, "POST /v1/agent/register HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"},
		{"tcp", metrics, "GET /metrics"},
		{"unix", filepath.Join(data, socketName), "POST /" + importName + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"},
	} {
		conn, err := net.Dial(c.network, c.addr)
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, c.sends)
		require.NoError(t, err)
	}
	// The gateway is up, and reads what was sent before this.
	res, err := http.Get("http://" + clients + "/health")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())

	began := time.Now()
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
	require.Less(t, time.Since(began), drainBound)
}

func stream(ctx context.Context, t *testing.T, url, bearer string) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	return res.Body
}
