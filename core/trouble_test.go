package core_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// The tests here open with the cause of the defect that each of them once showed.

// Cause: readers were marked by topic, and a topic that was made after its event had been published was not marked.
func TestReconnectingAllTheTimeUnderLoadMissesNothing(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	rooms := make([]string, 30)
	for i := range rooms {
		rooms[i] = openRoom(t, n, alice, bob)
	}
	cursor := n.Applied()
	const posters, each = 8, 400
	var wg sync.WaitGroup
	for w := range posters {
		wg.Go(func() {
			for i := range each {
				post(t, n, rooms[(w+7*i)%len(rooms)], bob, "x")
			}
		})
	}
	seen := map[core.Stream]uint64{}
	for total := 0; total < posters*each; {
		r := n.NewAgentReader(alice.ID, cursor)
		for range 4 {
			got, err := r.Read(t.Context(), 64, nil)
			require.NoError(t, err)
			for _, e := range got {
				if last, ok := seen[e.Stream]; ok {
					require.Equal(t, last+1, e.Version, "of %s", e.Stream)
				}
				seen[e.Stream] = e.Version
			}
			// Bob's arrival is the one event that is no message.
			total += len(texts(got))
		}
		cursor = r.Cursor()
		r.Close()
	}
	wg.Wait()
}

// Cause: the tail and the maker of a reader both found that a room was not followed yet, and both subscribed.
func TestReaderMadeDuringAJoinFollowsTheRoomOnce(t *testing.T) {
	n := newNode(t)
	bob := register(t, n, "bob")
	for i := range 60 {
		ag := register(t, n, fmt.Sprintf("ag%d", i))
		start := n.Applied()
		var mu sync.Mutex
		var readers []*core.Reader
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						r := n.NewAgentReader(ag.ID, start)
						mu.Lock()
						readers = append(readers, r)
						mu.Unlock()
					}
				}
			})
		}
		room := openRoom(t, n, bob, ag)
		close(stop)
		wg.Wait()
		post(t, n, room, bob, "one")
		for _, r := range readers {
			require.Equal(t, []string{"one"}, texts(take(t, r, 1)))
			nothingLeft(t, r)
			r.Close()
		}
	}
}

// Cause: a room that came to be while the tail was between looking for it in memory and telling the index of it missed
// its own beginning.
func TestRoomBornOnTwoNodesAtOnce(t *testing.T) {
	store := memlog.NewStore(memlog.Options{DropPayload: true})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	settled(t, b, a.Applied())
	long := strings.Repeat("read me. ", 5_000)
	for i := range 150 {
		cmd := core.CreateRoom{
			ID: core.DerivedID(core.RoomPrefix, "x", fmt.Sprint(i)), Facts: core.RoomFacts{Name: "ops"},
			Texts: core.RoomTexts{Instructions: long}, Members: []core.NewMember{member(alice), member(bob)},
		}
		var made atomic.Int32
		var wg sync.WaitGroup
		for _, n := range []*core.Node{a, b} {
			wg.Go(func() {
				_, _, err := n.CreateRoom(t.Context(), cmd, nil)
				if err == nil {
					made.Add(1)
				} else if !errors.Is(err, core.ErrRoomExists) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, made.Load())
	}
}

// blockedRead is a log whose next read of a room waits, and then fails.
type blockedRead struct {
	core.Log
	armed        atomic.Bool
	enter, leave chan struct{}
}

var errBroken = errors.New("broken")

func (l *blockedRead) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	if _, room := s.RoomID(); !room || !l.armed.CompareAndSwap(true, false) {
		return l.Log.Read(ctx, s, after)
	}
	return func(yield func(core.Recorded, error) bool) {
		close(l.enter)
		<-l.leave
		yield(core.Recorded{}, errBroken)
	}
}

// Cause: what the tail had brought while a room was loading was folded into it also when loading failed half-way.
func TestRoomThatFailsToLoadFailsItsCallerAlone(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	log := &blockedRead{Log: store.Open(), enter: make(chan struct{}), leave: make(chan struct{})}
	b := openNode(t, log, core.Options{NodeID: "b"})
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	room := openRoom(t, a, alice)
	settled(t, b, a.Applied())
	log.armed.Store(true)
	failed := make(chan error, 1)
	go func() { failed <- b.ViewRoom(context.Background(), room, func(*core.Room) {}) }()
	<-log.enter
	require.NoError(t, a.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(bob)}))
	settled(t, b, a.Applied())
	close(log.leave)
	require.ErrorIs(t, <-failed, errBroken)
	require.NoError(t, b.ViewRoom(t.Context(), room, func(r *core.Room) { require.Len(t, r.Members, 2) }))
}

// Cause: the index was told of a unit's events one by one.
func TestNobodySeesHalfAUnit(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	members := []core.NewMember{member(alice)}
	var last core.Agent
	for i := range 30 {
		last = register(t, n, fmt.Sprint("o", i))
		members = append(members, member(last))
	}
	for i := range 100 {
		name := fmt.Sprint("c", i)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, err := n.CreateRoom(context.Background(), core.CreateRoom{Facts: core.RoomFacts{Name: name}, Members: members}, nil)
			if err != nil {
				t.Error(err)
			}
		}()
		for {
			room, ok := n.Conversation(alice.ID, name)
			if !ok {
				continue
			}
			require.True(t, n.IsMember(last.ID, room))
			require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { require.Len(t, r.Members, 31) }))
			break
		}
		<-done
	}
}

// Cause: each node swept only the leases of its own table.
func TestConnectionsOfANodeThatIsGoneLapse(t *testing.T) {
	now := newClock()
	store := memlog.NewStore(memlog.Options{})
	a, err := core.Open(t.Context(), store.Open(), core.Options{NodeID: "a", Now: now.Now, SweepEvery: time.Millisecond})
	require.NoError(t, err)
	b := openNode(t, store.Open(), core.Options{NodeID: "b", Now: now.Now, SweepEvery: time.Millisecond})
	alice := register(t, b, "alice")
	room := openRoom(t, b, alice)
	settled(t, a, b.Applied())
	open(t, b, alice, "on-b", core.ScopeAll)
	settled(t, a, b.Applied())
	open(t, a, alice, "on-a", core.ScopeSingle, room)
	settled(t, b, a.Applied())
	siblings := b.LiveSiblings(alice.ID, "on-b")
	require.Len(t, siblings, 1)
	require.True(t, siblings[0].Holds(room))
	require.NoError(t, a.Close(t.Context()))
	require.Eventually(t, func() bool {
		now.Advance(2 * time.Second)
		_, _, err := b.Beat(t.Context(), alice.ID, "on-b", 0)
		return err == nil && len(b.LiveSiblings(alice.ID, "on-b")) == 0
	}, patience, 5*time.Millisecond)
}

// mutePeers is a log whose other nodes do not answer in time.
type mutePeers struct{ *memlog.Log }

func (mutePeers) Request(context.Context, string, []byte) ([]byte, error) {
	return nil, context.DeadlineExceeded
}

// Cause: a node that did not answer was taken for one that knew of nothing.
func TestSilenceOfANodeEndsNoLease(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	b := openNode(t, mutePeers{store.Open()}, core.Options{NodeID: "b"})
	alice := register(t, a, "alice")
	c := open(t, a, alice, "c", core.ScopeAll)
	settled(t, b, a.Applied())
	_, _, err := b.Beat(t.Context(), alice.ID, "c", 0)
	require.ErrorIs(t, err, core.ErrNoPeer)
	_, err = b.Connection(t.Context(), alice.ID, "c")
	require.NoError(t, err)
	require.True(t, a.Alive(alice.ID, c))
}

// Cause: letting a passed time to live take effect was a write that reading waited for.
func TestReadingGoesOnWhileTheDiskIsFull(t *testing.T) {
	now := newClock()
	log := &fullLog{Log: memlog.New()}
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Millisecond})
	alice := register(t, n, "alice")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "x"}, Members: []core.NewMember{member(alice)}, TTL: time.Hour,
	}, nil)
	require.NoError(t, err)
	post(t, n, made.Room, alice, "hello")
	token, _, err := n.MintRoomToken(t.Context(), alice.ID, made.Room)
	require.NoError(t, err)
	open(t, n, alice, "c-1", core.ScopeSingle)
	log.full.Store(true)
	now.Advance(core.RoomTokenLife - 10*time.Second)
	require.NoError(t, n.UseRoomToken(t.Context(), n.Authenticate(token)))
	now.Advance(2 * time.Hour)
	require.NoError(t, n.ViewRoom(t.Context(), made.Room, func(r *core.Room) { require.Equal(t, 1, r.Turn) }))
	// What could not be written down is made up for when there is room again.
	log.full.Store(false)
	require.Eventually(t, func() bool {
		_, _, ok := n.ConnectionState(alice.ID, "c-1", 1)
		room, _ := n.Room(made.Room)
		return !ok && room.State == core.StateClosed
	}, patience, time.Millisecond)
}

// Cause: a reader learnt of arrivals only.
func TestOpenReaderEndsWithTheMembership(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	r := n.NewAgentReader(alice.ID, n.Applied())
	defer r.Close()
	post(t, n, room, bob, "before")
	last, err := log.Last(t.Context(), core.RoomStream(room))
	require.NoError(t, err)
	_, err = log.Append(t.Context(), core.RoomStream(room), last, []core.Event{{
		Kind: core.MemberLeft, Version: 5, At: time.Now(), Body: []byte(`{"agent":"` + alice.ID + `"}`),
	}})
	require.NoError(t, err)
	require.NoError(t, n.CatchUp(t.Context()))
	require.False(t, n.IsMember(alice.ID, room))
	post(t, n, room, bob, "secret")
	require.Equal(t, []string{"before"}, texts(take(t, r, 1)))
	nothingLeft(t, r)
}

// Cause: a key was looked for in the room that the request meant at the time.
func TestKeyHoldsAcrossRooms(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{NodeID: "first"})
	alice := register(t, n, "alice")
	one, two := openRoom(t, n, alice), openRoom(t, n, alice)
	key := &core.Key{Agent: alice.ID, Value: "k", BodyHash: "h"}
	first, _, err := n.PostMessage(t.Context(), one, core.PostMessage{Sender: alice.ID, Text: "x"}, key)
	require.NoError(t, err)
	again := openNode(t, log, core.Options{NodeID: "second"})
	for _, node := range []*core.Node{n, again} {
		p, placed, err := node.PostMessage(t.Context(), two, core.PostMessage{Sender: alice.ID, Text: "x"}, key)
		require.NoError(t, err)
		require.True(t, placed.Replayed)
		require.Equal(t, first, p)
		_, _, err = node.PostMessage(t.Context(), two, core.PostMessage{Sender: alice.ID, Text: "y"},
			&core.Key{Agent: alice.ID, Value: "k", BodyHash: "other"})
		require.ErrorIs(t, err, core.ErrKeyReused)
	}
}

// Cause: a session outlived the key that it was opened with; and later, when times were compared, one that was opened in
// the millisecond in which the key was replaced.
func TestReplacedKeyEndsItsSessionsAndTokens(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	ada := register(t, n, "ada")
	room := openRoom(t, n, ada)
	session, _, err := n.OpenSession(t.Context(), core.Credential{Agent: ada.ID})
	require.NoError(t, err)
	token, _, err := n.MintRoomToken(t.Context(), ada.ID, room)
	require.NoError(t, err)
	creds := []core.Credential{n.Authenticate(session), n.Authenticate(token)}
	for _, c := range creds {
		require.True(t, n.StillValid(c))
	}
	renewed, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}, Overwrite: true})
	require.NoError(t, err)
	for i, secret := range []string{session, token} {
		require.Equal(t, core.NoCredential, n.Authenticate(secret).Kind)
		require.False(t, n.StillValid(creds[i]))
	}
	fresh, _, err := n.OpenSession(t.Context(), n.Authenticate(renewed.Key))
	require.NoError(t, err)
	require.True(t, n.StillValid(n.Authenticate(fresh)))
	require.True(t, n.StillValid(n.Authenticate(renewed.Key)))
}

// Cause: a member of a room that others may not change could close it for good.
func TestWhoMayChangeARoom(t *testing.T) {
	n := newNode(t)
	register1 := func(name, owner string) core.Agent {
		r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name, Owner: owner}})
		require.NoError(t, err)
		return r.Agent
	}
	maker, sister, guest := register1("maker", "o"), register1("sister", "o"), register1("guest", "")
	private := func() string {
		made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
			Facts:   core.RoomFacts{Name: "p", Creator: maker.ID, Owner: "o", ReadVisibility: "private", WriteVisibility: "private"},
			Members: []core.NewMember{member(maker), member(sister), member(guest)},
		}, nil)
		require.NoError(t, err)
		return made.Room
	}
	_, _, err := n.CloseRoom(t.Context(), private(), core.CloseRoom{Actor: guest.ID}, nil)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	for _, a := range []core.Agent{maker, sister} {
		_, _, err := n.CloseRoom(t.Context(), private(), core.CloseRoom{Actor: a.ID}, nil)
		require.NoError(t, err)
	}
	newcomer := register1("newcomer", "")
	closed := private()
	require.ErrorIs(t, n.JoinRoom(t.Context(), closed, core.JoinRoom{Member: member(newcomer), Inviter: guest.ID}), core.ErrNotAllowed)
	require.NoError(t, n.JoinRoom(t.Context(), closed, core.JoinRoom{Member: member(newcomer), Inviter: sister.ID}))
	require.True(t, n.IsMember(newcomer.ID, closed))
	duel := turnsRoom(t, n, maker, guest, 10)
	_, _, err = n.CloseRoom(t.Context(), duel, core.CloseRoom{Actor: guest.ID}, nil)
	require.NoError(t, err, "either side of a turns room may close it")
}

// Cause: while the tail was between the agents in memory and the index, an agent was taken into memory without an event
// of the batch, and every later command of that agent met a conflict that it could not resolve.
func TestSessionsOpenedOnTwoNodesUnderLoad(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	alice := register(t, a, "alice")
	room := openRoom(t, a, alice)
	require.NoError(t, b.CatchUp(t.Context()))
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 30 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					post(t, a, room, alice, "x")
				}
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range 150 {
		fresh := register(t, a, fmt.Sprintf("f%d", i))
		require.NoError(t, b.CatchUp(ctx), "a door catches up before it asks who somebody is")
		var wg sync.WaitGroup
		for _, n := range []*core.Node{a, b} {
			wg.Go(func() {
				_, _, err := n.OpenSession(ctx, core.Credential{Agent: fresh.ID})
				require.NoError(t, err)
			})
		}
		wg.Wait()
	}
	close(stop)
	load.Wait()
}

// Cause: whether a key had been used in another room was looked up, and then acted upon, by each request for itself.
func TestOneKeyInTwoRoomsAtOnceWritesOnce(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	rooms := []string{openRoom(t, n, alice), openRoom(t, n, alice)}
	for i := range 100 {
		var fresh atomic.Int32
		var wg sync.WaitGroup
		for _, room := range rooms {
			wg.Go(func() {
				_, placed, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "x"},
					&core.Key{Agent: alice.ID, Value: fmt.Sprint(i), BodyHash: "h"})
				require.NoError(t, err)
				if !placed.Replayed {
					fresh.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, fresh.Load())
	}
}

// Cause: what an answer without events rested on had been read from the log ahead of the node's head.
func TestAnswerWithoutEventsWaitsForTheHead(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	alice := register(t, a, "alice")
	for i := range 100 {
		key := &core.Key{Agent: alice.ID, Value: fmt.Sprint(i), BodyHash: "h"}
		cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "x"}, Members: []core.NewMember{member(alice)}}
		_, _, err := a.CreateRoom(t.Context(), cmd, key)
		require.NoError(t, err)
		made, placed, err := b.CreateRoom(t.Context(), cmd, key)
		require.NoError(t, err)
		require.True(t, placed.Replayed)
		require.True(t, b.IsMember(alice.ID, made.Room))
	}
}

func TestHeadIsAwaitedByEachReaderOnce(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	r := n.NewRoomReader(room, n.Applied())
	for range 1_000 {
		got, err := r.Read(t.Context(), 0, nil)
		require.NoError(t, err)
		require.Empty(t, got)
	}
	r.Close()
	require.LessOrEqual(t, n.LateReaders(), 1)
}
