package chaos_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/tests/chaos"
)

// patience is far more than anything here needs.
const patience = 60 * time.Second

// hastyLog answers an append before it has committed it, as a log does that relies on a later sync. What the node reads
// is what was answered; what survives a kill is on the disk.
type hastyLog struct {
	core.Log
	disk core.Log
	// honest makes it commit before it answers.
	honest bool

	mu      sync.Mutex
	pending []pendingAppend
}

type pendingAppend struct {
	stream core.Stream
	last   core.Position
	events []core.Event
}

func (l *hastyLog) Append(ctx context.Context, s core.Stream, last core.Position, events []core.Event) ([]core.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// One lock around both keeps the two logs in the same order, so that positions are the same on both.
	positions, err := l.Log.Append(ctx, s, last, events)
	if err != nil {
		return nil, err
	}
	l.pending = append(l.pending, pendingAppend{s, last, events})
	if l.honest {
		return positions, l.commit(ctx)
	}
	return positions, nil
}

// sync commits what was answered.
func (l *hastyLog) sync(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commit(ctx)
}

func (l *hastyLog) commit(ctx context.Context) error {
	for _, p := range l.pending {
		if _, err := l.disk.Append(ctx, p.stream, p.last, p.events); err != nil {
			return err
		}
	}
	l.pending = nil
	return nil
}

// overlapLog reads from a position on instead of after it, once it is told to.
type overlapLog struct {
	core.Log
	inclusive atomic.Bool
}

func (l *overlapLog) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	if l.inclusive.Load() && after > 0 {
		after--
	}
	return l.Log.Read(ctx, s, after)
}

// party is a room in one process with three members that speak at the same time.
type party struct {
	node   *core.Node
	agents []core.Agent
	room   string
	rec    *chaos.Recorder
	said   int
}

func newParty(t *testing.T, log core.Log, rec *chaos.Recorder) *party {
	t.Helper()
	p := &party{node: openNode(t, log), rec: rec}
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "party"}}
	for _, name := range []string{"alice", "bob", "carol"} {
		r, err := p.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name}})
		require.NoError(t, err)
		p.agents = append(p.agents, r.Agent)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: r.Agent.ID, Name: name, Handle: name})
	}
	made, _, err := p.node.CreateRoom(t.Context(), cmd, nil)
	require.NoError(t, err)
	p.room = made.Room
	return p
}

func openNode(t *testing.T, log core.Log) *core.Node {
	t.Helper()
	n, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
	})
	return n
}

// speak lets every member say count messages, one after the other, all members at once.
func (p *party) speak(ctx context.Context, count int) {
	var members sync.WaitGroup
	for _, a := range p.agents {
		members.Go(func() {
			for i := range count {
				p.say(ctx, a, fmt.Sprintf("%s %d", a.Handle, p.said+i))
			}
		})
	}
	members.Wait()
	p.said += count
}

func (p *party) say(ctx context.Context, a core.Agent, mark string) {
	r := chaos.Record{Client: a.Handle, Protocol: "core", Room: p.room, Mark: mark, Kind: chaos.Sent}
	p.rec.Add(r)
	posted, _, err := p.node.PostMessage(ctx, p.room, core.PostMessage{Sender: a.ID, Text: mark}, nil)
	r.Kind, r.Turn = chaos.Acknowledged, uint64(posted.Turn)+1
	if err != nil {
		r.Kind, r.Turn, r.Why = chaos.Failed, 0, err.Error()
	}
	p.rec.Add(r)
}

// listener reads the party's room behind a cursor that outlives its connections.
type listener struct {
	cursor  core.Position
	version uint64
	began   bool
}

// connect reads everything there is behind the cursor.
func (l *listener) connect(t *testing.T, p *party) {
	t.Helper()
	r := chaos.Record{
		Client: "listener", Protocol: "core", Room: p.room, Line: chaos.Versions, Kind: chaos.Began, Number: l.version,
	}
	if l.began {
		r.Kind = chaos.Resumed
	}
	l.began = true
	p.rec.Add(r)
	reader := p.node.NewRoomReader(p.room, l.cursor)
	defer reader.Close()
	entries, err := reader.Read(t.Context(), 10_000, nil)
	require.NoError(t, err)
	for _, e := range entries {
		r.Kind, r.Number, r.Mark = chaos.Received, e.Version, ""
		if m, ok := e.Payload.(*core.MessagePostedEvent); ok {
			r.Mark = m.Text
		}
		p.rec.Add(r)
		l.cursor, l.version = e.Position, e.Version
	}
	r.Kind, r.Mark = chaos.CaughtUp, ""
	p.rec.Add(r)
}

func judge(t *testing.T, rec *chaos.Recorder, log core.Log) []chaos.Violation {
	t.Helper()
	entries, err := chaos.ReadLog(t.Context(), log)
	require.NoError(t, err)
	records := rec.Records()
	for i, e := range entries {
		// In this process a room's creation and its members were not recorded as commands.
		if e.Turn == 0 {
			entries[i].Mark = ""
		}
	}
	return chaos.Check(chaos.History{Records: records, Log: entries})
}

// TestHastyLog: a log that answers before it commits is found out when the process dies, and one that commits first is not.
func TestHastyLog(t *testing.T) {
	for _, honest := range []bool{false, true} {
		t.Run(fmt.Sprintf("honest=%v", honest), func(t *testing.T) {
			log := &hastyLog{Log: memlog.New(), disk: memlog.New(), honest: honest}
			rec := chaos.NewRecorder()
			p := newParty(t, log, rec)
			l := &listener{}
			p.speak(t.Context(), 20)
			l.connect(t, p)
			require.NoError(t, log.sync(t.Context()))
			p.speak(t.Context(), 20)
			// Here the process dies: what was not committed is gone. Another one comes up on what is on the disk.
			p.node = openNode(t, log.disk)
			l.connect(t, p)

			found := judge(t, rec, log.disk)
			if honest {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			for _, v := range found {
				require.Equal(t, chaos.Durable, v.Promise, "%v", v)
			}
		})
	}
}

// TestOverlappingLog: an "after" that includes its position is found out when a reader resumes.
func TestOverlappingLog(t *testing.T) {
	for _, inclusive := range []bool{true, false} {
		t.Run(fmt.Sprintf("inclusive=%v", inclusive), func(t *testing.T) {
			log := &overlapLog{Log: memlog.New()}
			rec := chaos.NewRecorder()
			p := newParty(t, log, rec)
			l := &listener{}
			p.speak(t.Context(), 10)
			l.connect(t, p)
			p.speak(t.Context(), 10)
			log.inclusive.Store(inclusive)
			l.connect(t, p)
			log.inclusive.Store(false)

			found := judge(t, rec, log)
			if !inclusive {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, chaos.Once, found[0].Promise)
		})
	}
}
