package conformance

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/core"
)

// unlike are headers with which a client pretends to be another.
func unlike(i int) []string {
	ip := fmt.Sprintf("192.0.2.%d", i)
	return []string{"X-Forwarded-For: " + ip, "X-Real-Ip: " + ip, "Forwarded: for=" + ip, "CF-Connecting-IP: " + ip}
}

// TestDefaultLimits is about a server without any flag.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	s := own(t)
	r := s.room(t)
	t.Run("streams", func(t *testing.T) {
		shows(t, "8.1-slots", "8.1-opens-member", "8.1-opens-ip", "10-streams", "14-22", "14-23", "10-client-ip")
		var open []*stream
		for range 5 {
			open = append(open, r.opens(t, r.a, "?since=4"))
		}
		st, refusal := s.tries(t, r.path("/events"), r.a.session)
		require.Nil(t, st)
		refusal.refused("rate_limited")
		require.NotEmpty(t, refusal.header.Get("Retry-After"))
		r.opens(t, r.b, "").close()
		for _, st := range open {
			st.close()
		}
		opened := 6 // The refused one counted.
		waitFor(t, "a place is free again", func() bool {
			st, _ := s.tries(t, r.path("/events"), r.a.session)
			if st != nil {
				opened++
			}
			return st != nil
		})
		refused := 0
		for range 200 {
			st, a := s.tries(t, r.path("/events"), r.a.session)
			if st != nil {
				opened++
				st.close()
				continue
			}
			a.refused("rate_limited")
			if refused++; opened >= 25 && refused > 3 {
				break
			}
		}
		require.LessOrEqual(t, opened, 30)
		// The rest of the address's 120, failed ones and those of others among them.
		last := 0
		for i := range 130 {
			_, a := s.tries(t, "/v1/rooms/none/events", "", unlike(i)...)
			if last = a.status; last == 429 {
				break
			}
		}
		require.Equal(t, 429, last)
	})
	t.Run("posts", func(t *testing.T) {
		shows(t, "6-check-2", "10-rates", "6-order", "16-4", "10-client-ip", "14-22")
		for i := range 120 {
			s.do(t, "POST", "/v1/rooms/none/messages", "", "[", unlike(i)...).refused("unauthorized")
		}
		s.do(t, "POST", r.path("/messages"), "", "[").refused("rate_limited")
		r.a.post(t, r.path("/messages"), object{}).refused("rate_limited")
		s.do(t, "PUT", r.path("/messages"), "", nil).refused("method_not_allowed")
	})
	t.Run("accounts", func(t *testing.T) {
		shows(t, "14-22")
		limited := false
		for range 130 {
			if limited = s.do(t, "POST", "/v1/agent/login", "", object{"api_key": "ak_none"}).status == 429; limited {
				break
			}
		}
		require.True(t, limited)
		s.do(t, "POST", "/v1/agent/register", "", object{"name": "n"}).refused("rate_limited")
	})
}

func TestOpenStreams(t *testing.T) {
	t.Parallel()
	shows(t, "14-22", "8.1-slots")
	s, c := inside(t, core.PurgePolicy{}, areyouaifront.Options{Limits: &areyouaifront.Limits{OpenAgentStreams: 2, OpenViewerStreams: 2, OpenStreams: 2}})
	r := s.roomWith(t, object{"ttl_seconds": 864000})
	viewer := r.watches(t)
	for path, token := range map[string]string{"/v1/agent/stream": r.a.session, r.path("/viewer-events"): viewer, r.path("/events"): r.a.session} {
		first, second := s.opens(t, path, token), s.opens(t, path, token)
		_, refusal := s.tries(t, path, token)
		refusal.refused("rate_limited")
		// However old the streams are, their places do not lapse.
		c.Advance(10 * time.Minute)
		r.viewer(t, object{"op": "heartbeat", "viewer_token": viewer}).is(200)
		if path != r.path("/viewer-events") {
			_, refusal = s.tries(t, path, token)
			refusal.refused("rate_limited")
		}
		first.close()
		waitFor(t, "a place is free again", func() bool {
			st, _ := s.tries(t, path, token)
			return st != nil
		})
		second.close()
	}
}

func TestGuesses(t *testing.T) {
	t.Parallel()
	shows(t, "14-22")
	s, c := inside(t, core.PurgePolicy{}, areyouaifront.Options{Limits: &areyouaifront.Limits{GuessesPerIP: 5}})
	r := s.room(t)
	for range 10 {
		r.transcript(t).is(200)
	}
	for i := range 5 {
		s.do(t, "POST", r.path("/transcript"), "", object{"human_code": fmt.Sprint("hc_", i)}).refused("forbidden")
	}
	a := r.transcript(t)
	a.refused("rate_limited")
	require.NotEmpty(t, a.header.Get("Retry-After"))
	r.viewer(t, object{"op": "join", "human_code": r.code}).refused("rate_limited")
	c.Advance(time.Minute)
	r.transcript(t).is(200)
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	shows(t, "10-timeouts")
	s := shared(t)
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), patience)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(2*patience)))
	_, err = fmt.Fprint(conn, "GET /v1/mode HTTP/1.1\r\nHost: x\r\n")
	require.NoError(t, err)
	ends(t, conn, 5*time.Second)
}

// ends expects the end of a connection after a time.
func ends(t *testing.T, conn net.Conn, after time.Duration) {
	t.Helper()
	began := time.Now()
	var err error
	for buf := make([]byte, 1024); err == nil; {
		_, err = conn.Read(buf)
	}
	require.GreaterOrEqual(t, time.Since(began), after-time.Second)
	require.Less(t, time.Since(began), after+patience)
}

// TestSlowBody: a body that does not arrive holds a connection for a while only.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	shows(t, "10-timeouts")
	s := shared(t)
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), patience)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(3*patience)))
	_, err = fmt.Fprint(conn, "POST /v1/agent/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	ends(t, conn, 15*time.Second)
}

// TestSlowReader: a client that asks and reads nothing holds a connection for a while only.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	shows(t, "10-timeouts")
	s := shared(t)
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), patience)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	require.NoError(t, conn.SetDeadline(time.Now().Add(6*patience)))
	ask := strings.Repeat("GET /v1/capabilities HTTP/1.1\r\nHost: x\r\n\r\n", 100)
	for err == nil {
		_, err = fmt.Fprint(conn, ask)
	}
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server still waits for its client")
}

// TestStorm: rooms are decided independently of each other, by one process whose limits hold for all.
func TestStorm(t *testing.T) {
	t.Parallel()
	shows(t, "14-29", "14-23", "5-once")
	s := shared(t)
	rooms := make([]*room, 8)
	var group sync.WaitGroup
	for i := range rooms {
		rooms[i] = s.roomWith(t, object{"max_turns": 6})
	}
	for _, r := range rooms {
		group.Go(func() {
			for range 6 {
				r.say(t, "words")
			}
		})
	}
	group.Wait()
	for _, r := range rooms {
		require.Len(t, r.history(t, r.a, 0), 4+6+2)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/healthz", nil)
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}
