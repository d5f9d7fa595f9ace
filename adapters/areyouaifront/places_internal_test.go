package areyouaifront

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
	"stele/core/memlog"
)

// newFront makes a front whose node has a time of its own.
func newFront(t *testing.T, l Limits) (f *Front, advance func(time.Duration)) {
	t.Helper()
	var passed atomic.Int64
	now := func() time.Time {
		return time.Date(2026, time.April, 2, 10, 0, 0, 0, time.UTC).Add(time.Duration(passed.Load()))
	}
	node, err := core.Open(t.Context(), memlog.New(), core.Options{Now: now, SweepEvery: time.Hour})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close(context.Background())) })
	return New(node, Options{Limits: &l}), func(d time.Duration) { passed.Add(int64(d)) }
}

// from is a request from an address.
func from(f *Front, ip, agent, room string) *request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = ip + ":1"
	return &request{Context: f.echo.NewContext(r, httptest.NewRecorder()), id: room, cred: core.Credential{Agent: agent}}
}

// requireLimited checks that the error is a 429 that names a wait in whole seconds.
func requireLimited(t *testing.T, err error, wait string) {
	t.Helper()
	require.ErrorIs(t, err, areyouai.CodeRateLimited)
	require.Equal(t, wait, retryAfter(wireError(err).RetryAfter))
}

// TestGuesses: only wrong codes count, by address and by room, and the count slides.
func TestGuesses(t *testing.T) {
	f, advance := newFront(t, Limits{GuessesPerIP: 2, GuessesPerRoom: 3})
	wrong := func(ip, room string) error {
		r := from(f, ip, "", room)
		if err := f.guess(r, room); err != nil {
			return err
		}
		f.guessed(r, room)
		return nil
	}
	for range 50 {
		require.NoError(t, f.guess(from(f, "1.1.1.1", "", "a"), "a"), "codes that are right do not count")
	}
	require.NoError(t, wrong("1.1.1.1", "a"))
	advance(20 * time.Second)
	require.NoError(t, wrong("1.1.1.1", "b"))
	var ip *ipLimitedError
	err := wrong("1.1.1.1", "c")
	require.ErrorAs(t, err, &ip)
	require.Equal(t, "1.1.1.1", ip.ip)
	requireLimited(t, err, "40")
	require.NoError(t, wrong("2.2.2.2", "a"))
	require.NoError(t, wrong("3.3.3.3", "a"))
	requireLimited(t, wrong("4.4.4.4", "a"), "40")
	require.NoError(t, wrong("4.4.4.4", "b"), "another room")
	advance(40 * time.Second)
	require.NoError(t, wrong("1.1.1.1", "a"))
	requireLimited(t, wrong("4.4.4.4", "a"), "20")
}

func TestZeroLimitsNoGuess(t *testing.T) {
	f, _ := newFront(t, Limits{})
	r := from(f, "1.1.1.1", "", "a")
	for range 1000 {
		require.NoError(t, f.guess(r, "a"))
		f.guessed(r, "a")
	}
}

// TestPlaces: agent streams by agent, viewer streams by room, both by address; a place is free when its stream has ended,
// and a refused one holds none.
func TestPlaces(t *testing.T) {
	f, advance := newFront(t, Limits{OpenAgentStreams: 2, OpenViewerStreams: 1, OpenPerIP: 3})
	enter := func(take func(*request) (func(), error), ip, agent, room string) func() {
		t.Helper()
		leave, err := take(from(f, ip, agent, room))
		require.NoError(t, err)
		return leave
	}
	refuse := func(take func(*request) (func(), error), ip, agent, room string) {
		t.Helper()
		leave, err := take(from(f, ip, agent, room))
		require.Nil(t, leave)
		requireLimited(t, err, "30")
	}
	one := enter(f.takeAgentPlace, "1.1.1.1", "ada", "")
	two := enter(f.takeAgentPlace, "1.1.1.1", "ada", "")
	advance(time.Hour)
	for range 5 {
		refuse(f.takeAgentPlace, "2.2.2.2", "ada", "")
	}
	viewer := enter(f.takeViewerPlace, "1.1.1.1", "", "tea")
	refuse(f.takeViewerPlace, "2.2.2.2", "", "tea")
	refuse(f.takeViewerPlace, "1.1.1.1", "", "coffee")
	enter(f.takeViewerPlace, "2.2.2.2", "", "coffee")()
	one()
	one = enter(f.takeAgentPlace, "3.3.3.3", "ada", "")
	enter(f.takeAgentPlace, "1.1.1.1", "bob", "")()
	one()
	two()
	viewer()
	for _, o := range []*openStreams[string]{f.places.agents, f.places.rooms, f.places.ips} {
		require.Empty(t, o.open)
	}
}

// TestPurgesAreAudited: once each, in the order in which they happened.
func TestPurgesAreAudited(t *testing.T) {
	f, advance := newFront(t, Limits{})
	begin := f.node.Now()
	rooms := []core.Summary{
		{ID: "late", PurgedAt: begin.Add(2 * time.Second), Turn: 7},
		{ID: "alive"},
		{ID: "early", PurgedAt: begin.Add(time.Second)},
		{ID: "long ago", PurgedAt: begin},
	}
	advance(time.Minute)
	f.audit.add(areyouai.AuditMessagePersisted, "alive", nil)
	f.audit.notePurges(rooms)
	f.audit.notePurges(rooms)
	var got []string
	for _, e := range f.audit.newest() {
		got = append(got, string(e.Event)+" "+e.RoomID)
	}
	require.Equal(t, []string{"message_persisted alive", "room_purged late", "room_purged early"}, got)
	require.EqualValues(t, 7, f.audit.newest()[1].MessageCount)
}

// TestStreamsAreAudited: from the place that a stream takes to the place that it gives back.
func TestStreamsAreAudited(t *testing.T) {
	f, _ := newFront(t, Limits{})
	r := from(f, "1.1.1.1", "ada", "tea")
	leave, err := f.takeViewerPlace(r)
	require.NoError(t, err)
	require.Equal(t, areyouai.AuditStreamOpened, f.audit.newest()[0].Event)
	leave()
	require.Len(t, f.audit.newest(), 2)
	require.Equal(t, areyouai.AuditStreamClosed, f.audit.newest()[0].Event)
	require.Equal(t, "tea", f.audit.newest()[0].RoomID)
}

// TestAddresses: an IPv6 network counts as one, however its members write themselves.
func TestAddresses(t *testing.T) {
	for remote, want := range map[string]string{
		"1.2.3.4:5":                "1.2.3.4",
		"[::ffff:1.2.3.4]:5":       "1.2.3.4",
		"[2001:db8:1:2:3:4:5:6]:7": "2001:db8:1:2::/64",
		"[2001:db8:1:2::]:7":       "2001:db8:1:2::/64",
		"[fe80::1%eth0]:7":         "fe80::/64",
		"@":                        "@",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = remote
		require.Equal(t, want, addressOf(r), remote)
	}
}
