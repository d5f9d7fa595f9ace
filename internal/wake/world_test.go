package wake

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// world is a server, a hook and a folder, all in one bubble of fake time.
type world struct {
	t      *testing.T
	net    *network
	server *fakeServer
	hook   *fakeHook
	dir    string
	logs   *strings.Builder
	logMu  sync.Mutex
}

// fakeHook records its calls and does with each what its reaction says.
type fakeHook struct {
	mu     sync.Mutex
	jobs   []Job
	auth   []string
	open   int
	widest int
	// react gets each job and returns the status; nil: 200.
	react func(ctx context.Context, job Job) int
}

func (h *fakeHook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var job Job
	_ = json.NewDecoder(r.Body).Decode(&job)
	h.mu.Lock()
	h.jobs = append(h.jobs, job)
	h.auth = append(h.auth, r.Header.Get("Authorization"))
	h.open++
	h.widest = max(h.widest, h.open)
	react := h.react
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.open--
		h.mu.Unlock()
	}()
	if react != nil {
		w.WriteHeader(react(r.Context(), job))
	}
}

func (h *fakeHook) calls() []Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Job{}, h.jobs...)
}

func (h *fakeHook) set(react func(ctx context.Context, job Job) int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.react = react
}

// inWorld runs a test in a new world.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wake")
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: newNetwork(), server: newFakeServer(), hook: &fakeHook{}, dir: dir, logs: &strings.Builder{}}
		w.net.serve(t, "server.test", w.server)
		w.net.serve(t, "hook.test", w.hook)
		test(t, w)
	})
}

func (w *world) Write(p []byte) (int, error) {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	return w.logs.Write(p)
}

func (w *world) options(client *http.Client) Options {
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(w), zapcore.DebugLevel)
	return Options{
		BaseDir: w.dir, Server: "http://server.test", APIKey: testKey, HookURL: "http://hook.test/wake?secret=url-secret",
		HookToken: "secret-hook-token", HTTP: client, HookHTTP: client, Logger: zap.New(core), Rand: func() float64 { return 0 },
	}
}

// life is one process of the sidecar.
type life struct {
	w    *world
	stop context.CancelFunc
	done chan struct{}
	err  error
}

// start opens and runs a sidecar; change may adapt its options.
func (w *world) start(change func(*Options)) *life {
	w.t.Helper()
	client, closeIdle := w.net.client()
	o := w.options(client)
	if change != nil {
		change(&o)
	}
	s, err := open(o, w.folder())
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(context.Background())
	l := &life{w: w, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.err = s.Run(ctx)
		closeIdle()
		if err := s.Close(); l.err == nil {
			l.err = err
		}
	}()
	w.t.Cleanup(func() {
		stop()
		<-l.done
	})
	return l
}

// folder is one that spares the disk.
func (w *world) folder() *folder {
	f := newFolder(w.dir)
	f.sync = func(*os.File) error { return nil }
	return f
}

// settle lets everything happen that happens within a time.
func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// end stops the sidecar as a signal would.
func (l *life) end() {
	l.w.t.Helper()
	l.stop()
	<-l.done
	require.NoError(l.w.t, l.err)
}

// readState reads the state file.
func (w *world) readState() State {
	w.t.Helper()
	var st State
	require.NoError(w.t, newFolder(w.dir).read(stateFile, &st))
	return st
}

func (w *world) readWake(room string) *Wake {
	w.t.Helper()
	rec, err := readWake(newFolder(w.dir), fileOf(wakesDir, room))
	require.NoError(w.t, err)
	return rec
}

func (w *world) hasToken(room string) bool {
	_, err := os.Stat(filepath.Join(w.dir, fileOf(tokensDir, room)))
	return err == nil
}

// fileToken is what an agent would read.
func (w *world) fileToken(room string) string {
	w.t.Helper()
	var tok Token
	require.NoError(w.t, newFolder(w.dir).read(fileOf(tokensDir, room), &tok))
	return tok.Token
}
