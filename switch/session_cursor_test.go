package agentswitch_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// A caller that is busy costs a bounded number of frames, and no events when
// the stream has to be given up meanwhile.
func TestSessionLosesNothingWhileItsCallerIsBusy(t *testing.T) {
	const events = 100
	reopened := make(chan string, 1)
	numbered := func(from int) string {
		var all strings.Builder
		for i := from; i <= events; i++ {
			all.WriteString(messageFrame(strconv.Itoa(i), fmt.Sprint("m", i)))
		}
		return all.String()
	}
	s := newServer(t, stays(stateFrame("", "0"), numbered(1)), func(w http.ResponseWriter, r *http.Request) {
		reopened <- r.Header.Get("Last-Event-ID")
		from, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
		stays(stateFrame("", "0"), numbered(from+1))(w, r)
	})
	var mu sync.Mutex
	dead := false
	s.beat = func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if dead {
			dead = false
			reply(w, 404, string(agentswitch.DeadConnection(404, "c-1").AppendBody(nil)))
			return
		}
		reply(w, 200, `{"ok":true,"rooms":[],"cursor":0}`)
	}
	opts := noBeats
	opts.BeatInterval = agentswitch.HeartbeatInterval
	session := connect(t, s, opts)
	next[agentswitch.ConnectionState](t, session)
	require.Equal(t, uint64(1), next[agentswitch.Event](t, session).Sequence)

	// The stream that waits for its caller is not silent, and is given up for the reason alone that its connection died.
	release := <-s.clock.beatSleeps
	require.Eventually(t, func() bool { return agentswitch.Waiting(session) == agentswitch.MaxQueuedFrames }, 5*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return !agentswitch.Reading(session) }, 5*time.Second, time.Millisecond)
	s.clock.advance(time.Hour)
	close(release)
	release = <-s.clock.beatSleeps
	require.Len(t, s.opens, 1)
	mu.Lock()
	dead = true
	mu.Unlock()
	close(release)
	from := <-reopened
	require.Equal(t, strconv.Itoa(1+agentswitch.MaxQueuedFrames), from, "what waits for the caller is not asked for again")

	seen := []uint64{1}
	var errs []error
	for frame, err := range session.Frames(t.Context()) {
		if err != nil {
			errs = append(errs, err)
		}
		if e, ok := frame.(agentswitch.Event); ok {
			seen = append(seen, e.Sequence)
			require.Equal(t, e.Sequence, session.Cursor())
			if e.Sequence == events {
				break
			}
		}
	}
	require.Len(t, seen, events)
	for i, sequence := range seen {
		require.Equal(t, uint64(i+1), sequence)
	}
	require.Len(t, errs, 1)
	require.True(t, agentswitch.IsDeadConnection(errs[0], "c-1"))
}

func TestSessionBeatsTheCursorOfARestartedServer(t *testing.T) {
	s := newServer(t,
		stays(stateFrame("", "500"), fmt.Sprintf(gapFrame, 3, 3, "the server restarted"), messageFrame("4", "new")),
	)
	opts := noBeats
	opts.BeatInterval = agentswitch.HeartbeatInterval
	opts.After = ptr(uint64(500))
	session := connect(t, s, opts)
	require.Equal(t, `{"connection_id":"c-1","cursor":500}`, <-s.beats)
	next[agentswitch.ConnectionState](t, session)
	gap := next[agentswitch.Gap](t, session)
	require.True(t, gap.Restarted())
	require.Equal(t, agentswitch.Gap{FromSequence: 3, ResumedAt: 3, Reason: "the server restarted"}, gap)
	close(<-s.clock.beatSleeps)
	require.Equal(t, `{"connection_id":"c-1","cursor":3}`, <-s.beats)
	next[agentswitch.Event](t, session)
	require.Equal(t, uint64(4), session.Cursor())
	close(<-s.clock.beatSleeps)
	require.Equal(t, `{"connection_id":"c-1","cursor":4}`, <-s.beats)
}

func TestSessionIsNotLoweredByOtherGaps(t *testing.T) {
	s := newServer(t,
		ends(stateFrame("", "9"), fmt.Sprintf(gapFrame, 3, 3, "rooms must be re-read")),
		ends(stateFrame("", "9"), fmt.Sprintf(gapFrame, 9, 20, "rooms must be re-read")),
		stays(stateFrame("", "20")),
	)
	opts := noBeats
	opts.After = ptr(uint64(9))
	session := connect(t, s, opts)
	for range 5 {
		for _, err := range session.Frames(t.Context()) {
			require.NoError(t, err)
			break
		}
	}
	for _, want := range []string{"9", "9", "20"} {
		query, last := s.opened(t)
		require.Equal(t, want, last)
		require.Contains(t, query, "start_from="+want)
	}
	require.Equal(t, uint64(20), session.Cursor())
}
