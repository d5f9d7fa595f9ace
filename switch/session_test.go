package agentswitch_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// connect starts a session that the test ends.
func connect(t *testing.T, s *server, opts agentswitch.StreamOptions) *agentswitch.Session {
	t.Helper()
	session, err := s.client.Connect(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(session.Close)
	return session
}

// next returns the next frame of a session, which must not be a failure.
func next[T agentswitch.Frame](t *testing.T, session *agentswitch.Session) T {
	t.Helper()
	for frame, err := range session.Frames(t.Context()) {
		require.NoError(t, err)
		require.IsType(t, *new(T), frame)
		return frame.(T)
	}
	require.Fail(t, "the session ended")
	panic("unreachable")
}

// failure returns the next failure of a session and passes over frames.
func failure(t *testing.T, session *agentswitch.Session) error {
	t.Helper()
	for _, err := range session.Frames(t.Context()) {
		if err != nil {
			return err
		}
	}
	require.Fail(t, "the session ended")
	return nil
}

const gapFrame = "event: gap\ndata: {\"from_sequence\":%d,\"resumed_at\":%d,\"reason\":%q}\n\n"

func subscriptionFrame(rooms string) string {
	return "event: subscription_changed\ndata: {\"rooms\":[" + rooms + "],\"reason\":\"subscription updated\"}\n\n"
}

func evictedFrame(reason string) string {
	return "event: evicted\ndata: {\"reason\":\"" + reason + "\"}\n\n"
}

func TestSessionReportsEveryRefusedOpenAndGoesOn(t *testing.T) {
	for _, status := range []int{400, 401, 403, 409, 500, 502, 503} {
		s := newServer(t, refuses(status, `{"detail":"no"}`), stays(messageFrame("1", "on")))
		session := connect(t, s, noBeats)
		err := failure(t, session)
		var refused agentswitch.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, status, refused.Status())
		require.Equal(t, status == 401 || status == 403, agentswitch.IsUnauthorized(err))
		require.Equal(t, uint64(1), next[agentswitch.Event](t, session).Sequence)
		require.Equal(t, []time.Duration{750 * time.Millisecond}, s.clock.waits())
		session.Close()
	}
}

func TestSessionReportsARefusedRange(t *testing.T) {
	refusal := agentswitch.Negotiate(nil, agentswitch.Range{Speaks: 3, Accepts: 2}, agentswitch.DefaultDeclaration())
	s := newServer(t, refuses(409, string(refusal.AppendBody(nil))))
	var got *agentswitch.RangeError
	require.ErrorAs(t, failure(t, connect(t, s, noBeats)), &got)
	require.Equal(t, agentswitch.RemedyUpdateRuntime, got.Remedy)
	require.Equal(t, refusal, got)
}

func TestSessionRetriesWhatDoesNotAnswer(t *testing.T) {
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, stays(messageFrame("1", "on")))
	opts := noBeats
	opts.MaxSilence = 50 * time.Millisecond // of real time: only the answer to the open is waited for
	session := connect(t, s, opts)
	require.ErrorIs(t, failure(t, session), agentswitch.ErrSilent)
	require.Equal(t, uint64(1), next[agentswitch.Event](t, session).Sequence)
}

func TestSessionShowsAnEvictionAndComesBackAtOnce(t *testing.T) {
	s := newServer(t,
		ends(stateFrame(`"r-1"`, "4"), evictedFrame("another stream attached to this connection")),
		stays(stateFrame(`"r-1"`, "4")),
	)
	session := connect(t, s, noBeats)
	next[agentswitch.ConnectionState](t, session)
	require.Equal(t, agentswitch.Evicted{Reason: agentswitch.ReasonTakenOver}, next[agentswitch.Evicted](t, session))
	next[agentswitch.ConnectionState](t, session)
	require.Equal(t, []time.Duration{0}, s.clock.waits())
	query, _ := s.opened(t)
	require.NotContains(t, query, "rooms")
	query, _ = s.opened(t)
	require.Equal(t, "connection_id=c-1&filter=all&rooms=r-1&scope=single&start_from=4", query)
}

func TestSessionReportsARefusedKeyOnceAndStays(t *testing.T) {
	for _, status := range []int{401, 403} {
		more := make(chan string)
		s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
			begin(w)
			send(w, stateFrame("", "0"))
			for {
				select {
				case frame := <-more:
					send(w, frame)
				case <-r.Context().Done():
					return
				}
			}
		})
		var mu sync.Mutex
		answers := []int{status, status, 200, status}
		s.beat = func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			code := answers[0]
			if len(answers) > 1 {
				answers = answers[1:]
			}
			reply(w, code, `{"detail":"Invalid credentials"}`)
		}
		session := connect(t, s, agentswitch.StreamOptions{ConnectionID: "c-1"})
		var refused *agentswitch.BeatError
		opened := false // the first beat and the first frame come in any order
		for frame, err := range session.Frames(t.Context()) {
			if err != nil {
				require.Nil(t, refused)
				require.ErrorAs(t, err, &refused)
				require.True(t, agentswitch.IsUnauthorized(err))
			}
			_, first := frame.(agentswitch.ConnectionState)
			if opened = opened || first; opened && refused != nil {
				break
			}
		}

		close(<-s.clock.beatSleeps)
		close(<-s.clock.beatSleeps)
		more <- messageFrame("1", "still here")
		require.Equal(t, uint64(1), next[agentswitch.Event](t, session).Sequence, "the second refusal in a row is not told")
		close(<-s.clock.beatSleeps)
		require.True(t, agentswitch.IsUnauthorized(failure(t, session)), "after a success it is")
		require.Len(t, s.opens, 1, "a beat that is refused does not end the stream")
		session.Close()
	}
}

func TestSessionGoesOnBetweenLoopsAndEndsWithClose(t *testing.T) {
	s := newServer(t, stays(stateFrame("", "0"), messageFrame("1", "a"), messageFrame("2", "b")))
	session := connect(t, s, noBeats)
	require.Equal(t, "c-1", session.ConnectionID())
	next[agentswitch.ConnectionState](t, session)
	require.Equal(t, uint64(1), next[agentswitch.Event](t, session).Sequence)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range session.Frames(ended) {
		t.Fatal("nothing may come after the context ended")
	}
	require.Equal(t, uint64(2), next[agentswitch.Event](t, session).Sequence)
	require.Equal(t, uint64(2), session.Cursor())
	require.NoError(t, session.Await(t.Context()))

	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		for range session.Frames(t.Context()) {
		}
	}()
	session.Close()
	session.Close()
	<-waiting
	for range session.Frames(t.Context()) {
		t.Fatal("nothing may come after Close")
	}
	require.ErrorIs(t, session.Await(t.Context()), agentswitch.ErrClosed)
}

func TestSessionMayBeClosedInItsLoop(t *testing.T) {
	s := newServer(t, stays(stateFrame("", "0"), messageFrame("1", "a"), messageFrame("2", "b")))
	session := connect(t, s, agentswitch.StreamOptions{ConnectionID: "c-1"})
	n := 0
	for range session.Frames(t.Context()) {
		n++
		session.Close()
	}
	require.Equal(t, 1, n)
}

func TestSessionEndsWithItsContext(t *testing.T) {
	s := newServer(t, refuses(503, "x"))
	ctx, cancel := context.WithCancel(t.Context())
	session, err := s.client.Connect(ctx, noBeats)
	require.NoError(t, err)
	defer session.Close()
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	require.ErrorIs(t, session.Await(short), context.DeadlineExceeded)
	cancel()
	for range session.Frames(t.Context()) {
		t.Fatal("nothing may come after the context ended")
	}
	require.ErrorIs(t, session.Await(t.Context()), agentswitch.ErrClosed)
}

func TestSessionShowsTheBytesOfWhatItDidNotUnderstand(t *testing.T) {
	const broken = "id: 2\nevent: message\ndata: {broken\n\n"
	s := newServer(t, stays(broken), stays(messageFrame("3", "c")))
	opts := noBeats
	var raw []string
	opts.OnRaw = func(frame []byte) { raw = append(raw, string(frame)) }
	session := connect(t, s, opts)
	var wrong *agentswitch.FrameError
	require.ErrorAs(t, failure(t, session), &wrong)
	require.Equal(t, []string{broken}, raw)
	next[agentswitch.Event](t, session)
	require.Equal(t, []string{broken, messageFrame("3", "c")}, raw)
}
