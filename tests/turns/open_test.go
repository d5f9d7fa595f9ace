package turns

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
)

// commons is an open room that an agent made, with a listing.
func (w *world) commons(s *switchSpeaker, members ...string) (room, id string) {
	w.t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	require.NoError(w.t, s.call("create_room", map[string]any{
		"name": "commons", "description": "", "agent_names": append([]string{s.agent.name}, members...),
	}, &made))
	s.enter(made.ID)
	var published struct {
		ID     string `json:"id"`
		RoomID string `json:"room_id"`
	}
	require.NoError(w.t, s.call("publish_listing", map[string]any{"topic": "The commons", "tags": []string{"Everybody"}}, &published))
	require.Equal(w.t, made.ID, published.RoomID)
	return made.ID, published.ID
}

// TestOpenRoomByListing: any number come into a listed open room, through every door, and hear each other.
func TestOpenRoomByListing(t *testing.T) {
	w := newWorld(t)
	ada := newSwitchSpeaker(w, w.agent("ada")).(*switchSpeaker)
	defer ada.leave()
	room, id := w.commons(ada)
	var guests []speaker
	for _, door := range []string{"switch", "edge", "areyouai"} {
		g := doors[door](w, w.agent(door+"-guest"))
		defer g.leave()
		require.Equal(t, id, g.find("The commons"))
		require.Equal(t, room, g.connect(id))
		require.Equal(t, room, g.connect(id), "again gives the same answer")
		g.enter(room)
		guests = append(guests, g)
	}
	require.True(t, guests[2].await())
	for _, g := range guests {
		require.NoError(t, g.blurt("I am "+g.who().name))
	}
	for i, g := range guests {
		require.Eventually(t, func() bool { return len(g.heard()) >= 2 }, patience, tick)
		var others []string
		for j, o := range guests {
			if j != i {
				others = append(others, "I am "+o.who().name)
			}
		}
		require.Equal(t, others, g.heard())
	}
	require.NoError(t, ada.call("withdraw_listing", map[string]any{}, nil))
	found, err := guests[2].(*areyouaiSpeaker).client.Search(w.ctx, "")
	require.NoError(t, err)
	require.Empty(t, found.Items)
	late := newAreyouaiSpeaker(w, w.agent("late")).(*areyouaiSpeaker)
	_, err = late.client.Connect(w.ctx, id)
	require.ErrorIs(t, err, areyouai.CodeListingNotFound)
	require.NoError(t, guests[0].say("who came stays"))
}

// TestAreyouaiSeesOpenRoomInItsTerms: what the protocol's answers say of an open room by listing.
func TestAreyouaiSeesOpenRoomInItsTerms(t *testing.T) {
	w := newWorld(t)
	ada := newSwitchSpeaker(w, w.agent("ada")).(*switchSpeaker)
	defer ada.leave()
	room, id := w.commons(ada)
	eve := newAreyouaiSpeaker(w, w.agent("eve")).(*areyouaiSpeaker)
	found, err := eve.client.Search(w.ctx, "everyBODY")
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	require.Equal(t, areyouai.ListingItem{
		ID: id, AgentID: ada.agent.id, Topic: "The commons", Tags: []string{"Everybody"}, MaxTurns: areyouai.MaxMaxTurns,
		TTLSeconds: areyouai.MaxTTLSeconds, CreatedAt: found.Items[0].CreatedAt,
	}, found.Items[0])
	c, err := eve.client.Connect(w.ctx, id)
	require.NoError(t, err)
	require.Equal(t, areyouai.ConnectReply{
		RoomID: room, AgentAID: eve.agent.id, AgentBID: ada.agent.id, RoomState: areyouai.StateActive, ListingID: id,
		NextTurnA: eve.agent.id, NextActorID: eve.agent.id,
	}, c)
	state, err := eve.client.State(w.ctx, room)
	require.NoError(t, err)
	require.Equal(t, []any{c.AgentAID, c.AgentBID, c.NextActorID, int64(math.MaxInt32)},
		[]any{state.AgentAID, state.AgentBID, state.NextActorID, state.MaxTurns})

	before, err := eve.client.Context(w.ctx, room)
	require.NoError(t, err)
	require.NoError(t, ada.say("first"))
	_, err = eve.client.Send(w.ctx, room, areyouai.SendRequest{ExpectedTurn: 0, Ciphertext: "over it", BundleHash: before.BundleHash})
	require.ErrorIs(t, err, areyouai.CodeTurnMismatch)
	var refused *areyouai.Error
	require.ErrorAs(t, err, &refused)
	require.NotNil(t, refused.Context)
	require.Equal(t, int64(1), refused.Context.NextTurn)
	_, err = eve.client.Send(w.ctx, room, areyouai.SendRequest{ExpectedTurn: 1, Ciphertext: "unread", BundleHash: before.BundleHash})
	require.ErrorIs(t, err, areyouai.CodeStaleBundleHash)
	fresh, err := eve.client.Context(w.ctx, room)
	require.NoError(t, err)
	require.Equal(t, eve.agent.id, fresh.NextActorID)
	require.Equal(t, fresh, *refused.Context, "the refusal carries what would be fetched")
	require.Contains(t, fresh.PromptBundleText, "sender="+ada.agent.id+" msg=first")
	_, err = eve.client.Send(w.ctx, room, areyouai.SendRequest{ExpectedTurn: 1, Ciphertext: "second", BundleHash: fresh.BundleHash})
	require.NoError(t, err)
}

// counting counts requests by method and the last part of their path.
type counting struct {
	mu   sync.Mutex
	seen []string
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.seen = append(c.seen, r.Method+" "+path.Base(r.URL.Path))
	c.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

func (c *counting) take() (seen []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, c.seen = c.seen, nil
	return seen
}

// TestOvertakenSpeaksAgainAtOnce: whoever was overtaken has read what it has to read with the refusal, so that nothing lies
// between two attempts in which it could be overtaken again.
func TestOvertakenSpeaksAgainAtOnce(t *testing.T) {
	w := newWorld(t)
	ada := newSwitchSpeaker(w, w.agent("ada")).(*switchSpeaker)
	defer ada.leave()
	room, id := w.commons(ada)
	eve, requests := w.agent("eve"), &counting{}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	client, err := areyouai.NewClient(w.url, areyouai.ClientOptions{APIKey: eve.key, HTTP: &http.Client{Transport: requests}})
	require.NoError(t, err)
	_, err = client.Connect(w.ctx, id)
	require.NoError(t, err)
	overtaken := 0
	for turn, err := range client.Turns(w.ctx, room) {
		require.NoError(t, err)
		if overtaken > 0 {
			require.Equal(t, []string{"POST messages"}, requests.take())
			require.Contains(t, turn.Prompt, fmt.Sprintf("over you %d", overtaken-1))
		}
		requests.take()
		if overtaken < 3 {
			require.NoError(t, ada.say(fmt.Sprintf("over you %d", overtaken)))
			require.ErrorIs(t, turn.Reply(w.ctx, "too late"), areyouai.ErrTurnMoved)
			overtaken++
			continue
		}
		require.NoError(t, turn.Reply(w.ctx, "at last"))
		require.Equal(t, []string{"POST messages"}, requests.take())
		break
	}
	require.Equal(t, 3, overtaken)
}

// TestBusyRoom: three agents speak all the time, and one that follows the documented loop gets its messages in. Each is said
// in full knowledge of what came before it. How many attempts that takes is a matter of luck, with better odds the longer the
// pauses are: a few milliseconds do.
func TestBusyRoom(t *testing.T) {
	for name, tc := range map[string]struct {
		pause    time.Duration
		messages int
		// attempts are the most that one message may take; 0: it is only reported.
		attempts int
	}{
		"a message every few milliseconds": {5 * time.Millisecond, 50, 200},
		"without a pause":                  {0, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			room, stop := w.busyRoom(tc.pause)
			defer stop()
			eve := newAreyouaiSpeaker(w, w.agent("eve")).(*areyouaiSpeaker)
			eve.connect(eve.find("The commons"))
			turns, most := eve.insist(room, tc.messages)
			stop()
			sum, _ := w.node.Room(room)
			t.Logf("eve said %d of %d messages; the worst took %d attempts", len(turns), sum.Turn, most)
			require.Len(t, turns, tc.messages)
			if tc.attempts > 0 {
				require.LessOrEqual(t, most, tc.attempts)
			}
			w.checkBusy(room, eve.agent.id, turns)
		})
	}
}

// busyRoom is a listed room in which three agents speak until stop is called, which may be done twice.
func (w *world) busyRoom(pause time.Duration) (room string, stop func()) {
	names := []string{"ann", "ben", "cy"}
	posters := make([]*switchSpeaker, len(names))
	for i, name := range names {
		posters[i] = newSwitchSpeaker(w, w.agent(name)).(*switchSpeaker)
	}
	room, _ = w.commons(posters[0], names[1:]...)
	for _, p := range posters[1:] {
		p.enter(room)
	}
	busy, end := context.WithCancel(w.ctx)
	var posting sync.WaitGroup
	for _, p := range posters {
		posting.Go(func() {
			for i := 0; busy.Err() == nil; i++ {
				if err := p.say(fmt.Sprintf("%s says %d", p.agent.name, i)); err != nil {
					w.t.Errorf("%s could not speak: %v", p.agent.name, err)
					return
				}
				if pause > 0 {
					select {
					case <-time.After(pause):
					case <-busy.Done():
					}
				}
			}
		})
	}
	return room, sync.OnceFunc(func() {
		end()
		posting.Wait()
		for _, p := range posters {
			p.leave()
		}
	})
}

// insist speaks as often as it is told to and returns the turns at which it did, and the most attempts that one message took.
func (s *areyouaiSpeaker) insist(room string, messages int) (turns []int64, most int) {
	attempts := 0
	for turn, err := range s.client.Turns(s.w.ctx, room) {
		require.NoError(s.w.t, err)
		attempts++
		most = max(most, attempts)
		switch err := turn.Reply(s.w.ctx, fmt.Sprintf("eve says %d", len(turns))); {
		case err == nil:
			turns, attempts = append(turns, turn.Index), 0
		case !errors.Is(err, areyouai.ErrTurnMoved):
			require.NoError(s.w.t, err)
		}
		if len(turns) == messages {
			break
		}
	}
	return turns, most
}

// checkBusy finds each message of the agent at the turn for which it was said.
func (w *world) checkBusy(room, sender string, turns []int64) {
	var got []int64
	for e, err := range w.node.HistoryOf(room).After(w.ctx, 0) {
		require.NoError(w.t, err)
		if p, ok := e.Payload.(*core.MessagePostedEvent); ok && p.Sender == sender {
			got = append(got, int64(p.Turn))
		}
	}
	require.Equal(w.t, turns, got)
}
