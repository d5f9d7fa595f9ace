package agentswitch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/sse"
	agentswitch "stele/switch"
)

// noBeats keeps the beats out of tests that are about something else.
var noBeats = agentswitch.StreamOptions{ConnectionID: "c-1", BeatInterval: -1, Declaration: &agentswitch.Declaration{}}

// collect runs Events until stop says so and returns what was yielded.
func collect(t *testing.T, s *server, opts agentswitch.StreamOptions, stop func(agentswitch.Frame, error) bool) (frames []agentswitch.Frame, errs []error) {
	t.Helper()
	for frame, err := range s.client.Events(t.Context(), opts) {
		if err != nil {
			require.Nil(t, frame)
			errs = append(errs, err)
		} else {
			frames = append(frames, frame)
		}
		if stop(frame, err) {
			break
		}
	}
	return frames, errs
}

func isMessage(body string) func(agentswitch.Frame, error) bool {
	return func(f agentswitch.Frame, _ error) bool {
		e, ok := f.(agentswitch.Event)
		if !ok {
			return false
		}
		m, ok := e.Payload.(agentswitch.Message)
		return ok && m.Body == body
	}
}

func bodies(frames []agentswitch.Frame) (got []string) {
	for _, f := range frames {
		if e, ok := f.(agentswitch.Event); ok {
			if m, ok := e.Payload.(agentswitch.Message); ok {
				got = append(got, m.Body)
			}
		}
	}
	return got
}

func TestEventsYieldTypedFramesAndExactBytes(t *testing.T) {
	stream := []string{
		stateFrame(`"r-1"`, "4"), ": keepalive\n\n", messageFrame("5", "hello"),
		"event: subscription_changed\ndata: {\"rooms\":[],\"reason\":\"subscription updated\"}\n\n",
		"id: 6\nevent: novel\ndata: {\"type\":\"novel\",\"room_id\":\"r-1\",\"payload\":{\"x\":1},\"sequence\":6}\n\n",
		"event: gap\ndata: {\"from_sequence\":6,\"resumed_at\":9,\"reason\":\"re-read\"}\n\n",
		"event: evicted\ndata: {\"reason\":\"heartbeat lapsed\"}\n\n",
	}
	s := newServer(t, ends(strings.Join(stream, "")))
	opts := noBeats
	var raw strings.Builder
	opts.OnRaw = func(b []byte) { raw.Write(b) }
	var got []agentswitch.Frame
	for frame, err := range s.client.OpenOnce(t.Context(), opts) {
		require.NoError(t, err)
		got = append(got, frame)
	}
	require.Equal(t, strings.Join(stream, ""), raw.String())
	require.Len(t, got, 7)
	require.Equal(t, agentswitch.Rooms{"r-1"}, got[0].(agentswitch.ConnectionState).Rooms)
	require.Equal(t, 2.0, got[0].(agentswitch.ConnectionState).HeartbeatIntervalSeconds)
	require.Equal(t, agentswitch.Keepalive{Text: "keepalive"}, got[1])
	require.Equal(t, agentswitch.Event{
		RoomID: "r-1", ChannelType: ptr("channel_public"), Sequence: 5,
		Payload: agentswitch.Message{
			Addressed: true, Sender: "u-1", SenderName: "Ann", MessageID: "m-5", Body: "hello", Timestamp: 1790000000123,
			Attachments: agentswitch.List[agentswitch.Attachment]{},
		},
	}, got[2])
	require.Equal(t, agentswitch.SubscriptionChanged{Rooms: agentswitch.Rooms{}, Reason: "subscription updated"}, got[3])
	require.Equal(t, agentswitch.Unknown{Type: "novel", Raw: []byte(`{"x":1}`)}, got[4].(agentswitch.Event).Payload)
	require.Equal(t, agentswitch.Gap{FromSequence: 6, ResumedAt: 9, Reason: "re-read"}, got[5])
	require.Equal(t, agentswitch.Evicted{Reason: "heartbeat lapsed"}, got[6])
}

func TestEventsResumeAtOnceAfterACleanEnd(t *testing.T) {
	s := newServer(t,
		ends(stateFrame(`"r-2","r-1"`, "4"), messageFrame("5", "one"), messageFrame("7", "two"), "event: evicted\ndata: {\"reason\":\"x\"}\n\n"),
		stays(stateFrame(`"r-1"`, "7"), messageFrame("8", "three")),
	)
	opts := noBeats
	opts.Rooms = []string{"r-1"}
	frames, errs := collect(t, s, opts, isMessage("three"))
	require.Empty(t, errs)
	require.Equal(t, []string{"one", "two", "three"}, bodies(frames))
	require.Equal(t, []time.Duration{0}, s.clock.waits())

	query, last := s.opened(t)
	require.Equal(t, "connection_id=c-1&filter=all&rooms=r-1&scope=single&start_from=head", query)
	require.Empty(t, last)
	query, last = s.opened(t)
	require.Equal(t, "connection_id=c-1&filter=all&rooms=r-2%2Cr-1&scope=single&start_from=7", query)
	require.Equal(t, "7", last)
}

func TestEventsSendEveryOption(t *testing.T) {
	s := newServer(t, ends(stateFrame("", "9")))
	opts := agentswitch.StreamOptions{
		ConnectionID: "c 1", Scope: agentswitch.ScopeAll, Filter: agentswitch.FilterAddressed, After: ptr(uint64(9)), SpawnCapable: true,
		Rooms:        []string{"a", "b"},
		Declaration:  &agentswitch.Declaration{Protocol: ptr(1), ProtocolAccepts: ptr(1), Client: ptr("demo"), ClientVersion: ptr("2")},
		BeatInterval: -1,
	}
	for _, err := range s.client.OpenOnce(t.Context(), opts) {
		require.NoError(t, err)
	}
	query, last := s.opened(t)
	require.Equal(t, "client=demo&client_version=2&connection_id=c+1&filter=addressed&protocol=1&protocol_accepts=1&rooms=a%2Cb&scope=all&spawn_capable=true&start_from=9", query)
	require.Equal(t, "9", last)
}

func TestEventsPlaceThemselvesByTheFirstFrame(t *testing.T) {
	s := newServer(t, ends(stateFrame("", "40")), stays(stateFrame("", "40"), messageFrame("41", "x")))
	collect(t, s, noBeats, isMessage("x"))
	query, _ := s.opened(t)
	require.Contains(t, query, "start_from=head")
	query, last := s.opened(t)
	require.Contains(t, query, "start_from=40")
	require.Equal(t, "40", last)
}

func TestEventsFollowAGapBackwards(t *testing.T) {
	s := newServer(t,
		ends(stateFrame("", "0"), messageFrame("500", "old")),
		ends(stateFrame("", "500"), "event: gap\ndata: {\"from_sequence\":3,\"resumed_at\":3,\"reason\":\"the server restarted\"}\n\n", messageFrame("4", "new")),
		stays(stateFrame("", "4"), messageFrame("5", "newer")),
	)
	frames, _ := collect(t, s, noBeats, isMessage("newer"))
	require.Equal(t, []string{"old", "new", "newer"}, bodies(frames))
	s.opened(t)
	_, last := s.opened(t)
	require.Equal(t, "500", last)
	_, last = s.opened(t)
	require.Equal(t, "4", last)
}

func TestEventsBackOffFromRefusals(t *testing.T) {
	var script []http.HandlerFunc
	for range 7 {
		script = append(script, refuses(409, `{"detail":"no"}`))
	}
	heard := make(chan struct{})
	long := func(w http.ResponseWriter, _ *http.Request) {
		begin(w)
		send(w, stateFrame("", "0"))
		<-heard
	}
	script = append(script, long, refuses(503, "x"), stays(messageFrame("1", "done")))
	s := newServer(t, script...)
	_, errs := collect(t, s, noBeats, func(f agentswitch.Frame, err error) bool {
		if _, ok := f.(agentswitch.ConnectionState); ok {
			s.clock.advance(10 * time.Second)
			close(heard)
		}
		return isMessage("done")(f, err)
	})
	require.Len(t, errs, 8)
	var refused agentswitch.Error
	require.ErrorAs(t, errs[0], &refused)
	require.Equal(t, 409, refused.Status())
	require.Equal(t, "agentswitch: open stream: 409: no", errs[0].Error())
	const step = 750 * time.Millisecond // the random number is 0.75: that part of each step
	require.Equal(t, []time.Duration{step, 2 * step, 4 * step, 8 * step, 16 * step, 30 * step, 30 * step, 0, step}, s.clock.waits())
}

func TestEventsSlowDownWhenStreamsKeepEnding(t *testing.T) {
	s := newServer(t, ends(stateFrame("", "0")))
	n := 0
	collect(t, s, noBeats, func(agentswitch.Frame, error) bool { n++; return n == 7 })
	const step = 750 * time.Millisecond
	require.GreaterOrEqual(t, len(s.clock.waits()), 6)
	require.Equal(t, []time.Duration{0, 0, 0, step, 2 * step, 4 * step}, s.clock.waits()[:6])
}

func TestEventsPassABrokenFrame(t *testing.T) {
	s := newServer(t,
		stays(stateFrame("", "0"), messageFrame("1", "one"), "id: 2\nevent: message\ndata: {broken\n\n", messageFrame("3", "lost to this stream")),
		stays(messageFrame("3", "three")),
	)
	frames, errs := collect(t, s, noBeats, isMessage("three"))
	require.Equal(t, []string{"one", "three"}, bodies(frames))
	require.Len(t, errs, 1)
	var broken *agentswitch.FrameError
	require.ErrorAs(t, errs[0], &broken)
	require.Len(t, s.clock.waits(), 1)
	require.Positive(t, s.clock.waits()[0])
	s.opened(t)
	_, last := s.opened(t)
	require.Equal(t, "2", last)
}

func TestEventsReportABrokenConnection(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		begin(w)
		send(w, stateFrame("", "0"), "id: 9\nevent: mess")
		panic(http.ErrAbortHandler)
	}, stays(messageFrame("1", "on")))
	frames, errs := collect(t, s, noBeats, isMessage("on"))
	require.Equal(t, []string{"on"}, bodies(frames))
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], io.ErrUnexpectedEOF)
	s.opened(t)
	_, last := s.opened(t)
	require.Equal(t, "0", last, "a frame that broke off must not count")
}

func TestEventsRefuseWhatIsNoStream(t *testing.T) {
	s := newServer(t, refuses(200, `{"events":[]}`))
	for _, err := range s.client.OpenOnce(t.Context(), noBeats) {
		require.ErrorContains(t, err, `not an event stream`)
	}
}

func TestEventsBoundFrames(t *testing.T) {
	s := newServer(t, stays("event: message\ndata: "+strings.Repeat("x", 5<<20)))
	var errs []error
	for _, err := range s.client.OpenOnce(t.Context(), noBeats) {
		errs = append(errs, err)
	}
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], sse.ErrFrameTooLarge)
}

func TestEventsEndWithTheContext(t *testing.T) {
	s := newServer(t, stays(stateFrame("", "0")))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range s.client.Events(ctx, agentswitch.StreamOptions{}) {
		require.NoError(t, err)
		n++
		cancel()
	}
	require.Equal(t, 1, n)
	query, _ := s.opened(t)
	require.Regexp(t, `^client=agentswitch-go&client_version=[0-9.]+&connection_id=[0-9a-f-]{36}&filter=all&protocol=1&protocol_accepts=1&scope=single&start_from=head$`, query)
	for range s.client.Events(ctx, noBeats) {
		t.Fatal("nothing may come after the context ended")
	}
}

func TestEventsBeatWithTheCursor(t *testing.T) {
	more := make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		send(w, stateFrame("", "3"))
		<-more
		send(w, messageFrame("7", "seen"))
		<-r.Context().Done()
	})
	var beats []agentswitch.BeatAnswer
	opts := agentswitch.StreamOptions{ConnectionID: "c-1", OnBeat: func(a agentswitch.BeatAnswer, err error) {
		require.NoError(t, err)
		beats = append(beats, a)
	}}
	for frame, err := range s.client.Events(t.Context(), opts) {
		require.NoError(t, err)
		switch frame.(type) {
		case agentswitch.ConnectionState:
			require.Contains(t, []string{`{"connection_id":"c-1","cursor":0}`, `{"connection_id":"c-1","cursor":3}`}, <-s.beats)
			release := <-s.clock.beatSleeps
			close(release)
			require.Equal(t, `{"connection_id":"c-1","cursor":3}`, <-s.beats)
			close(more)
			continue
		case agentswitch.Event:
			close(<-s.clock.beatSleeps)
			require.Equal(t, `{"connection_id":"c-1","cursor":7}`, <-s.beats)
		}
		break
	}
	require.GreaterOrEqual(t, len(beats), 2)
	require.True(t, beats[0].OK)
}

func TestEventsReopenWhenABeatFindsTheConnectionGone(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusConflict} {
		s := newServer(t, stays(stateFrame("", "0")), stays(messageFrame("1", "back")))
		n := 0
		s.beat = func(w http.ResponseWriter, _ *http.Request) {
			if n++; n == 1 {
				reply(w, status, string(agentswitch.DeadConnection(status, "c-1").AppendBody(nil)))
				return
			}
			reply(w, 200, `{"ok":true,"rooms":[],"cursor":0}`)
		}
		_, errs := collect(t, s, agentswitch.StreamOptions{ConnectionID: "c-1"}, isMessage("back"))
		require.Len(t, errs, 1)
		require.True(t, agentswitch.IsDeadConnection(errs[0], "c-1"))
		require.Equal(t, []time.Duration{0}, s.clock.waits())
	}
}

func TestEventsSurviveOtherBeatFailures(t *testing.T) {
	s := newServer(t, stays(stateFrame("", "0")))
	s.beat = refuses(500, "Internal Server Error")
	failed := make(chan error, 10)
	opts := agentswitch.StreamOptions{ConnectionID: "c-1", OnBeat: func(_ agentswitch.BeatAnswer, err error) { failed <- err }}
	for _, err := range s.client.Events(t.Context(), opts) {
		require.NoError(t, err)
		for range 3 {
			require.Error(t, <-failed)
			close(<-s.clock.beatSleeps)
		}
		break
	}
	require.Len(t, s.opens, 1)
}

func TestLeavingTheLoopWaitsForTheBeat(t *testing.T) {
	s := newServer(t, stays(stateFrame("", "0")))
	entered, release := make(chan struct{}), make(chan struct{})
	var finished atomic.Bool
	opts := agentswitch.StreamOptions{ConnectionID: "c-1", OnBeat: func(agentswitch.BeatAnswer, error) {
		close(entered)
		<-release
		for range 10_000 { // gives a loop that does not wait every chance to be first
			runtime.Gosched()
		}
		finished.Store(true)
	}}
	for _, err := range s.client.Events(t.Context(), opts) {
		require.NoError(t, err)
		<-entered
		close(release)
		break
	}
	require.True(t, finished.Load())
}

func TestEventsEndASilentStream(t *testing.T) {
	s := newServer(t, stays(stateFrame("", "0")), stays(messageFrame("1", "back")))
	opts := agentswitch.StreamOptions{ConnectionID: "c-1", MaxSilence: time.Minute}
	var errs []error
	for frame, err := range s.client.Events(t.Context(), opts) {
		if err != nil {
			errs = append(errs, err)
		}
		if _, ok := frame.(agentswitch.ConnectionState); ok {
			release := <-s.clock.beatSleeps
			s.clock.advance(time.Minute + 1)
			close(release)
		}
		if isMessage("back")(frame, err) {
			break
		}
	}
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "silent")
}

func TestOpenDoesNothingByItself(t *testing.T) {
	s := newServer(t, ends(stateFrame("", "0")))
	stream, err := s.client.Open(t.Context(), agentswitch.StreamOptions{ConnectionID: "c-1"})
	require.NoError(t, err)
	require.Equal(t, "c-1", stream.ConnectionID())
	frame, err := stream.Next()
	require.NoError(t, err)
	require.IsType(t, agentswitch.ConnectionState{}, frame)
	_, err = stream.Next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, stream.Close())
	require.Empty(t, s.beats)

	s.streams = []http.HandlerFunc{refuses(409, string(agentswitch.Negotiate(nil, agentswitch.Range{Speaks: 1, Accepts: 1}, agentswitch.Declaration{Protocol: ptr(2)}).AppendBody(nil)))}
	_, err = s.client.Open(t.Context(), noBeats)
	var refused *agentswitch.RangeError
	require.True(t, errors.As(err, &refused))
	require.Equal(t, agentswitch.RemedyUpdateServer, refused.Remedy)
}
