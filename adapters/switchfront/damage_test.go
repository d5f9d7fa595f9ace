package switchfront_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core/logtest"
	"stele/core/memlog"
)

// TestDamageIsAGap: a client that reads over a damaged record is told of a gap that is as large as that, and gets everything else
// of all its rooms. Were its stream to end there, it would come back to the same place for ever.
func TestDamageIsAGap(t *testing.T) {
	log := &logtest.Damaged{Log: memlog.New()}
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	g := newGateway(t, setup{log: log})
	a, b := g.register("alice"), g.register("bob")
	one, two := a.room("", a, b), a.room("", a, b)
	b.post(one, "first")
	b.post(two, "second")
	_, at := b.post(one, "damaged")
	b.post(two, "fourth")
	b.post(one, "fifth")
	log.Damage(at)
	s := a.open("c-1", "&scope=all&start_from=0").hello()
	for _, want := range []string{"first", "second"} {
		require.Equal(t, want, nextBody(t, s))
	}
	from, resumed := gap(t, s.next(), "re-read")
	require.Equal(t, at-1, from)
	require.Equal(t, at, resumed)
	require.Equal(t, "fourth", s.body())
	require.Equal(t, "fifth", s.body())
	b.post(one, "live")
	require.Equal(t, "live", s.body())
}

// nextBody returns the text of the next message, past arrivals.
func nextBody(t *testing.T, s *tap) string {
	t.Helper()
	for {
		kind, data := event(t, s.next())
		if kind == "message" {
			return data["payload"].(map[string]any)["body"].(string)
		}
		require.Equal(t, "room_join", kind)
	}
}
