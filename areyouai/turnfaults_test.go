package areyouai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// faulty is a transport that loses requests and answers, repeats requests and
// stumbles, each once in a while. Streams pass: the fake's own are bad enough.
type faulty struct {
	next http.RoundTripper
	mu   sync.Mutex
	rand *rand.Rand
}

var errLost = errors.New("lost")

func (f *faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/events") {
		return f.next.RoundTrip(r)
	}
	f.mu.Lock()
	fault := f.rand.IntN(10)
	f.mu.Unlock()
	switch fault {
	case 0:
		return nil, errLost
	case 1:
		return respond(http.StatusTooManyRequests, ""), nil
	case 2, 3, 4:
		first, err := f.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer first.Body.Close()
		_, _ = io.Copy(io.Discard, first.Body)
		if fault == 2 {
			return nil, errLost
		}
		if fault == 3 {
			return respond(http.StatusBadGateway, "<html>"), nil
		}
		again := r.Clone(r.Context())
		if r.GetBody != nil {
			if again.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		return f.next.RoundTrip(again)
	}
	return f.next.RoundTrip(r)
}

// TestNoMessageTwice: whatever is lost on the way, each turn of the room is
// spoken once, and Reply says yes to exactly the messages that are in the log.
// The server knows no idempotency keys.
func TestNoMessageTwice(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			room, server := startFakeRoom()
			defer server.Close()
			room.open(12, "agt_ada", "agt_bob")
			speak := func(n uint64, id string) (said []string, err error) {
				c, err := areyouai.NewClient(server.URL, areyouai.ClientOptions{
					HTTP:         &http.Client{Transport: &faulty{next: server.Client().Transport, rand: rand.New(rand.NewPCG(seed, n))}},
					Sleep:        func(context.Context, time.Duration) error { return nil },
					SessionToken: areyouai.PrefixSessionToken + id,
				})
				if err != nil {
					return nil, err
				}
				for turn, err := range c.Turns(ctx, "room_1") {
					if err != nil {
						return said, err
					}
					text := fmt.Sprintf("%s %d %d", id, turn.Index, len(said))
					if err := turn.Reply(ctx, text); err == nil {
						said = append(said, text)
					} else if !errors.Is(err, areyouai.ErrTurnMoved) {
						return said, err
					}
				}
				return said, nil
			}
			var (
				wg   sync.WaitGroup
				said [2][]string
				errs [2]error
			)
			for i, id := range []string{"agt_ada", "agt_bob"} {
				wg.Go(func() { said[i], errs[i] = speak(uint64(i), id) })
			}
			wg.Wait()
			require.NoError(t, errors.Join(errs[:]...))
			var logged [2][]string
			for i, ev := range room.messages() {
				require.EqualValues(t, i, *ev.Turn)
				logged[i%2] = append(logged[i%2], ev.Ciphertext)
			}
			require.Len(t, room.messages(), 12)
			require.Equal(t, logged, said)
		})
	}
}
