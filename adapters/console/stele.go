package console

import (
	"context"
	"slices"
	"strings"

	"stele/adapters/matrix"
	"stele/adapters/scripts"
	"stele/core"
)

// stelePage shows one event in all its scripts.
type stelePage struct {
	Room    core.Summary
	Version uint64
	Kind    core.Kind
	At      string
	// Says is what has happened, in a few words; Asked where clients find what no stream tells them.
	Says, Asked string
	// As is the agent from whose place the scripts are written; Members those whose place can be taken.
	As      string
	Members []memberRow
	Slabs   []slab
	Rows    []alignedRow
	// Whole is a text that the slabs do not show as it reads, nil when they do.
	Whole *whole
	// Previous and Next are the neighbours of the event, 0 where there is none.
	Previous, Next uint64
}

// slab is the event in one script.
type slab struct {
	Script scripts.Script
	Lines  []line
	// Frames are the types of frames that the script has for the kind; Shown and Not are what the matrix notes, Lost what the
	// frames leave out.
	Frames     []string
	Shown, Not string
	Lost       []string
}

// alignedRow is one field in all scripts, in the order of the slabs.
type alignedRow struct {
	Field string
	Hue   int
	Cells []string
}

// showEvent shows an event of a room in all scripts.
func (c *Console) showEvent(v *visit) error {
	sum, e, err := c.eventIn(v)
	if err != nil {
		return err
	}
	page, err := c.steleOf(v.ctx(), sum, e, v.query("as"))
	if err != nil {
		return err
	}
	return v.render("stele", page)
}

// eventIn finds the event that a path names, for a user who may read it.
func (c *Console) eventIn(v *visit) (core.Summary, *core.Entry, error) {
	sum, err := c.roomIn(v)
	if err != nil {
		return core.Summary{}, nil, err
	}
	at, err := version(v.param("version"))
	if err != nil {
		return core.Summary{}, nil, err
	}
	e, err := c.eventAt(v.ctx(), sum.ID, at)
	if err == nil && !c.maySee(v, e) {
		err = errNotYours
	}
	return sum, e, err
}

// eventAt finds an event by its number.
func (c *Console) eventAt(ctx context.Context, room string, version uint64) (*core.Entry, error) {
	for e, err := range c.node.HistoryOf(room).After(ctx, version-1) {
		if err != nil {
			return nil, err
		}
		if e.Version == version {
			return e, nil
		}
		break
	}
	return nil, errNoPage
}

// maySee tells whether the user may read an event that is for some agents alone.
func (c *Console) maySee(v *visit, e *core.Entry) bool { return c.node.Shows(v.user, e) }

func (c *Console) steleOf(ctx context.Context, sum core.Summary, e *core.Entry, as string) (stelePage, error) {
	side, err := c.asideOf(ctx, sum.ID)
	if err != nil {
		return stelePage{}, err
	}
	page := stelePage{
		Room: sum, Version: e.Version, Kind: e.Kind, At: stamp(e.At), Says: lineOf(e), As: as, Members: side.Members,
		Whole: wholeOf(e),
	}
	if !slices.ContainsFunc(side.Members, func(m memberRow) bool { return m.Agent == as }) {
		page.As = receiverOf(e, side.Members)
	}
	row, _ := matrix.RowOf(e.Kind)
	page.Asked = row.Asked
	if row.Says != "" {
		page.Says = row.Says
	}
	cells := map[scripts.Script]matrix.Cell{scripts.Switch: row.Switch, scripts.Areyouai: row.Areyouai, scripts.Edge: row.Edge}
	for _, s := range scripts.All() {
		text, err := inScript(s, e, scripts.Options{ChannelType: sum.ChannelType, Self: page.As, Agent: page.As})
		if err != nil {
			return stelePage{}, err
		}
		cell := cells[s]
		page.Slabs = append(page.Slabs, slab{
			Script: s, Lines: layOut(text, fieldsOf(s, e.Kind)), Frames: cell.Frames, Shown: cell.Shown, Not: cell.Not, Lost: cell.Lost,
		})
	}
	page.Rows = aligned(page.Slabs)
	page.Members = places(page.Members, page.As)
	page.Previous, page.Next, err = c.neighbours(ctx, sum.ID, e.Version)
	return page, err
}

// places are the members whose place can be taken, as many as a page can have, with the one whose place is.
func places(members []memberRow, as string) []memberRow {
	i := slices.IndexFunc(members, func(m memberRow) bool { return m.Agent == as })
	for j := range members {
		members[j].Shown = nameShort(members[j].Shown)
	}
	some, more := fitting(members, shortBytes, rowBytes, func(m memberRow) string { return m.Shown })
	if more > 0 && i >= len(some) {
		some = append(some, members[i])
	}
	return some
}

// receiverOf is from whose place an event is best looked at: somebody whom it addresses, or who did not cause it.
func receiverOf(e *core.Entry, members []memberRow) string {
	actor := ""
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		if len(p.Addressed) > 0 {
			return p.Addressed[0]
		}
		actor = p.Sender
	case *core.MemberJoinedEvent:
		actor = p.Agent
	}
	if parties := core.PartiesOf(e); parties != nil {
		return parties[len(parties)-1]
	}
	for _, m := range members {
		if m.Agent != actor {
			return m.Agent
		}
	}
	return ""
}

func inScript(s scripts.Script, e *core.Entry, o scripts.Options) ([]byte, error) {
	enc, err := scripts.NewEncoder(s, o)
	if err != nil {
		return nil, err
	}
	return enc.Append(nil, e)
}

// aligned puts what the scripts say of each shared field side by side.
func aligned(slabs []slab) []alignedRow {
	var rows []alignedRow
	for i, field := range sharedFields() {
		row := alignedRow{Field: field, Hue: i + 1, Cells: make([]string, len(slabs))}
		said := false
		for j, s := range slabs {
			var values []string
			for _, l := range s.Lines {
				for _, t := range l {
					if t.Field == field && !slices.Contains(values, t.Text) {
						values = append(values, t.Text)
					}
				}
			}
			row.Cells[j] = strings.Join(values, " · ")
			said = said || len(values) > 0
		}
		if said {
			rows = append(rows, row)
		}
	}
	return rows
}

func (c *Console) neighbours(ctx context.Context, room string, version uint64) (previous, next uint64, err error) {
	for e, err := range c.node.HistoryOf(room).Before(ctx, version) {
		if err != nil {
			return 0, 0, err
		}
		previous = e.Version
		break
	}
	for e, err := range c.node.HistoryOf(room).After(ctx, version) {
		if err != nil {
			return 0, 0, err
		}
		next = e.Version
		break
	}
	return previous, next, nil
}
