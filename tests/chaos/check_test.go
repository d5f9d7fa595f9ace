package chaos_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/tests/chaos"
)

const room = "room_1"

// inLog is a log of messages, one per mark, each a version, a turn and ten positions after the one before.
func inLog(marks ...string) []chaos.Entry {
	var out []chaos.Entry
	for i, m := range marks {
		n := uint64(i) + 1
		out = append(out, chaos.Entry{Room: room, Position: 10 * n, Version: n, Turn: n, Mark: m})
	}
	return out
}

func sent(client, mark string) chaos.Record {
	return chaos.Record{Client: client, Kind: chaos.Sent, Room: room, Mark: mark}
}

func acked(client, mark string) chaos.Record {
	return chaos.Record{Client: client, Kind: chaos.Acknowledged, Room: room, Mark: mark}
}

func failed(client, mark string) chaos.Record {
	return chaos.Record{Client: client, Kind: chaos.Failed, Room: room, Mark: mark, Why: "no"}
}

func unknown(client, mark string) chaos.Record {
	return chaos.Record{Client: client, Kind: chaos.Unknown, Room: room, Mark: mark}
}

func reads(kind chaos.Kind, l chaos.Line, n uint64) chaos.Record {
	return chaos.Record{Client: "reader", Kind: kind, Room: room, Line: l, Number: n}
}

func got(n uint64, mark string) chaos.Record {
	return chaos.Record{Client: "reader", Kind: chaos.Received, Room: room, Line: chaos.Versions, Number: n, Mark: mark}
}

func gap(after, through uint64) chaos.Record {
	r := reads(chaos.Gap, chaos.Versions, after)
	r.Through = through
	return r
}

func with(r chaos.Record, change func(*chaos.Record)) chaos.Record {
	change(&r)
	return r
}

func parts(r chaos.Record, n int) chaos.Record {
	return with(r, func(r *chaos.Record) { r.Parts = n })
}

func keyed(r chaos.Record) chaos.Record {
	return with(r, func(r *chaos.Record) { r.Key = "k" })
}

func answered(r chaos.Record, answer string) chaos.Record {
	return with(r, func(r *chaos.Record) { r.Answer = answer })
}

func turn(r chaos.Record, n uint64) chaos.Record {
	return with(r, func(r *chaos.Record) { r.Turn = n })
}

// said is a message that was sent and acknowledged, for each mark in turn.
func said(client string, marks ...string) []chaos.Record {
	var out []chaos.Record
	for _, m := range marks {
		out = append(out, sent(client, m), acked(client, m))
	}
	return out
}

func history(log []chaos.Entry, records ...[]chaos.Record) chaos.History {
	rec := chaos.NewRecorder()
	for _, list := range records {
		for _, r := range list {
			rec.Add(r)
		}
	}
	return chaos.History{Records: rec.Records(), Log: log}
}

type list = []chaos.Record

// broken is a history in which one promise is broken and nothing else is wrong.
type broken struct {
	name    string
	promise chaos.Promise
	history chaos.History
}

// commandCases break what concerns commands.
func commandCases() []broken {
	return []broken{
		{"acknowledged and lost", chaos.Durable, history(inLog("a"), said("alice", "a", "b"))},
		{"acknowledged and there twice", chaos.Durable, history(inLog("a", "a"), said("alice", "a"))},
		{"seen and not in the log", chaos.Durable, history(inLog("a"), said("alice", "a"), list{
			sent("alice", "b"), unknown("alice", "b"), reads(chaos.Began, chaos.Versions, 0), got(1, "a"), got(2, "b"),
		})},
		{"seen otherwise than in the log", chaos.Durable, history(inLog("a", "b"), said("alice", "a", "b"), list{
			reads(chaos.Began, chaos.Versions, 0), got(1, "a"), got(2, "x"),
		})},
		{"half of a command", chaos.Atomic, history(
			[]chaos.Entry{{Room: room, Position: 1, Version: 1, Turn: 1, Mark: "a"}}, list{parts(sent("alice", "a"), 3), unknown("alice", "a")},
		)},
		{"command torn apart", chaos.Atomic, history([]chaos.Entry{
			{Room: room, Position: 1, Version: 1, Turn: 1, Mark: "a"},
			{Room: room, Position: 2, Version: 2, Turn: 2, Mark: "b"},
			{Room: room, Position: 3, Version: 3, Mark: "a"},
		}, list{parts(sent("alice", "a"), 2), sent("bob", "b"), acked("alice", "a"), acked("bob", "b")})},
		{"unacknowledged and there twice", chaos.Atomic, history(inLog("a", "a"), list{sent("alice", "a"), unknown("alice", "a")})},
		{"refused and there", chaos.Atomic, history(inLog("a"), list{sent("alice", "a"), failed("alice", "a")})},
		{"sent by nobody", chaos.Atomic, history(inLog("a"))},
		{"turn acknowledged to two", chaos.Exclusive, history(inLog("a", "b"), list{
			sent("alice", "a"), sent("bob", "b"), turn(acked("alice", "a"), 1), turn(acked("bob", "b"), 1),
		})},
		{"turn in the log twice", chaos.Exclusive, history([]chaos.Entry{
			{Room: room, Position: 1, Version: 1, Turn: 1, Mark: "a"}, {Room: room, Position: 2, Version: 2, Turn: 1, Mark: "b"},
		}, said("alice", "a", "b"))},
		{"turn acknowledged and another in the log", chaos.Exclusive, history(inLog("a"), list{
			sent("alice", "a"), turn(acked("alice", "a"), 2),
		})},
		{"key makes two events", chaos.Idempotent, history(inLog("a", "a"), list{
			keyed(sent("alice", "a")), unknown("alice", "a"), keyed(sent("alice", "a")), acked("alice", "a"),
		})},
		{"key gets two answers", chaos.Idempotent, history(inLog("a"), list{
			keyed(sent("alice", "a")), answered(acked("alice", "a"), "m1"), keyed(sent("alice", "a")), answered(acked("alice", "a"), "m2"),
		})},
		{"key forgotten", chaos.Idempotent, history(inLog("a"), list{
			keyed(sent("alice", "a")), unknown("alice", "a"), keyed(sent("alice", "a")), failed("alice", "a"),
		})},
	}
}

// readerCases break what concerns order and readers.
func readerCases() []broken {
	abc := inLog("a", "b", "c")
	began := reads(chaos.Began, chaos.Versions, 0)
	resumed := func(n uint64) chaos.Record { return reads(chaos.Resumed, chaos.Versions, n) }
	caughtUp := func(n uint64) chaos.Record { return reads(chaos.CaughtUp, chaos.Versions, n) }
	spoken := said("alice", "a", "b", "c")
	return []broken{
		{"one sender out of order", chaos.Ordered, history(inLog("b", "a"), said("alice", "a", "b"))},
		{"two senders out of order", chaos.Ordered, history(inLog("b", "a"), said("alice", "a"), said("bob", "b"))},
		{"reader out of order", chaos.Ordered, history(abc, spoken, list{began, got(1, "a"), got(3, "c"), got(2, "b")})},
		{"hole", chaos.Gapless, history(abc, spoken, list{began, got(1, "a"), got(3, "c")})},
		{"hole at the beginning", chaos.Gapless, history(abc, spoken, list{began, got(2, "b"), got(3, "c")})},
		{"hole in a reader without a beginning", chaos.Gapless, history(abc, spoken, list{got(1, "a"), got(3, "c")})},
		{"gap word for something else", chaos.Gapless, history(abc, spoken, list{began, gap(0, 1), got(3, "c")})},
		{"gap word for too much", chaos.Gapless, history(abc, spoken, list{began, gap(0, 2), got(2, "b"), got(3, "c")})},
		{"version missing in the log", chaos.Gapless, history(
			[]chaos.Entry{{Room: room, Position: 1, Version: 1}, {Room: room, Position: 2, Version: 3}},
		)},
		{"twice", chaos.Once, history(abc, spoken, list{began, got(1, "a"), got(1, "a"), got(2, "b")})},
		{"twice across a reconnect", chaos.Once, history(abc, spoken, list{
			began, got(1, "a"), got(2, "b"), resumed(2), got(2, "b"), got(3, "c"),
		})},
		{"before the cursor", chaos.Once, history(abc, spoken, list{
			reads(chaos.Began, chaos.Versions, 1), got(1, "a"), got(2, "b"),
		})},
		{"not what was missed", chaos.Resumable, history(abc, spoken, list{began, got(1, "a"), resumed(1), got(3, "c")})},
		{"nothing of what was missed", chaos.Resumable, history(abc, spoken, list{began, got(1, "a"), resumed(1), caughtUp(3)})},
		{"not the end of what was missed", chaos.Resumable, history(abc, spoken, list{
			began, got(1, "a"), resumed(1), got(2, "b"), caughtUp(3),
		})},
	}
}

// TestOneViolation shows the checker a history for each way in which a promise can be broken.
func TestOneViolation(t *testing.T) {
	for _, tc := range append(commandCases(), readerCases()...) {
		t.Run(tc.name, func(t *testing.T) {
			found := chaos.Check(tc.history)
			require.Len(t, found, 1)
			require.Equal(t, tc.promise, found[0].Promise)
			require.NotEmpty(t, found[0].Evidence)
			require.Equal(t, room, found[0].Room)
			require.True(t, strings.HasPrefix(found[0].String(), string(tc.promise)+" broken"))
		})
	}
}

// TestNoViolation shows the checker everything that is allowed.
func TestNoViolation(t *testing.T) {
	log := append(inLog("a", "b", "c", "d"),
		chaos.Entry{Room: room, Position: 50, Version: 5, Turn: 5, Mark: "last"},
		chaos.Entry{Room: room, Position: 51, Version: 6, Mark: "last"},
		chaos.Entry{Room: room, Position: 52, Version: 7, Mark: "last"})
	on := func(client string, l chaos.Line, records ...chaos.Record) list {
		for i := range records {
			records[i].Client, records[i].Line = client, l
		}
		return records
	}
	require.Empty(t, chaos.Check(history(log,
		// bob speaks while alice waits, so theirs may come in either order.
		list{sent("alice", "b"), sent("bob", "a"), turn(acked("alice", "b"), 2), turn(acked("bob", "a"), 1)},
		list{keyed(sent("alice", "c")), unknown("alice", "c")},
		list{sent("bob", "refused"), failed("bob", "refused"), sent("bob", "vanished"), unknown("bob", "vanished")},
		list{keyed(sent("alice", "c")), answered(acked("alice", "c"), "m3"), keyed(sent("alice", "c")), answered(acked("alice", "c"), "m3")},
		list{sent("bob", "d"), unknown("bob", "d"), parts(sent("bob", "last"), 3), acked("bob", "last")},
		on("versions", chaos.Versions,
			reads(chaos.Began, "", 0), got(1, "a"), got(2, "b"), reads(chaos.Resumed, "", 2), got(3, "c"),
			reads(chaos.Resumed, "", 3), gap(3, 4), got(5, "last"), got(6, ""), got(7, ""), reads(chaos.CaughtUp, "", 7)),
		on("turns", chaos.Turns,
			reads(chaos.Began, "", 2), got(3, "c"), got(4, "d"), got(5, "last"), reads(chaos.CaughtUp, "", 5)),
		on("positions", chaos.Positions,
			reads(chaos.Began, "", 0), got(10, "a"), got(20, "b"), reads(chaos.Resumed, "", 20),
			got(30, "c"), got(40, "d"), got(50, "last"), got(52, ""), reads(chaos.CaughtUp, "", 52)),
	)))
}

// TestPositionsAreSharedByRooms: what two rooms have on one cursor comes in log order.
func TestPositionsAreSharedByRooms(t *testing.T) {
	h := history([]chaos.Entry{
		{Room: "one", Position: 1, Version: 1, Turn: 1, Mark: "a"}, {Room: "two", Position: 2, Version: 1, Turn: 1, Mark: "b"},
	}, list{
		{Client: "alice", Kind: chaos.Sent, Room: "one", Mark: "a"},
		{Client: "alice", Kind: chaos.Sent, Room: "two", Mark: "b"},
		{Client: "reader", Kind: chaos.Received, Line: chaos.Positions, Room: "two", Number: 2, Mark: "b"},
		{Client: "reader", Kind: chaos.Began, Line: chaos.Positions, Room: "one"},
		{Client: "reader", Kind: chaos.Received, Line: chaos.Positions, Room: "one", Number: 1, Mark: "a"},
	})
	found := chaos.Check(h)
	require.Len(t, found, 1)
	require.Equal(t, chaos.Ordered, found[0].Promise)
}

// TestRecorder: whatever order clients record in, every record has its place and none is lost.
func TestRecorder(t *testing.T) {
	rec := chaos.NewRecorder()
	var clients sync.WaitGroup
	for _, client := range []string{"alice", "bob", "carol"} {
		clients.Go(func() {
			for range 100 {
				rec.Add(sent(client, "m"))
			}
		})
	}
	clients.Wait()
	records := rec.Records()
	require.Len(t, records, 300)
	for i, r := range records {
		require.Equal(t, i+1, r.Wall)
	}
	var out bytes.Buffer
	require.NoError(t, chaos.History{Records: records[:1], Log: inLog("a")}.Dump(&out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"wall":1,`)
	require.Contains(t, lines[1], `"mark":"a"`)
}
