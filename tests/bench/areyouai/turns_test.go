package areyouai

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	wire "stele/areyouai"
	"stele/internal/sse"
)

var body = strings.Repeat("x", 256)

// BenchmarkTurn lets rooms talk at once, each as fast as its two sides hear of each other. An operation is a full turn: the
// speaker reads the context, acknowledges it and sends, and the peer's agent stream says that it is its turn.
func BenchmarkTurn(b *testing.B) {
	for _, rooms := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("rooms=%d", rooms), func(b *testing.B) { turns(b, rooms) })
	}
}

func turns(b *testing.B, rooms int) {
	g := newGateway(b)
	talks, heard := make([]*talk, rooms), make([][2]<-chan int64, rooms)
	for i := range talks {
		talks[i] = g.talk(b, i)
		for side, s := range talks[i].sides {
			heard[i][side] = g.listen(b, s)
		}
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, rooms)
	var wg sync.WaitGroup
	b.ResetTimer()
	for i, t := range talks {
		wg.Go(func() {
			for n := int64(0); left.Add(-1) >= 0; n++ {
				began := time.Now()
				if err := t.turn(b.Context(), n, heard[i][(n+1)%2]); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	all := slices.Concat(took...)
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "turns/s")
	b.ReportMetric(float64(all[len(all)*50/100].Microseconds())/1e3, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1e3, "p99-ms")
}

// turn takes the n-th turn of a room and waits until the peer is woken for the next.
func (t *talk) turn(ctx context.Context, n int64, heard <-chan int64) error {
	s := t.sides[n%2]
	c, err := s.Context(ctx, t.room)
	if err != nil {
		return err
	}
	if _, err := s.Ack(ctx, t.room, c.TurnIndex); err != nil {
		return err
	}
	_, err = s.Send(ctx, t.room, wire.SendRequest{ExpectedTurn: c.NextTurn, Ciphertext: body, BundleHash: c.BundleHash})
	if err != nil {
		return err
	}
	for {
		select {
		case next, ok := <-heard:
			if !ok {
				return fmt.Errorf("the stream of room %s ended", t.room)
			}
			if next == n+1 {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// listen follows a speaker's agent stream, and passes on the turns that it is woken for.
func (g *gateway) listen(b *testing.B, s *speaker) <-chan int64 {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+wire.PathAgentStream, nil)
	require.NoError(b, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := g.web.Do(req)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, resp.StatusCode)
	// A turn that nobody waits for any more is the first one of all.
	turns, done := make(chan int64, 4), make(chan struct{})
	go func() {
		defer close(done)
		defer close(turns)
		defer resp.Body.Close()
		frames := sse.NewReader(resp.Body, wire.MaxFrameBytes)
		for {
			f, err := frames.Next()
			if err != nil {
				return
			}
			if f.Comment || f.Data == nil {
				continue
			}
			frame, err := wire.ParseAgentFrame(f)
			if err != nil {
				b.Error(err)
				return
			}
			if ready, ok := frame.(wire.TurnReady); ok {
				select {
				case turns <- ready.NextTurn:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	b.Cleanup(func() {
		cancel()
		<-done
	})
	return turns
}
