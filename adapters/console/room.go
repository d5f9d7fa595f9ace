package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/core"
)

// roomPage is a room with its conversation.
type roomPage struct {
	Aside aside
	Talk  piece
	// Head is the version of the newest event on the page, from which the live stream goes on.
	Head uint64
	// Old tells that the page is a part that was asked for, which ends before the newest messages.
	Old bool
	// Self is the user's own participant, empty when there is none, SelfName what it is called, and the user until there is one.
	// Member: it is in the room; Problem: why what was asked for was not done; Draft: what was to be said.
	Self, SelfName string
	Member         bool
	Problem, Draft string
}

// Over tells that nothing can be said or changed in the room any more.
func (p roomPage) Over() bool {
	return p.Aside.Room.State == core.StateClosed || p.Aside.Room.State == core.StatePurged
}

// aside is what stands beside a conversation: all of the room that is not said.
type aside struct {
	Room        core.Summary
	Description string
	Members     []memberRow
	// Next is whose turn it is, empty where there are no turns.
	Next      string
	Roles     []roleRow
	Documents []core.Document
	Links     []core.Link
	// Shared is the shared state as indented JSON, empty when there is none.
	Shared string
	Typing []string
	// More are how many of a list are left out.
	More moreBeside
	// now is when it was looked at.
	now time.Time
}

// memberRow is somebody in a room.
type memberRow struct {
	core.Member
	Shown   string
	Doors   []string
	Status  core.Status
	Role    string
	HasTurn bool
}

// roleRow is a role with who holds it live.
type roleRow struct {
	Name    string
	Holders []string
}

func (c *Console) showRoom(v *visit) error { return c.roomPage(v, fault{status: http.StatusOK}, "") }

// roomPage answers with a room, and with what went wrong if something did. draft is what was to be said then.
func (c *Console) roomPage(v *visit, f fault, draft string) error {
	sum, err := c.roomIn(v)
	if err != nil {
		return err
	}
	page := roomPage{Self: v.user.Agent, SelfName: v.user.Name, Problem: f.text, Draft: draft}
	if self, ok := c.node.Agent(page.Self); ok {
		page.SelfName = self.Handle
	}
	page.Member = page.Self != "" && c.node.IsMember(page.Self, sum.ID)
	page.Head = sum.Version
	// Without a script the page of what was said earlier is one of its own.
	var before uint64
	if q := v.query("before"); q != "" {
		if before, err = version(q); err != nil {
			return err
		}
	}
	// It comes first: what time has done to the room takes effect when one looks at it, and what it destroyed is not shown.
	if page.Aside, err = c.asideOf(v.ctx(), sum.ID); err != nil {
		return err
	}
	page.Aside.fit()
	if page.Talk, err = c.before(v.ctx(), sum.ID, before, page.Self); err != nil {
		return err
	}
	page.Old = before != 0
	if n := len(page.Talk.Items); n > 0 && !page.Old {
		page.Head = page.Talk.Items[n-1].Version
	}
	return v.renderStatus(f.status, "room", page)
}

// showEarlier answers with the part of a conversation before a version, as it stands in the page.
func (c *Console) showEarlier(v *visit) error {
	sum, err := c.roomIn(v)
	if err != nil {
		return err
	}
	before, err := version(v.query("before"))
	if err != nil {
		return err
	}
	talk, err := c.before(v.ctx(), sum.ID, before, v.user.Agent)
	if err != nil {
		return err
	}
	return v.renderPiece("room", "talk", talk)
}

// asideOf looks at a room.
func (c *Console) asideOf(ctx context.Context, room string) (aside, error) {
	out := aside{now: c.node.Now()}
	var members []*core.Member
	var roles []core.RoleDef
	err := c.node.ViewRoom(ctx, room, func(r *core.Room) {
		for _, m := range r.Members {
			copied := *m
			members = append(members, &copied)
		}
		out.Description, out.Next, roles = shortText(r.Description), r.NextActor(), r.Roles
		out.Documents, out.Links = slices.Clone(r.Documents), slices.Clone(r.Links)
		if shared := r.SharedState(); len(shared.Members) > 0 {
			out.Shared = indented(shared.AppendPlain(nil), maxShared)
		}
	})
	if err != nil {
		return aside{}, err
	}
	out.Room, _ = c.node.Room(room)
	slices.SortFunc(members, func(a, b *core.Member) int {
		if a.Joined != b.Joined {
			return int(int64(a.Joined) - int64(b.Joined))
		}
		return strings.Compare(a.Agent, b.Agent)
	})
	held := map[string]string{}
	holders := map[string][]string{}
	for _, l := range c.node.LeasesIn(ctx, room) {
		held[l.Agent] = l.Role
		holders[l.Role] = append(holders[l.Role], c.nameOf(l.Agent))
	}
	for _, m := range members {
		out.Members = append(out.Members, memberRow{
			Member: *m, Shown: shownName(m), Status: c.node.Presence(m.Agent, room), Doors: c.doorsOf(m.Agent, room),
			Role: held[m.Agent], HasTurn: out.Next == m.Agent,
		})
	}
	for _, r := range roles {
		out.Roles = append(out.Roles, roleRow{Name: r.Name, Holders: holders[r.Name]})
	}
	typing := c.node.NewTypingReader(room)
	defer typing.Close()
	who, _ := typing.Now()
	for agent := range who {
		out.Typing = append(out.Typing, c.nameOf(agent))
	}
	slices.Sort(out.Typing)
	return out, nil
}

func shownName(m *core.Member) string {
	if m.Handle != "" {
		return m.Handle
	}
	return m.Name
}

// doorsOf names the protocols through which a member is there.
func (c *Console) doorsOf(agent, room string) []string {
	doors, connected := c.node.Doors(agent, room)
	if connected {
		// Only the Switch protocol has connections.
		doors = append([]string{"switch"}, doors...)
	}
	return doors
}

// nameOf is what an agent is addressed by, or its id when it is gone.
func (c *Console) nameOf(agent string) string {
	if a, ok := c.node.Agent(agent); ok {
		return a.Handle
	}
	return agent
}

// Left is how long a room may still live, for people; empty when that has no end.
func (a aside) Left() string {
	if a.Room.TTLAt.IsZero() || a.Room.State == core.StateClosed || a.Room.State == core.StatePurged {
		return ""
	}
	if left := a.Room.TTLAt.Sub(a.now); left > 0 {
		return ago(left)
	}
	return "no time"
}
