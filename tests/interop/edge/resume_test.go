package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	agentswitch "stele/switch"
)

// cuts is how often the link of the client that resumes is cut.
const cuts = 200

// heard is what the client under Node has heard.
type heard struct {
	Messages []struct {
		Seq     uint64
		Content string
	}
	Events []struct {
		Seq        uint64
		Type, Text string
		Step       int
	}
	Snapshots, Links, Attempts int
	Faults                     []string
	Closes                     []closed
}

// closed is how a link ended.
type closed struct {
	Code   int
	Reason string
}

// listener is a client under Node that resumes.
type listener struct {
	t      *testing.T
	finish io.Writer
	ended  chan error
	out    output
	errors bytes.Buffer
}

// output gathers what a client prints, and tells when it begins.
type output struct {
	text  bytes.Buffer
	once  sync.Once
	begun chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.once.Do(func() { close(o.begun) })
	return o.text.Write(p)
}

// listen starts a client whose link leads to url, and that compares itself at the end with one whose link leads to direct.
// Nobody hears what is written after it has ended; gone is called then.
func listen(ctx context.Context, gone func(), w *world, url, direct string) *listener {
	w.t.Helper()
	config, err := json.Marshal(map[string]string{"url": url, "direct": direct, "token": w.agents["bob"].Key})
	require.NoError(w.t, err)
	cmd := exec.CommandContext(ctx, "node", "resume.mjs", string(config))
	cmd.Dir = here(w.t)
	l := &listener{t: w.t, ended: make(chan error, 1), out: output{begun: make(chan struct{})}}
	cmd.Stdout, cmd.Stderr = &l.out, &l.errors
	l.finish, err = cmd.StdinPipe()
	require.NoError(w.t, err)
	require.NoError(w.t, cmd.Start())
	go func() {
		l.ended <- cmd.Wait()
		gone()
	}()
	return l
}

// heard lets the client catch up and returns what it has heard.
func (l *listener) heard() (got heard) {
	l.t.Helper()
	_, err := io.WriteString(l.finish, "enough\n")
	require.NoError(l.t, errors.Join(err, <-l.ended), "%s", l.errors.Bytes())
	_, report, _ := bytes.Cut(l.out.text.Bytes(), []byte("\n"))
	require.NoError(l.t, json.Unmarshal(report, &got))
	require.Empty(l.t, got.Faults)
	require.Equal(l.t, 1, got.Snapshots, "whoever resumes needs no second copy of the log")
	return got
}

func socketURL(url, path string) string { return "ws" + strings.TrimPrefix(url, "http") + path }

// TestResumeUnderCuts: a client whose link is cut at random again and again, while a member writes at the Switch door and
// another at the edge one, hears every message and every event once and in order, and its mirror of the state is right.
func TestResumeUnderCuts(t *testing.T) {
	t.Parallel()
	here(t)
	w := newWorld(t)
	room := w.room(t.Context(), "busy", "public")
	path := "/agents/alice/" + room
	c := newCutter(t, strings.TrimPrefix(w.url, "http://"), cuts)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	l := listen(ctx, cancel, w, socketURL(c.url(), path), socketURL(w.url, path))

	var writers sync.WaitGroup
	var bySwitch, byEdge, steps int
	var failed [2]error
	writers.Go(func() { bySwitch, failed[0] = writeSwitch(ctx, w, room, c.spent) })
	writers.Go(func() { byEdge, steps, failed[1] = writeEdge(ctx, w, socketURL(w.url, path), c.spent) })
	writers.Wait()
	got := l.heard()
	require.NoError(t, errors.Join(failed[:]...))
	require.GreaterOrEqual(t, got.Attempts, cuts)
	require.Greater(t, got.Links, cuts/10, "cuts of links that had been greeted")
	checkHeard(t, got, bySwitch, byEdge, steps)
	t.Logf("%d messages and %d events over %d connections, of which %d were greeted", len(got.Messages), len(got.Events), got.Attempts, got.Links)
}

// TestRestart: a client is told that the gateway goes, comes back by itself and goes on where it was.
func TestRestart(t *testing.T) {
	t.Parallel()
	here(t)
	w := newWorld(t)
	room := w.room(t.Context(), "lasting", "public")
	path := "/agents/alice/" + room
	c := newCutter(t, strings.TrimPrefix(w.url, "http://"), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	l := listen(ctx, cancel, w, socketURL(c.url(), path), socketURL(c.url(), path))
	posted := 0
	for run := range 2 {
		if run > 0 {
			select {
			case <-l.out.begun:
			case <-ctx.Done():
				require.NoError(t, ctx.Err(), "the client was never greeted")
			}
			require.NoError(t, w.proc.Stop())
			w.start()
			c.retarget(strings.TrimPrefix(w.url, "http://"))
		}
		for range 5 {
			_, err := w.client("alice").PostNotice(ctx, agentswitch.MessageRequest{RoomID: room, Content: fmt.Sprintf("switch-%d", posted)})
			require.NoError(t, err)
			posted++
		}
	}
	got := l.heard()
	require.NotEmpty(t, got.Closes)
	require.Equal(t, closed{1001, "agent going away"}, got.Closes[0])
	checkHeard(t, got, posted, 0, 0)
}

// checkHeard compares what was heard with how much was acknowledged to each writer.
func checkHeard(t *testing.T, got heard, bySwitch, byEdge, steps int) {
	t.Helper()
	next := map[string]int{}
	inOrder := func(mark string) {
		writer, number, _ := strings.Cut(mark, "-")
		require.Equal(t, fmt.Sprint(next[writer]), number, "of %s", mark)
		next[writer]++
	}
	for i, m := range got.Messages {
		require.EqualValues(t, i+1, m.Seq)
		inOrder(m.Content)
	}
	require.Equal(t, bySwitch, next["switch"])
	require.Equal(t, byEdge, next["edge"])
	said := 0
	for i, e := range got.Events {
		require.EqualValues(t, i+1, e.Seq)
		switch e.Type {
		case "step":
			require.Equal(t, next["step"], e.Step)
			next["step"]++
		case "message.posted":
			require.Equal(t, got.Messages[said].Content, e.Text)
			said++
		}
	}
	require.Equal(t, len(got.Messages), said)
	require.Equal(t, steps, next["step"])
}

// pause is what a writer waits between two messages, so that the log does not outgrow what is kept for who resumes.
const pause = 10 * time.Millisecond

// writeSwitch posts until spent is closed and returns how many messages it posted.
func writeSwitch(ctx context.Context, w *world, room string, spent <-chan struct{}) (posted int, err error) {
	client := w.client("alice")
	for open(spent) {
		if _, err := client.PostNotice(ctx, agentswitch.MessageRequest{RoomID: room, Content: fmt.Sprintf("switch-%d", posted)}); err != nil {
			return posted, err
		}
		posted++
		time.Sleep(pause)
	}
	return posted, nil
}

// writeEdge posts, emits events and changes the state until spent is closed, and returns how many messages and events it
// wrote.
func writeEdge(ctx context.Context, w *world, address string, spent <-chan struct{}) (posted, steps int, err error) {
	client, err := edgeframes.NewClient(address, edgeframes.ClientOptions{Token: w.agents["alice"].Key, Subscribe: []edgeframes.Stream{}})
	if err != nil {
		return 0, 0, err
	}
	client.Start(ctx)
	defer client.Close()
	for open(spent) {
		if _, err := client.Call(ctx, "postMessage", fmt.Sprintf("edge-%d", posted)); err != nil {
			return posted, steps, err
		}
		posted++
		switch posted % 4 {
		case 0:
			if _, err := client.Call(ctx, "emitEvent", "step", map[string]any{"step": steps}); err != nil {
				return posted, steps, err
			}
			steps++
		case 2:
			change := map[string]any{fmt.Sprintf("k%d", posted%5): time.Now(), fmt.Sprintf("k%d", (posted+2)%5): nil, "n": map[string]any{"m": posted}}
			if _, err := client.Call(ctx, "setRoomState", map[string]any{"patch": change}); err != nil {
				return posted, steps, err
			}
		}
		time.Sleep(pause)
	}
	return posted, steps, nil
}

func open(spent <-chan struct{}) bool {
	select {
	case <-spent:
		return false
	default:
		return true
	}
}
