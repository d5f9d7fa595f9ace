package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"stele/areyouai"
	"stele/edgeframes"
	agentswitch "stele/switch"
	"stele/tests/chaos"
)

// life is everything that lives as long as one run of the gateway: the connections to it and the goroutines on them.
type life struct {
	world *world
	proc  *process
	http  *http.Client
	ctx   context.Context
	end   context.CancelFunc
	work  sync.WaitGroup

	// ending: the gateway was asked to end, so refusals say nothing.
	ending atomic.Bool
	// left counts down the acknowledgements until the gateway is to be killed; enough is closed at 0.
	left   atomic.Int64
	enough chan struct{}
	// flaps tells now and then that it is time for a reader to go and come back.
	flaps chan struct{}
}

// flapEvery is how many acknowledgements lie between two readers that go and come back.
const flapEvery = 4

func newLife(w *world, p *process) *life {
	l := &life{world: w, proc: p, enough: make(chan struct{}), flaps: make(chan struct{}, 1)}
	l.ctx, l.end = context.WithCancel(w.ctx)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	l.http = &http.Client{Transport: &keyedTransport{transport}}
	return l
}

// over waits until everything on this life has ended. The gateway is gone by then.
func (l *life) over() {
	l.end()
	l.work.Wait()
	l.http.CloseIdleConnections()
}

// acknowledged counts an acknowledgement.
func (l *life) acknowledged() {
	left := l.left.Add(-1)
	if left == 0 {
		close(l.enough)
	}
	if left%flapEvery == 0 {
		select {
		case l.flaps <- struct{}{}:
		default:
		}
	}
}

// keyedTransport puts the idempotency key of a request's context into its header.
type keyedTransport struct{ *http.Transport }

type keyOf struct{}

func withKey(ctx context.Context, key string) context.Context {
	if key == "" {
		return ctx
	}
	return context.WithValue(ctx, keyOf{}, key)
}

func (k *keyedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if key, ok := r.Context().Value(keyOf{}).(string); ok {
		r = r.Clone(r.Context())
		r.Header.Set("Idempotency-Key", key)
	}
	return k.Transport.RoundTrip(r)
}

// faults collects what went wrong, from any goroutine.
type faults struct {
	mu    sync.Mutex
	texts []string
}

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

func (f *faults) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.texts)
}

// kindOf tells what an error leaves of a command: refused by an answer, or unknown. An answer of a gateway that is in
// trouble, or about to end, refuses nothing for sure.
func (l *life) kindOf(err error) chaos.Kind {
	var (
		onSwitch   agentswitch.Error
		onAreyouai *areyouai.Error
		onEdge     edgeframes.Error
	)
	status := 0
	switch {
	case err == nil:
		return chaos.Acknowledged
	case errors.As(err, &onSwitch):
		status = onSwitch.Status()
	case errors.As(err, &onAreyouai):
		status = onAreyouai.HTTPStatus
	case errors.As(err, &onEdge) && onEdge.ForCall && !l.ending.Load():
		status = http.StatusBadRequest
	}
	if status >= 400 && status < 500 {
		return chaos.Failed
	}
	if status == http.StatusInternalServerError {
		l.world.faults.add("a 500: %v", err)
	}
	return chaos.Unknown
}
