package sqlitelog_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// The test program starts itself again as a child: these variables tell the child what it is for and where.
const (
	childRole = "SQLITELOG_TEST_ROLE"
	childDir  = "SQLITELOG_TEST_DIR"

	roleWriter = "writer" // appends until it is killed and prints what was accepted
	roleHolder = "holder" // keeps the log open until its input ends
)

// What the writing child does: so many streams, units of so many events.
const (
	crashStreams = 8
	crashUnit    = 3
)

func child(role, dir string) {
	l, err := sqlitelog.Open(dir, sqlitelog.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	if role == roleHolder {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		_ = l.Close()
		return
	}
	for s := range crashStreams {
		go writeForEver(l, core.RoomStream(fmt.Sprint(s)))
	}
	select {}
}

// writeForEver goes on where the stream ends and prints each accepted unit: stream, last position, number of events.
func writeForEver(l core.Log, stream core.Stream) {
	ctx := context.Background()
	var last core.Position
	var version int
	for r, err := range l.ReadBack(ctx, stream, 0) {
		if err != nil {
			panic(err)
		}
		last, version = r.Position, int(r.Version)
		break
	}
	for {
		unit := make([]core.Event, crashUnit)
		for i := range unit {
			version++
			unit[i] = said(version, fmt.Sprint(version))
		}
		positions, err := l.Append(ctx, stream, last, unit)
		if err != nil {
			panic(err)
		}
		last = positions[crashUnit-1]
		// One write per line, so that a kill leaves no half line.
		_, _ = os.Stdout.WriteString(fmt.Sprintf("%s %d %d\n", stream, last, version))
	}
}

func startChild(t *testing.T, role, dir string) (cmd *exec.Cmd, out *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	out = bufio.NewScanner(pipe)
	require.True(t, out.Scan())
	require.Equal(t, "ready", out.Text())
	return cmd, out
}

// A process is killed under load again and again. What it was told is written is there, and no unit is torn.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	acknowledged := make(map[core.Stream]int) // events by stream
	var id string
	for range 5 {
		cmd, out := startChild(t, roleWriter, dir)
		for range 1 + rand.IntN(300) {
			require.True(t, out.Scan())
			note(t, acknowledged, out.Text())
		}
		require.NoError(t, cmd.Process.Kill())
		for out.Scan() { // what it had still said
			note(t, acknowledged, out.Text())
		}
		require.Error(t, cmd.Wait())

		l := open(t, dir, sqlitelog.Options{})
		require.Empty(t, l.Renewed(), "a killed process is no reason for another identity")
		if id == "" {
			id = l.ID()
		}
		require.Equal(t, id, l.ID())
		checkAfterKill(t, l, acknowledged)
		require.NoError(t, l.Close())
	}
}

func note(t *testing.T, acknowledged map[core.Stream]int, line string) {
	t.Helper()
	var stream core.Stream
	var last, version int
	_, err := fmt.Sscan(line, &stream, &last, &version)
	require.NoError(t, err, line)
	acknowledged[stream] = version
}

func checkAfterKill(t *testing.T, l *sqlitelog.Log, acknowledged map[core.Stream]int) {
	t.Helper()
	total := 0
	for s := range crashStreams {
		stream := core.RoomStream(fmt.Sprint(s))
		n := 0
		for r, err := range l.Read(t.Context(), stream, 0) {
			require.NoError(t, err)
			n++
			require.EqualValues(t, n, r.Version, "%s is not contiguous", stream)
		}
		require.GreaterOrEqual(t, n, acknowledged[stream], "%s lost what was acknowledged", stream)
		require.Zero(t, n%crashUnit, "%s ends within a unit", stream)
		total += n
	}
	head, err := l.Head(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, total, head)
	seen := 0
	for batch, err := range l.Tail(t.Context(), 0) {
		require.NoError(t, err)
		if seen += len(batch); seen == total {
			break
		}
	}
}

func TestLockedByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	cmd, _ := startChild(t, roleHolder, dir)
	_, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.ErrorIs(t, err, core.ErrLocked)
	require.ErrorContains(t, err, fmt.Sprintf("process %d ", cmd.Process.Pid))

	require.NoError(t, cmd.Process.Kill())
	var exit *exec.ExitError
	require.True(t, errors.As(cmd.Wait(), &exit))
	l := open(t, dir, sqlitelog.Options{})
	require.NoError(t, l.Close())
}

func TestLockedByThisProcess(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	_, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.ErrorIs(t, err, core.ErrLocked)
	say(t, l, "s", "the first one was not disturbed")
	require.NoError(t, l.Close())
	require.NoError(t, open(t, dir, sqlitelog.Options{}).Close())
}
