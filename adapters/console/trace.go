package console

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"stele/adapters/scripts"
	"stele/core"
)

// tracePage is an agent's stream as the agent would see it, in one of the scripts.
type tracePage struct {
	Agent   core.Agent
	Script  scripts.Script
	Scripts []scripts.Script
	// From is the position that was asked for, empty for the head. Frames are those behind it, as far as the page reaches;
	// After is where the live stream goes on.
	From   string
	Frames []frameShown
	After  core.Position
	// Keep is how many frames the page keeps.
	Keep int
}

// frameShown is what a script shows of one event.
type frameShown struct {
	Position core.Position
	Room     string
	Text     string
}

const (
	// traceKept is how many frames stand in the page, traceBytes how much they may be together before one is asked to go on:
	// a page's first load stays below 100 KB.
	traceKept  = 500
	traceBytes = 40 << 10
)

// showTrace shows an agent's stream. A browser's event source gets it live from the same address.
func (c *Console) showTrace(v *visit) error {
	a, err := c.agentIn(v)
	if err != nil {
		return err
	}
	page := tracePage{Agent: a, Script: scripts.Switch, Scripts: scripts.All(), From: v.query("after"), Keep: traceKept}
	if s := v.query("script"); s != "" {
		if page.Script, err = scripts.Parse(s); err != nil {
			return &core.InvalidError{Field: "script", Reason: "must be one of those on the page"}
		}
	}
	after := v.request().Header.Get("Last-Event-ID")
	if after == "" {
		after = v.query("since")
	}
	if after == "" {
		after = page.From
	}
	page.After = c.node.Applied()
	if after != "" {
		if page.After, err = position(after, page.After); err != nil {
			return err
		}
	}
	t := c.newTrace(page.Script, a.ID, page.After)
	defer t.reader.Close()
	if v.listens() {
		return c.liveTrace(v, t)
	}
	if page.From != "" {
		if page.Frames, err = t.upToNow(v.ctx()); err != nil {
			return err
		}
	}
	page.After = t.reader.Cursor()
	return v.render("trace", page)
}

// position reads a place in the log. One beyond the head is the head: there is nothing behind it.
func position(text string, head core.Position) (core.Position, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, &core.InvalidError{Field: "after", Reason: "must be a position in the log"}
	}
	return min(core.Position(n), head), nil
}

// trace reads what an agent would see. Its reader serves nobody: no connection is opened, nothing is claimed or acknowledged,
// and nobody sees the agent there because of it.
type trace struct {
	node   *core.Node
	script scripts.Script
	agent  string
	reader *core.Reader
	// edge has one encoder for each room: that script remembers what came before.
	edge    map[string]scripts.Encoder
	entries []*core.Entry
}

func (c *Console) newTrace(s scripts.Script, agent string, after core.Position) *trace {
	return &trace{
		node: c.node, script: s, agent: agent, reader: c.node.NewAgentReader(agent, after), edge: map[string]scripts.Encoder{},
	}
}

// read returns frames of what lies behind the cursor, none when that is at the head.
func (t *trace) read(ctx context.Context) (frames []frameShown, more bool, err error) {
	clear(t.entries)
	if t.entries, err = t.reader.Read(ctx, liveEvents, t.entries[:0]); err != nil || len(t.entries) == 0 {
		return nil, false, err
	}
	for _, e := range t.entries {
		f, err := t.frameOf(e)
		if err != nil {
			return nil, false, err
		}
		if f.Text != "" {
			frames = append(frames, f)
		}
	}
	return frames, true, nil
}

// upToNow returns what lies behind the cursor, as far as a page shows it.
func (t *trace) upToNow(ctx context.Context) (all []frameShown, err error) {
	size := 0
	for {
		at := t.reader.Cursor()
		frames, more, err := t.read(ctx)
		if err != nil || !more {
			return all, err
		}
		for i, f := range frames {
			if size += len(template.HTMLEscapeString(f.Text)); len(all) == traceKept || size > traceBytes && len(all) > 0 {
				// The rest is for the live stream.
				if i > 0 {
					at = frames[i-1].Position
				}
				t.reader.Seek(at)
				return all, nil
			}
			all = append(all, f)
		}
	}
}

// frameOf writes an event as the agent's own client would get it; no text: it gets nothing.
func (t *trace) frameOf(e *core.Entry) (frameShown, error) {
	room, _ := e.Stream.RoomID()
	sum, _ := t.node.Room(room)
	f := frameShown{Position: e.Position, Room: sum.Name}
	if parties := core.PartiesOf(e); parties != nil && !slices.Contains(parties, t.agent) {
		e = bare(e)
	}
	enc := t.edge[room]
	if enc == nil {
		var err error
		enc, err = scripts.NewEncoder(t.script, scripts.Options{Room: room, ChannelType: sum.ChannelType, Self: t.agent, Agent: t.agent})
		if err != nil {
			return f, err
		}
		if t.script == scripts.Edge {
			t.edge[room] = enc
		}
	}
	text, err := enc.Append(nil, e)
	if err != nil {
		return f, fmt.Errorf("show event at %d in %s: %w", e.Position, t.script, err)
	}
	f.Text = string(text)
	return f, nil
}

// bare is that an event happened, and when: what those see of it whom it is not for.
func bare(e *core.Entry) *core.Entry {
	return &core.Entry{Recorded: core.Recorded{
		Event: core.Event{Kind: e.Kind, Version: e.Version, At: e.At}, Position: e.Position, Stream: e.Stream, Erased: e.Erased,
	}}
}
