package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// calmStorms lets ids change hands as often as they like.
func (g *gateway) calmStorms() {
	calm := newClock()
	g.front.SetStormClock(func() time.Time { calm.Advance(time.Hour); return calm.Now() }, nil)
}

// TestStreamBeginsAtOnce: head and connection_state come before there is any event, whether the stream reads or parks.
func TestStreamBeginsAtOnce(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			a := g.register("alice")
			room := a.room("", a)
			c := newClient(t, g, door(g), a)
			for _, rooms := range []string{"", room} {
				before := g.node.Applied()
				s := c.dial()
				s.send(c.openRequest(s, rooms, 0))
				head := s.head()
				require.Equal(t, 200, status(head))
				require.Equal(t, "chunked", header(head, "Transfer-Encoding"))
				require.Empty(t, header(head, "Content-Encoding"), "no coding may hold events back")
				require.Contains(t, s.next(), "event: connection_state\n")
				require.Equal(t, before+1, g.node.Applied(), "nothing happened but the open")
				s.hangUp()
			}
		})
	}
}

// TestBeatRacesTheOpen: clients send their first beat at the moment of their open. Whichever comes first, a client that
// opens again after a refused beat has its connection at the second try.
func TestBeatRacesTheOpen(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			a := g.register("alice")
			c := newClient(t, g, door(g), a)
			for round := range 30 {
				c.id = fmt.Sprintf("c-%d", round)
				s := c.dial()
				open := c.openRequest(s, "", 0)
				beat := c.beats.fetch("POST", a.path("/connection/beat"), a.key,
					fmt.Sprintf(`{"connection_id":%q,"cursor":0}`, c.id), "content-type: application/json")
				var sending sync.WaitGroup
				sending.Go(func() { s.send(open) })
				sending.Go(func() { c.beats.send(beat) })
				sending.Wait()
				head := c.beats.head()
				body := c.beats.body(head)
				if status(head) != 200 {
					require.Contains(t, []int{404, 409}, status(head), body)
					require.Equal(t, status(head) == 404, strings.Contains(body, c.id+" is not open"), body)
					s.hangUp()
					s = c.dial()
					s.send(c.openRequest(s, "", 0))
				}
				require.Equal(t, 200, status(s.head()))
				kind, _ := event(t, s.next())
				require.Equal(t, "connection_state", kind)
				// The aborted open may come to the server after the one that replaced it; then that one is told, and the client
				// opens again.
				eventually(t, "beats are answered", func() bool {
					r := a.beat(c.id, 0)
					if r.status == 409 {
						s.hangUp()
						s = c.dial()
						s.send(c.openRequest(s, "", 0))
						require.Equal(t, 200, status(s.head()))
					}
					return r.status == 200
				})
				s.hangUp()
				eventually(t, "the server notices that the stream is gone", func() bool { return a.beat(c.id, 0).status == 409 })
			}
		})
	}
}

// TestAbortedOpens: clients that go before they have read their answer leave nothing behind but their connection, which
// the next open takes.
func TestAbortedOpens(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			g.calmStorms()
			a, b := g.register("alice"), g.register("bob")
			room := a.room("", a, b)
			c := newClient(t, g, door(g), a)
			first := c.dial()
			first.send(c.openRequest(first, room, 0))
			require.Equal(t, 200, status(first.head()))
			first.hangUp()
			b.post(room, "while opens are aborted")
			for range 40 {
				s := c.dial()
				s.send(c.openRequest(s, room, 0))
				s.hangUp()
			}
			// An aborted open may come to the server after this one and take the id once more; the client opens again then.
			for said := false; !said; {
				s := c.dial()
				s.send(c.openRequest(s, "", 0))
				require.Equal(t, 200, status(s.head()))
				require.Contains(t, s.next(), `"rooms":["`+room+`"]`)
				kind, data := event(t, s.next())
				if said = kind == "message"; said {
					require.Equal(t, "while opens are aborted", data["payload"].(map[string]any)["body"])
				}
			}
			eventually(t, "a stream is attached", func() bool {
				s := c.dial()
				s.send(c.openRequest(s, "", 0))
				return status(s.head()) == 200 && a.beat(c.id, 0).status == 200
			})
		})
	}
}

// poster says numbers in a room, one after the other, until it is told to stop.
type poster struct {
	once sync.Once
	stop chan struct{}
	done chan struct{}
	// said is how many it said; valid when done.
	said int
}

func (a *agent) keepPosting(room string) *poster {
	p := &poster{stop: make(chan struct{}), done: make(chan struct{})}
	a.g.t.Cleanup(func() { p.end() })
	go func() {
		defer close(p.done)
		pace := time.NewTicker(200 * time.Microsecond)
		defer pace.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-pace.C:
			}
			cmd := core.PostMessage{Sender: a.id, Text: fmt.Sprint(p.said)}
			if _, _, err := a.g.node.PostMessage(context.Background(), room, cmd, nil); err != nil {
				a.g.t.Error(err)
				return
			}
			p.said++
		}
	}()
	return p
}

func (p *poster) end() int {
	p.once.Do(func() { close(p.stop) })
	<-p.done
	return p.said
}

// listens checks that numbers come one after the other.
type listens struct {
	t      testing.TB
	next   int
	cursor core.Position
}

// take reads the next message from a stream, past the frames that are none.
func (l *listens) take(s *socket) {
	l.t.Helper()
	for {
		frame := s.next()
		kind, _, _ := strings.Cut(frame, "\n")
		if kind == "event: connection_state" || kind == "event: subscription_changed" {
			continue
		}
		var data struct {
			Sequence core.Position
			Payload  struct{ Body string }
		}
		_, rest, _ := strings.Cut(frame, "\ndata: ")
		require.NoError(l.t, json.Unmarshal([]byte(rest), &data), frame)
		require.Equal(l.t, fmt.Sprint(l.next), data.Payload.Body, "nothing is lost and nothing comes twice: %s", frame)
		require.Greater(l.t, data.Sequence, l.cursor)
		l.next, l.cursor = l.next+1, data.Sequence
		return
	}
}

// TestRapidReopens: a client reopens its id twenty times while somebody talks, now after it let go of its stream, now
// before. It gets every message once.
func TestRapidReopens(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			g.calmStorms()
			a, b := g.register("alice"), g.register("bob")
			room := a.room("", a, b)
			c := newClient(t, g, door(g), a)
			l := &listens{t: t, cursor: g.node.Applied()}
			s := c.dial()
			s.send(c.openRequest(s, room, l.cursor))
			require.Equal(t, 200, status(s.head()))
			talk := b.keepPosting(room)
			for round := range 20 {
				for range round % 4 * 3 {
					l.take(s)
				}
				old := s
				if round%2 == 0 {
					old.hangUp()
				}
				s = c.dial()
				s.send(c.openRequest(s, room, l.cursor))
				require.Equal(t, 200, status(s.head()))
				if round%2 == 1 {
					for old.next() != evicted("another stream attached to this connection") {
					}
					old.ended()
				}
			}
			for total := talk.end(); l.next < total; {
				l.take(s)
			}
			require.Equal(t, 200, a.beat(c.id, 0).status)
		})
	}
}

// TestOpensAtOnce: of twenty opens of one id at the same time one stream stays, and all others are told.
func TestOpensAtOnce(t *testing.T) {
	const opens = 20
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			g.calmStorms()
			a, b := g.register("alice"), g.register("bob")
			room := a.room("", a, b)
			c := newClient(t, g, door(g), a)
			ends := make(chan *socket, opens)
			streams := map[*socket]bool{}
			for range opens {
				streams[c.dial()] = true
			}
			for s := range streams {
				s.send(c.openRequest(s, room, 0))
				go func() {
					defer func() { ends <- s }()
					if head, err := s.tryHead(); err != nil || status(head) != 200 {
						t.Errorf("%v %s", err, head)
						return
					}
					last := ""
					for frame, err := s.frame(); frame != ""; frame, err = s.frame() {
						if last = frame; err != nil {
							t.Error(err)
							return
						}
						if strings.HasPrefix(frame, "id: ") {
							return
						}
					}
					if last != evicted("another stream attached to this connection") {
						t.Errorf("a stream ended after %q", last)
					}
				}()
			}
			for range opens - 1 {
				delete(streams, <-ends)
			}
			require.Equal(t, 200, a.beat(c.id, 0).status)
			b.post(room, "to the one that is left")
			s := <-ends
			require.True(t, streams[s])
		})
	}
}

// TestFirstRoomUnderFire plays what the client does when it enters its first room, while somebody there never stops
// talking: it claims the room, aborts its parked stream and reopens it, at head and without a cursor if it has read no event
// by then. What is said in between must not be lost, and nothing may come twice.
func TestFirstRoomUnderFire(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, setup{})
			g.calmStorms()
			a, b := g.register("alice"), g.register("bob")
			c := newClient(t, g, door(g), a)
			for round := range 20 {
				room := a.room("", a, b)
				c.id = fmt.Sprintf("c-%d", round)
				s := c.dial()
				s.send(c.openRequest(s, "", 0))
				require.Equal(t, 200, status(s.head()))
				require.Contains(t, s.next(), "event: connection_state\n")
				l := &listens{t: t}
				talk := b.keepPosting(room)
				head, body := c.tools.ask(c.tools.fetch("POST", a.path("/ops/connect_to_room"), a.key, `{"room_id":"`+room+`"}`,
					"content-type: application/json", "x-switch-connection-id: "+c.id))
				require.Equal(t, 200, status(head), body)
				switch round % 4 {
				case 1:
					// Events are on their way, and the client does not read them any more.
					require.Equal(t, changed(room), s.next())
					s.await()
				case 2, 3:
					for range round % 4 {
						l.take(s)
					}
				}
				s.hangUp()
				s = c.dial()
				s.send(c.openRequest(s, room, l.cursor))
				require.Equal(t, 200, status(s.head()))
				for range 5 {
					l.take(s)
				}
				for total := talk.end(); l.next < total; {
					l.take(s)
				}
				s.hangUp()
			}
		})
	}
}
