package areyouaifront_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
)

// nextLife appends the first event of the next life of the log to the room, as if a backup had been restored, and returns
// its version.
func (r room) nextLife(after uint64) uint64 {
	r.g.t.Helper()
	version := (core.VersionLife(after)+1)<<32 | (core.VersionCount(after) + 1)
	stream := core.RoomStream(r.id)
	last, err := r.g.log.Last(r.g.t.Context(), stream)
	require.NoError(r.g.t, err)
	turn := 0
	require.NoError(r.g.t, r.g.node.ViewRoom(r.g.t.Context(), r.id, func(room *core.Room) { turn = room.Turn }))
	_, err = r.g.log.Append(r.g.t.Context(), stream, last, []core.Event{{
		Kind: core.MessagePosted, Version: version, At: r.g.node.Now(),
		Body:    fmt.Appendf(nil, `{"id":"msg_life_%d","turn":%d,"sender":%q}`, version, turn, r.a.id),
		Content: []byte(`{"sender_name":"Ada","text":"a new life"}`),
	}})
	require.NoError(r.g.t, err)
	require.NoError(r.g.t, r.g.node.CatchUp(r.g.t.Context()))
	return version
}

// postAlone lets the first member say n messages and returns the ids after a version.
func (r room) postAlone(n int, after uint64) (ids []int64) {
	r.g.t.Helper()
	for i := range n {
		_, _, err := r.g.node.PostMessage(context.Background(), r.id, core.PostMessage{Sender: r.a.id, Text: fmt.Sprint(i)}, nil)
		require.NoError(r.g.t, err)
		ids = append(ids, int64(after)+int64(i)+1)
	}
	return ids
}

// threeLives is a room whose log was replaced by a backup twice, and the ids of its events.
func threeLives(g *gate) (r room, ids []int64) {
	g.t.Helper()
	r = g.openRoom(g.person("Ada"))
	ids = append([]int64{1, 2}, r.postAlone(300, 2)...)
	for range 2 {
		first := r.nextLife(uint64(ids[len(ids)-1]))
		ids = append(append(ids, int64(first)), r.postAlone(300, first)...)
	}
	return r, ids
}

// TestIdsJumpWithTheLifeOfTheLog: streams and pages go over the jump from any event, on a node that saw it happen and on
// one that came later.
func TestIdsJumpWithTheLifeOfTheLog(t *testing.T) {
	g := newGate(t, unlimited())
	r, ids := threeLives(g)
	require.Equal(t, int64(2<<32|904), ids[len(ids)-1])
	for name, gate := range map[string]*gate{"witness": g, "later": g.beside("later")} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []int{0, 1, 100, 301, 302, 303, 304, 602, 603, 604, 902} {
				since := int64(0)
				if from > 0 {
					since = ids[from-1]
				}
				s := gate.openStream(r.path(fmt.Sprintf("/events?since=%d", since)), r.a.token, nil)
				require.Equal(t, ids[from:], s.until(ids[len(ids)-1]), "after %d", since)
				s.close()
				page := as[areyouai.HistoryReply](gate, 200, gate.get(r.path(fmt.Sprintf("/events/history?since=%d", since)), r.a.token))
				require.Equal(t, ids[from:min(from+200, len(ids))], idsOf(page.Items), "after %d", since)
			}
			for _, limit := range []int{200, 7} {
				var read []int64
				for since := int64(0); ; {
					page := as[areyouai.HistoryReply](gate, 200, gate.get(r.path(fmt.Sprintf("/events/history?since=%d&limit=%d", since, limit)), r.a.token))
					if len(page.Items) == 0 {
						require.Equal(t, since, page.NextSince)
						break
					}
					read = append(read, idsOf(page.Items)...)
					require.Equal(t, read[len(read)-1], page.NextSince)
					since = page.NextSince
				}
				require.Equal(t, ids, read)
			}
		})
	}
}

func idsOf(events []areyouai.Event) (ids []int64) {
	for _, ev := range events {
		ids = append(ids, ev.EventID)
	}
	return ids
}

// TestCursorOfALostLifeIsRefused: what it named is gone, and what came instead must not be taken for its sequel.
func TestCursorOfALostLifeIsRefused(t *testing.T) {
	g := newGate(t, unlimited())
	r, ids := threeLives(g)
	const want = `{"error":"invalid_request","status":400,"recoverable":false,"hint":"The event to continue after is not an event of this room. Start again without it."}` + "\n"
	for name, gate := range map[string]*gate{"witness": g, "later": g.beside("later")} {
		for _, lost := range []int64{
			303, 304, 1<<32 - 1, 1 << 32, 1<<32 | 302, 1<<32 | 604, 2 << 32, 2<<32 | 603, ids[len(ids)-1] + 1, 3<<32 | 905, 1<<63 - 1,
		} {
			since := fmt.Sprintf("?since=%d", lost)
			require.Equal(t, want, gate.get(r.path("/events/history"+since), r.a.token).body, "%s %d", name, lost)
			require.Equal(t, want, gate.get(r.path("/events"+since), r.a.token).body, "%s %d", name, lost)
			header := map[string]string{"Last-Event-ID": fmt.Sprint(lost)}
			require.Equal(t, want, gate.do(ask{method: "GET", path: r.path("/events"), token: r.a.token, header: header}).body, "%s %d", name, lost)
		}
	}
}

// TestClientFollowsTheJump: to a client an id that jumps is a gap. It asks the history and goes on, on a stream that was
// open when the new life began and on one that was opened later; with a cursor of the lost life it learns that it is one.
func TestClientFollowsTheJump(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.openRoom(g.person("Ada"))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client, err := areyouai.NewClient(g.url, areyouai.ClientOptions{HTTP: g.web, SessionToken: r.a.token})
	require.NoError(t, err)
	ids := append([]int64{1, 2}, r.postAlone(5, 2)...)
	follow := func(since int64, seen func(id int64) bool) (got []int64, err error) {
		for ev, err := range client.Events(ctx, r.id, areyouai.EventsOptions{Since: since}) {
			if err != nil {
				return got, err
			}
			got = append(got, ev.EventID)
			if !seen(ev.EventID) {
				break
			}
		}
		return got, nil
	}
	var end int64
	got, err := follow(0, func(id int64) bool {
		if id == 7 {
			first := r.nextLife(7)
			ids = append(append(ids, int64(first)), r.postAlone(250, first)...)
			end = ids[len(ids)-1]
		}
		return id != end
	})
	require.NoError(t, err)
	require.Equal(t, ids, got)

	got, err = follow(5, func(id int64) bool { return id != end })
	require.NoError(t, err)
	require.Equal(t, ids[5:], got)

	got, err = follow(8, func(int64) bool { return true })
	require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
	require.Empty(t, got)
}
