package chaos_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core/sqlitelog"
	"stele/tests/chaos"
)

// resume brings everybody back, before anything new is published, and checks that each gets exactly what it had not seen.
func (w *world) resume(t *testing.T, l *life) {
	t.Helper()
	truth, err := w.truth(l)
	require.NoError(t, err)
	for _, r := range w.readers {
		var want [][]delivery
		for _, c := range r.cursors() {
			want = append(want, truth.after(c))
		}
		require.NoError(t, r.connect(l))
		for i, c := range r.cursors() {
			require.NoError(t, c.await(l.ctx, want[i]))
			w.missed += len(want[i])
		}
	}
	w.retire(truth)
	var failed []error
	for _, x := range w.writers {
		failed = append(failed, x.connect(l))
	}
	require.NoError(t, errors.Join(failed...))
	for _, x := range w.writers {
		failed = append(failed, x.retry(l))
	}
	require.NoError(t, errors.Join(failed...))
}

// retire lets go of the readers of rooms that are over: they have everything that will ever be there. Their connections
// stay for this life.
func (w *world) retire(truth *truth) {
	var staying []reader
	for _, r := range w.readers {
		if !truth.over[r.cursors()[0].rooms[0]] {
			staying = append(staying, r)
		}
	}
	w.readers = staying
}

// load lets everybody write until so many commands were acknowledged, and kills the gateway then, a random moment later.
// Some readers are away meanwhile, others go and come back.
// Now and then it is asked to end before, so that the kill may hit the middle of an orderly end.
func (w *world) load(t *testing.T, l *life) {
	t.Helper()
	l.left.Store(20 + w.random.Int64N(60))
	for _, r := range w.readers {
		if w.random.IntN(3) == 0 {
			r.hangUp()
		}
	}
	var writing sync.WaitGroup
	for _, x := range w.writers {
		writing.Go(func() {
			for x.write(l) {
			}
		})
	}
	random := rand.New(rand.NewPCG(w.random.Uint64(), 0))
	l.work.Go(func() { w.flap(l, random) })
	select {
	case <-l.enough:
	case <-time.After(patience):
		t.Error("too few commands were acknowledged")
	}
	if w.random.IntN(4) == 0 {
		l.ending.Store(true)
		l.proc.terminate()
		<-time.After(time.Duration(w.random.Int64N(int64(30 * time.Millisecond))))
	} else {
		<-time.After(time.Duration(w.random.Int64N(int64(3 * time.Millisecond))))
	}
	l.ending.Store(true)
	l.proc.kill()
	writing.Wait()
	l.over()
}

// flap lets readers go and come back while everybody writes.
func (w *world) flap(l *life, random *rand.Rand) {
	for {
		select {
		case <-l.flaps:
		case <-l.ctx.Done():
			return
		}
		w.mu.Lock()
		r := w.readers[random.IntN(len(w.readers))]
		w.mu.Unlock()
		r.hangUp()
		if r.connect(l) != nil {
			return
		}
	}
}

// stumble kills the gateway now and then while it is still coming up.
func (w *world) stumble(t *testing.T) {
	t.Helper()
	for w.random.IntN(4) == 0 {
		p, err := spawn(w.binary, w.dir, w.log)
		require.NoError(t, err)
		<-time.After(time.Duration(w.random.Int64N(int64(150 * time.Millisecond))))
		p.kill()
	}
}

// finish ends the gateway in order.
func (w *world) finish(t *testing.T, l *life) {
	t.Helper()
	l.ending.Store(true)
	l.proc.terminate()
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	require.NoError(t, l.proc.await(ctx), "an orderly end")
}

// judge compares everything that was seen with what is in the log's file. The gateway is gone.
func (w *world) judge(t *testing.T) {
	t.Helper()
	h := chaos.History{Records: w.rec.Records()}
	log, err := sqlitelog.Open(w.dir, sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	h.Log, err = chaos.ReadLog(w.ctx, log)
	require.NoError(t, err)
	w.onlyRecorded(h.Log)
	for _, v := range chaos.Check(h) {
		t.Error(v)
	}
	for _, text := range w.list() {
		t.Error(text)
	}
	bad, err := complaints(w.log)
	require.NoError(t, err)
	for _, line := range bad {
		t.Errorf("the gateway's log says: %s", line)
	}
	if t.Failed() {
		w.keep(t, h)
	}
}

// onlyRecorded takes the marks off what was made before anything was recorded.
func (w *world) onlyRecorded(entries []chaos.Entry) {
	for i, e := range entries {
		for name, room := range w.rooms {
			if e.Room == room && e.Mark == chaos.CreateMark+name {
				entries[i].Mark = ""
			}
		}
	}
}

// keep writes everything about a failed run to a folder that stays.
func (w *world) keep(t *testing.T, h chaos.History) {
	t.Helper()
	dir, err := os.MkdirTemp("", "stele-chaos-failed-")
	require.NoError(t, err)
	f, err := os.Create(filepath.Join(dir, "history.jsonl"))
	require.NoError(t, err)
	require.NoError(t, errors.Join(h.Dump(f), f.Close()))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "data"), os.DirFS(w.dir)))
	if data, err := os.ReadFile(w.log); err == nil {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "gateway.log"), data, 0o600))
	}
	t.Logf("history, data and log of the failed run are in %s", dir)
}
