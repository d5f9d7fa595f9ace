package chaos_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/tests/chaos"
)

// gateway is a model that keeps every promise: commands happen in some order between being sent and being answered or
// broken off, and readers come and go.
type gateway struct {
	rt      *rapid.T
	rec     *chaos.Recorder
	log     []chaos.Entry
	rooms   []string
	version map[string]uint64
	turn    map[string]uint64
	open    []*flight
	readers []*follower
	serial  int
}

// flight is a command that was sent and has not been answered.
type flight struct {
	sent     chaos.Record
	happened bool
	turn     uint64
}

// follower is a reader; at is the index in the log behind the last entry it was offered.
type follower struct {
	name   string
	line   chaos.Line
	room   string // empty: all
	at     int
	number uint64
}

func drawHistory(rt *rapid.T) chaos.History {
	g := &gateway{
		rt: rt, rec: chaos.NewRecorder(), rooms: []string{"r1", "r2"}, version: map[string]uint64{}, turn: map[string]uint64{},
	}
	for i, l := range []chaos.Line{chaos.Positions, chaos.Versions, chaos.Turns} {
		f := &follower{name: fmt.Sprintf("reader%d", i), line: l}
		if l != chaos.Positions {
			f.room = rapid.SampledFrom(g.rooms).Draw(rt, "room")
		}
		g.readers = append(g.readers, f)
		g.begin(f)
	}
	for range rapid.IntRange(10, 60).Draw(rt, "steps") {
		g.step()
	}
	for len(g.open) > 0 {
		g.happen()
		g.answer()
	}
	for _, f := range g.readers {
		for f.at < len(g.log) {
			g.deliver(f)
		}
		g.record(f, chaos.CaughtUp, "")
	}
	return chaos.History{Records: g.rec.Records(), Log: g.log}
}

func (g *gateway) step() {
	f := rapid.SampledFrom(g.readers).Draw(g.rt, "reader")
	switch rapid.SampledFrom([]string{"send", "send", "happen", "happen", "answer", "deliver", "deliver", "resume", "gap"}).Draw(g.rt, "step") {
	case "send":
		g.send()
	case "happen":
		g.happen()
	case "answer":
		g.answer()
	case "deliver":
		g.deliver(f)
	case "resume":
		g.record(f, chaos.Resumed, "")
	case "gap":
		g.gap(f)
	}
}

func (g *gateway) send() {
	g.serial++
	r := chaos.Record{
		Client: fmt.Sprintf("writer%d", g.serial), Kind: chaos.Sent, Mark: fmt.Sprintf("m%d", g.serial),
		Room: rapid.SampledFrom(g.rooms).Draw(g.rt, "to"), Parts: rapid.IntRange(0, 3).Draw(g.rt, "parts"),
	}
	if rapid.Bool().Draw(g.rt, "keyed") {
		r.Key = r.Mark
	}
	g.rec.Add(r)
	g.open = append(g.open, &flight{sent: r})
}

// happen appends the events of a command that is under way.
func (g *gateway) happen() {
	if len(g.open) == 0 {
		return
	}
	c := rapid.SampledFrom(g.open).Draw(g.rt, "command")
	if c.happened {
		return
	}
	c.happened = true
	room := c.sent.Room
	for i := range max(c.sent.Parts, 1) {
		g.version[room]++
		e := chaos.Entry{Room: room, Position: uint64(len(g.log))*3 + 1, Version: g.version[room], Mark: c.sent.Mark}
		if i == 0 {
			g.turn[room]++
			e.Turn, c.turn = g.turn[room], g.turn[room]
		}
		g.log = append(g.log, e)
	}
}

func (g *gateway) answer() {
	if len(g.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(g.open)-1).Draw(g.rt, "answered")
	c := g.open[i]
	r := chaos.Record{Client: c.sent.Client, Room: c.sent.Room, Mark: c.sent.Mark, Kind: chaos.Unknown}
	switch {
	case rapid.IntRange(0, 4).Draw(g.rt, "broken") == 0:
	case c.happened:
		r.Kind, r.Turn = chaos.Acknowledged, c.turn
	default:
		r.Kind = chaos.Failed
	}
	g.rec.Add(r)
	// A broken command with a key may be tried again.
	if r.Kind == chaos.Unknown && c.sent.Key != "" && rapid.Bool().Draw(g.rt, "again") {
		g.rec.Add(c.sent)
		return
	}
	g.open = slices.Delete(g.open, i, i+1)
}

func (g *gateway) begin(f *follower) {
	for _, room := range g.rooms {
		if f.room == "" || f.room == room {
			g.rec.Add(chaos.Record{Client: f.name, Kind: chaos.Began, Line: f.line, Room: room})
		}
	}
}

func (g *gateway) record(f *follower, kind chaos.Kind, mark string) {
	g.rec.Add(chaos.Record{Client: f.name, Kind: kind, Line: f.line, Room: f.room, Number: f.number, Mark: mark})
}

// shows tells whether the reader gets an entry, and under which number.
func (f *follower) shows(e chaos.Entry) (uint64, bool) {
	switch {
	case f.room != "" && f.room != e.Room, f.line == chaos.Turns && e.Turn == 0:
		return 0, false
	case f.line == chaos.Positions:
		return e.Position, true
	case f.line == chaos.Versions:
		return e.Version, true
	}
	return e.Turn, true
}

func (g *gateway) deliver(f *follower) {
	for f.at < len(g.log) {
		e := g.log[f.at]
		f.at++
		if n, ok := f.shows(e); ok {
			f.number = n
			g.rec.Add(chaos.Record{Client: f.name, Kind: chaos.Received, Line: f.line, Room: e.Room, Number: n, Mark: e.Mark})
			return
		}
	}
}

// gap tells the reader that the next few entries are not going to come.
func (g *gateway) gap(f *follower) {
	after := f.number
	for range rapid.IntRange(1, 3).Draw(g.rt, "missing") {
		if f.at == len(g.log) {
			break
		}
		if n, ok := f.shows(g.log[f.at]); ok {
			f.number = n
		}
		f.at++
	}
	if f.number > after {
		g.rec.Add(chaos.Record{Client: f.name, Kind: chaos.Gap, Line: f.line, Room: f.room, Number: after, Through: f.number})
	}
}

// TestRandomCleanHistories: what keeps every promise is never found guilty.
func TestRandomCleanHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { require.Empty(rt, chaos.Check(drawHistory(rt))) })
}

// mutation spoils one thing in a history and tells which promises that may break; none: there was nothing to spoil.
type mutation func(rt *rapid.T, h *chaos.History) []chaos.Promise

// TestRandomMutations: one thing spoiled in a clean history is always found.
func TestRandomMutations(t *testing.T) {
	for name, mutate := range map[string]mutation{
		"drop what a reader got":       dropReceived,
		"repeat what a reader got":     repeatReceived,
		"swap what a reader got":       swapReceived,
		"drop from the log":            dropLogged,
		"repeat in the log":            repeatLogged,
		"swap in the log":              swapLogged,
		"acknowledge what was refused": acknowledgeRefused,
	} {
		t.Run(name, func(t *testing.T) {
			spoiled := 0
			rapid.Check(t, func(rt *rapid.T) {
				h := drawHistory(rt)
				may := mutate(rt, &h)
				if len(may) == 0 {
					return
				}
				spoiled++
				found := chaos.Check(h)
				require.True(rt, slices.ContainsFunc(found, func(v chaos.Violation) bool { return slices.Contains(may, v.Promise) }),
					"looked for %v among %v", may, found)
			})
			require.Positive(t, spoiled, "no history had anything to spoil")
		})
	}
}

// pick draws one of the indices that satisfy ok; -1 when none does.
func pick[T any](rt *rapid.T, list []T, ok func(i int) bool) int {
	var fit []int
	for i := range list {
		if ok(i) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return -1
	}
	return rapid.SampledFrom(fit).Draw(rt, "spoiled")
}

func (g received) must(i int) bool {
	r := g.h.Records[i]
	if r.Kind != chaos.Received {
		return false
	}
	if r.Line != chaos.Positions {
		return true
	}
	return slices.ContainsFunc(g.h.Log, func(e chaos.Entry) bool { return e.Position == r.Number && e.Turn > 0 })
}

// received knows which records of a history are deliveries that must not be missing.
type received struct{ h *chaos.History }

func dropReceived(rt *rapid.T, h *chaos.History) []chaos.Promise {
	i := pick(rt, h.Records, received{h}.must)
	if i < 0 {
		return nil
	}
	h.Records = slices.Delete(h.Records, i, i+1)
	return []chaos.Promise{chaos.Gapless, chaos.Resumable}
}

func repeatReceived(rt *rapid.T, h *chaos.History) []chaos.Promise {
	i := pick(rt, h.Records, func(i int) bool { return h.Records[i].Kind == chaos.Received })
	if i < 0 {
		return nil
	}
	to := rapid.IntRange(i+1, len(h.Records)).Draw(rt, "to")
	h.Records = slices.Insert(h.Records, to, h.Records[i])
	return []chaos.Promise{chaos.Once}
}

func swapReceived(rt *rapid.T, h *chaos.History) []chaos.Promise {
	next := func(i int) int {
		return slices.IndexFunc(h.Records[i+1:], func(r chaos.Record) bool {
			return r.Kind == chaos.Received && r.Client == h.Records[i].Client
		})
	}
	i := pick(rt, h.Records, func(i int) bool { return h.Records[i].Kind == chaos.Received && next(i) >= 0 })
	if i < 0 {
		return nil
	}
	j := i + 1 + next(i)
	h.Records[i], h.Records[j] = h.Records[j], h.Records[i]
	return []chaos.Promise{chaos.Ordered}
}

func ackedIn(h *chaos.History, mark string) bool {
	return slices.ContainsFunc(h.Records, func(r chaos.Record) bool { return r.Kind == chaos.Acknowledged && r.Mark == mark })
}

func dropLogged(rt *rapid.T, h *chaos.History) []chaos.Promise {
	i := pick(rt, h.Log, func(i int) bool { return ackedIn(h, h.Log[i].Mark) })
	if i < 0 {
		return nil
	}
	h.Log = slices.Delete(h.Log, i, i+1)
	return []chaos.Promise{chaos.Durable, chaos.Atomic}
}

func repeatLogged(rt *rapid.T, h *chaos.History) []chaos.Promise {
	i := pick(rt, h.Log, func(i int) bool { return h.Log[i].Turn > 0 })
	if i < 0 {
		return nil
	}
	again := h.Log[i]
	for _, e := range h.Log {
		if e.Room == again.Room {
			again.Version, again.Turn = e.Version+1, max(again.Turn, e.Turn)+1
		}
		again.Position = e.Position + 1
	}
	h.Log = append(h.Log, again)
	return []chaos.Promise{chaos.Durable, chaos.Atomic, chaos.Idempotent}
}

// swapLogged lets two commands change places of which one was acknowledged before the other was sent.
func swapLogged(rt *rapid.T, h *chaos.History) []chaos.Promise {
	at := func(kind chaos.Kind, mark string) int {
		return slices.IndexFunc(h.Records, func(r chaos.Record) bool { return r.Kind == kind && r.Mark == mark })
	}
	later := func(i int) int {
		return slices.IndexFunc(h.Log, func(e chaos.Entry) bool {
			a := at(chaos.Acknowledged, h.Log[i].Mark)
			return e.Room == h.Log[i].Room && a >= 0 && a < at(chaos.Sent, e.Mark)
		})
	}
	i := pick(rt, h.Log, func(i int) bool { return later(i) >= 0 })
	if i < 0 {
		return nil
	}
	j := later(i)
	h.Log[i].Mark, h.Log[j].Mark = h.Log[j].Mark, h.Log[i].Mark
	return []chaos.Promise{chaos.Ordered}
}

func acknowledgeRefused(rt *rapid.T, h *chaos.History) []chaos.Promise {
	i := pick(rt, h.Records, func(i int) bool { return h.Records[i].Kind == chaos.Failed })
	if i < 0 {
		return nil
	}
	h.Records[i].Kind = chaos.Acknowledged
	return []chaos.Promise{chaos.Durable}
}
