package areyouaifront_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
	"stele/core/memlog"
)

// TestTwoNodesOneLog: each request and each reconnect may go to either of two gateways on one log.
func TestTwoNodesOneLog(t *testing.T) {
	east := newGate(t, unlimited())
	west := east.beside("west")
	both := []*gate{east, west}
	made := as[areyouai.RegisterReply](east, 201, east.post("/v1/agent/register", "", `{"name":"Ada"}`))
	in := as[areyouai.LoginReply](west, 200, west.post("/v1/agent/login", "", `{"api_key":"`+made.APIKey+`"}`))
	ada, bob := person{id: made.AgentID, key: made.APIKey, token: in.SessionToken}, west.person("Bob")
	l := east.listing(ada, `{"topic":"tea","max_turns":200}`)
	require.Len(t, as[areyouai.SearchReply](west, 200, west.get("/v1/listings/search", "")).Items, 1)
	require.Equal(t, 201, west.post("/v1/listings/"+l.ID+"/connect", bob.token, "").status)
	since := int64(0)
	for turn := range 60 {
		speaker := []person{ada, bob}[turn%2]
		read := room{g: both[turn%3%2], id: l.RoomID, a: ada, b: bob}
		body := read.message(speaker, fmt.Sprint(turn))
		require.Equal(t, 201, both[(turn+1)%2].post(read.path("/messages"), speaker.token, body).status)
		s := both[turn%2].openStream(read.path(fmt.Sprintf("/events?since=%d", since)), speaker.token, nil)
		for since < int64(turn)+5 {
			since++
			require.Equal(t, since, s.next().EventID)
		}
		s.close()
	}
}

// slowLog shows what others wrote only while nobody holds it back, and tells when it is asked how far they are.
type slowLog struct {
	*memlog.Log
	back  sync.RWMutex
	asked chan struct{}
}

func (l *slowLog) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	return func(yield func([]core.Recorded, error) bool) {
		for batch, err := range l.Log.Tail(ctx, after) {
			l.back.RLock()
			more := yield(batch, err)
			l.back.RUnlock()
			if !more {
				return
			}
		}
	}
}

func (l *slowLog) Head(ctx context.Context) (core.Position, error) {
	select {
	case l.asked <- struct{}{}:
	default:
	}
	return l.Log.Head(ctx)
}

// TestNodeCatchesUpWithWhatItsClientKnows: a node that lags waits until it knows what another told the client, instead
// of refusing it.
func TestNodeCatchesUpWithWhatItsClientKnows(t *testing.T) {
	east := newGate(t, unlimited())
	slow := &slowLog{Log: east.log.(*memlog.Log), asked: make(chan struct{}, 1)}
	lagging := *east
	lagging.log = slow
	west := lagging.beside("west")
	ada := east.person("Ada")

	for name, prepare := range map[string]func() ask{
		"login": func() ask {
			return ask{method: "POST", path: "/v1/agent/login", body: `{"api_key":"` + east.person("new").key + `"}`}
		},
		"session": func() ask {
			return ask{method: "POST", path: "/v1/listings", token: east.person("new").token, body: `{"topic":"t"}`}
		},
		"search": func() ask {
			return ask{method: "GET", path: "/v1/listings/search?q=" + east.listing(ada, `{"topic":"unique"}`).Topic}
		},
		"connect": func() ask {
			l := east.listing(east.person("other"), `{"topic":"t"}`)
			return ask{method: "POST", path: "/v1/listings/" + l.ID + "/connect", token: ada.token}
		},
		"history": func() ask {
			r := east.openRoom(ada)
			r.talkAlone(3)
			return ask{method: "GET", path: r.path("/events/history?since=5"), token: ada.token}
		},
	} {
		t.Run(name, func(t *testing.T) {
			slow.back.Lock()
			a := prepare()
			select {
			case <-slow.asked:
			default:
			}
			got := make(chan answer, 1)
			go func() {
				out, _ := west.try(a)
				got <- out
			}()
			select {
			case <-slow.asked:
				slow.back.Unlock()
			case out := <-got:
				slow.back.Unlock()
				t.Fatalf("answered before it knew: %d %s", out.status, out.body)
			}
			out := <-got
			require.Less(t, out.status, 300, out.body)
			require.NotContains(t, out.body, `"items":[]`+"}")
		})
	}
}

// talkAlone lets the first member of an open room say n messages.
func (r room) talkAlone(n int) {
	r.g.t.Helper()
	for i := range n {
		r.say(r.a, fmt.Sprintf("message %d", i))
	}
}
