//go:build unix

package wake

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func testJob() Job {
	w := &Wake{RoomID: "room_1", Turn: 3, ActorID: testAgent, Round: 1, Attempts: 1}
	tok := Token{RoomID: "room_1", AgentID: testAgent, APIBaseURL: "http://server.test"}
	return newJob(w, tok, "/state/tokens/room_1.json", "/state/session.json")
}

func shell(script string) *commandHook { return &commandHook{argv: []string{"sh", "-c", script}} }

func TestCommandGetsTheJobAndItsVariables(t *testing.T) {
	t.Setenv("STELE_API_KEY", "ak_secret")
	t.Setenv("STELE_HOOK_TOKEN", "secret")
	t.Setenv("OTHER", "kept")
	dir := t.TempDir()
	require.NoError(t, shell("cat > "+dir+"/job; env > "+dir+"/env").call(t.Context(), testJob()))
	data, err := os.ReadFile(filepath.Join(dir, "job"))
	require.NoError(t, err)
	var got Job
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, testJob(), got)
	env, err := os.ReadFile(filepath.Join(dir, "env"))
	require.NoError(t, err)
	for _, want := range []string{
		"STELE_WAKE_ID=" + got.WakeID, "STELE_WAKE_ROOM_ID=room_1", "STELE_WAKE_TURN=3", "STELE_WAKE_AGENT_ID=" + testAgent,
		"STELE_WAKE_TOKEN_PATH=/state/tokens/room_1.json", "STELE_WAKE_SESSION_PATH=/state/session.json",
		"STELE_WAKE_API_BASE=http://server.test", "OTHER=kept",
	} {
		require.Contains(t, strings.Split(string(env), "\n"), want)
	}
	require.NotContains(t, string(env), "secret")
}

func TestCommandThatReadsNothingIsFine(t *testing.T) {
	require.NoError(t, shell("exit 0").call(t.Context(), testJob()))
}

func TestCommandThatFailsIsNotTaken(t *testing.T) {
	for name, h := range map[string]*commandHook{
		"exit status": shell("exit 3"),
		"signal":      shell("kill -9 $$"),
		"no program":  {argv: []string{"/no/such/program"}},
		"directory":   {argv: []string{t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			var refused *HookError
			require.ErrorAs(t, h.call(t.Context(), testJob()), &refused)
			require.NotEmpty(t, refused.Reason)
		})
	}
	require.ErrorContains(t, shell("exit 3").call(t.Context(), testJob()), "exit status 3")
}

func TestCommandReachable(t *testing.T) {
	require.NoError(t, shell("").reachable(t.Context()))
	var refused *HookError
	require.ErrorAs(t, (&commandHook{argv: []string{"/no/such/program"}}).reachable(t.Context()), &refused)
}

// TestCommandIsEndedWithAllItStarted: the command's child would otherwise go on beside the next attempt.
func TestCommandIsEndedWithAllItStarted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan error, 1)
	go func() {
		done <- shell(`sh -c 'trap "" TERM; echo $$ > child; mv child pid; sleep 600' & wait`).inDir(dir).call(ctx, testJob())
	}()
	var pid int
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	}, time.Minute, 5*time.Millisecond)
	cancel(errors.New("enough"))
	require.ErrorContains(t, <-done, "enough")
	require.Eventually(t, func() bool {
		// A killed child that nobody has waited for yet is a zombie, which does nothing any more.
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && strings.Contains(string(stat), ") Z ")
	}, time.Minute, 5*time.Millisecond)
}

// inDir lets the shell of a test work in a directory.
func (h *commandHook) inDir(dir string) *commandHook {
	h.argv[2] = "cd " + dir + " && " + h.argv[2]
	return h
}

func TestCommandOutputGoesToTheGivenFile(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer file.Close()
	h := shell("echo one; echo two >&2")
	h.output = file
	require.NoError(t, h.call(t.Context(), testJob()))
	data, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(data))
}
