package edgefront

import (
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// countingConn counts the writes that reach the network.
type countingConn struct {
	net.Conn
	writes []int
}

func (c *countingConn) Write(p []byte) (int, error) {
	c.writes = append(c.writes, len(p))
	return len(p), nil
}
func (c *countingConn) SetWriteDeadline(time.Time) error { return nil }

func TestABatchIsOneWrite(t *testing.T) {
	c := &countingConn{}
	g := newGatherConn(c, time.Second, &transport.Buffers{})
	write := func(s string) {
		n, err := g.Write([]byte(s))
		require.NoError(t, err)
		require.Equal(t, len(s), n)
	}
	write("through")
	g.hold()
	for range 100 {
		write("0123456789")
	}
	require.Equal(t, []int{7}, c.writes)
	require.False(t, g.full())
	require.NoError(t, g.flush())
	require.Equal(t, []int{7, 1000}, c.writes)
	require.NoError(t, g.flush(), "an empty batch is no write")
	g.hold()
	write(strings.Repeat("x", gatherBytes))
	require.True(t, g.full())
	require.NoError(t, g.flush())
	require.Equal(t, gatherBytes/pieceBytes, len(c.writes)-2, "large batches go out in pieces, each with its own time")
	require.Nil(t, g.waiting, "nothing is kept while idle")
}

func TestSilentPeerIsCutAndHoldsLittle(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	g := newGatherConn(here, 300*time.Millisecond, &transport.Buffers{})
	g.hold()
	_, err := g.Write([]byte("nobody reads this"))
	require.NoError(t, err)
	var flushing sync.WaitGroup
	flushing.Go(func() { require.ErrorIs(t, g.flush(), os.ErrDeadlineExceeded) })
	for sending := false; !sending; runtime.Gosched() {
		g.mu.Lock()
		sending = g.sending
		g.mu.Unlock()
	}
	total := 0
	for {
		n, err := g.Write([]byte(strings.Repeat("p", 127)))
		if err != nil {
			break
		}
		total += n
	}
	require.LessOrEqual(t, total, controlBytes+127)
	flushing.Wait()
	_, err = g.Write([]byte("x"))
	require.Error(t, err)
	require.NoError(t, g.Close())
}

func TestCloseSendsWhatWaits(t *testing.T) {
	here, there := net.Pipe()
	g := newGatherConn(here, time.Second, &transport.Buffers{})
	g.hold()
	_, err := g.Write([]byte("goodbye"))
	require.NoError(t, err)
	got := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(there)
		got <- string(b)
	}()
	require.NoError(t, g.Close())
	require.Equal(t, "goodbye", <-got)
}

func TestSealEndsWhatIsUnderWay(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	g := newGatherConn(here, time.Hour, &transport.Buffers{})
	var work sync.WaitGroup
	work.Go(func() {
		_, err := g.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	work.Go(func() {
		_, err := g.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	g.seal(time.Now().Add(20 * time.Millisecond))
	work.Wait()
	g.seal(time.Now().Add(time.Hour))
	require.NoError(t, g.awaitMessage())
	_, err := g.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "a seal cannot be taken back")
	require.NoError(t, g.Close())
}
