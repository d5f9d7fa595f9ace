package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// target is a server under load, seen from outside: how to post a message and where its readers connect.
type target struct {
	name string
	// post returns a poster of its own for each of a number of clients.
	post func(client int) func(text string) error
	// readers are the raw requests of the streams.
	readers []string
	addr    string
	// socket, if set, tells that the streams are sockets, and what is special about them; without it they are event streams.
	socket *socketStream
}

// reader counts the messages on one event stream and remembers when each came.
type reader struct {
	conn net.Conn
	// mark is what each message on the wire has once.
	mark  []byte
	count atomic.Int64
	times []time.Time
	got   chan struct{}
}

// connect opens the streams and waits until each has sent its first frame or its headers.
func connect(b *testing.B, t target, keepTimes bool) []*reader {
	b.Helper()
	out := make([]*reader, len(t.readers))
	for i, request := range t.readers {
		conn, err := net.Dial("tcp", t.addr)
		require.NoError(b, err)
		_, err = conn.Write([]byte(request))
		require.NoError(b, err)
		r := &reader{conn: conn, mark: eventLine, got: make(chan struct{}, 1)}
		buffered := bufio.NewReaderSize(conn, 32<<10)
		for {
			line, err := buffered.ReadString('\n')
			require.NoError(b, err)
			if strings.TrimSpace(line) == "" {
				break
			}
			require.NotContains(b, line, "HTTP/1.1 4")
		}
		var messages io.Reader = &chunks{from: buffered}
		if t.socket != nil {
			r.mark, messages = t.socket.mark, buffered
			require.NoError(b, t.socket.open(conn, buffered, i))
		}
		go r.run(messages, keepTimes)
		out[i] = r
	}
	return out
}

var eventLine = []byte("\nevent: message\n")

func (r *reader) run(src io.Reader, keepTimes bool) {
	buf := make([]byte, 0, 128<<10)
	for {
		n, err := src.Read(buf[len(buf):cap(buf)])
		if err != nil {
			return
		}
		buf = buf[:len(buf)+n]
		if seen := bytes.Count(buf, r.mark); seen > 0 {
			if keepTimes {
				now := time.Now()
				for range seen {
					r.times = append(r.times, now)
				}
			}
			r.count.Add(int64(seen))
			select {
			case r.got <- struct{}{}:
			default:
			}
			buf = append(buf[:0], buf[bytes.LastIndex(buf, r.mark)+len(r.mark):]...)
		}
		if keep := len(r.mark); len(buf) > cap(buf)/2 {
			buf = append(buf[:0], buf[len(buf)-keep:]...)
		}
	}
}

func (r *reader) await(count int64) {
	for r.count.Load() < count {
		<-r.got
	}
}

// saturate posts from a number of clients as fast as they can, waits until every reader has everything, and returns
// deliveries per second.
func saturate(b *testing.B, t target, clients, messages int) float64 {
	b.Helper()
	readers := connect(b, t, false)
	defer closeAll(readers)
	began := time.Now()
	postAll(b, t, clients, messages)
	for _, r := range readers {
		r.await(int64(messages))
	}
	return float64(messages*len(readers)) / time.Since(began).Seconds()
}

func postAll(b *testing.B, t target, clients, messages int) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	for c := range clients {
		post := t.post(c)
		wg.Go(func() {
			for next.Add(1) <= int64(messages) {
				if err := post(body); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// paced is what posting at a steady rate showed.
type paced struct {
	// deliveries are the times from a post to each delivery, last those from the answer to a post, which says that it was
	// accepted, to the last reader. Both are sorted.
	deliveries, last []time.Duration
}

func percentile(sorted []time.Duration, p int) time.Duration { return sorted[len(sorted)*p/100] }

// pace posts at a steady rate.
func pace(b *testing.B, t target, rate, messages int) (out paced) {
	b.Helper()
	readers := connect(b, t, true)
	defer closeAll(readers)
	post := t.post(0)
	sent, accepted := make([]time.Time, messages), make([]time.Time, messages)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for i := range messages {
		<-tick.C
		sent[i] = time.Now()
		require.NoError(b, post(body))
		accepted[i] = time.Now()
	}
	out.last = make([]time.Duration, messages)
	for _, r := range readers {
		r.await(int64(messages))
		for i, at := range r.times[:messages] {
			out.deliveries = append(out.deliveries, at.Sub(sent[i]))
			out.last[i] = max(out.last[i], at.Sub(accepted[i]))
		}
	}
	slices.Sort(out.deliveries)
	slices.Sort(out.last)
	return out
}

func closeAll(readers []*reader) {
	for _, r := range readers {
		_ = r.conn.Close()
	}
}

// poster posts JSON over one kept connection.
func poster(url string, header http.Header, encode func(text string) []byte) func(string) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	return func(text string) error {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(encode(text)))
		if err != nil {
			return err
		}
		req.Header = header
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", res.Status, answer)
		}
		return res.Body.Close()
	}
}

// listen serves on a free loopback port until the benchmark ends.
func listen(b *testing.B, serve func(ctx context.Context, ln net.Listener) error) (url, addr string) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, ln) }()
	b.Cleanup(func() {
		stop()
		require.NoError(b, <-done)
	})
	return "http://" + ln.Addr().String(), ln.Addr().String()
}
