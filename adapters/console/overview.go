package console

import (
	"context"
	"maps"
	"slices"

	"stele/core"
)

// overviewPage is what the first page shows: all of the gateway for an administrator, for others what is theirs.
type overviewPage struct {
	Figures figures
	// Traffic is nil for those who do not see it.
	Traffic *trafficView
	Health  []problem
}

// figures are the numbers at the top.
type figures struct {
	// All tells that they are the gateway's, and not only the user's own.
	All bool
	// Rooms has those of every state of ByState, Archived some of them.
	Rooms, Archived int
	ByState         []amount
	Agents          int
	// Live has those of every door of ByDoor.
	Live   int
	ByDoor []amount
}

// amount is a number of something.
type amount struct {
	Of    string
	Count int
}

func (c *Console) showOverview(v *visit) error {
	page, err := c.overviewOf(v)
	if err != nil {
		return err
	}
	return v.render("overview", page)
}

// liveOverview sends the parts of the overview that have changed.
func (c *Console) liveOverview(v *visit) error {
	return c.livePieces(v, "overview", func(context.Context) ([]part, error) {
		page, err := c.overviewOf(v)
		if err != nil {
			return nil, err
		}
		parts := []part{{"health", page.Health}, {"figures", page.Figures}}
		if page.Traffic != nil {
			parts = append(parts, part{"traffic", page.Traffic})
		}
		return parts, nil
	})
}

func (c *Console) overviewOf(v *visit) (overviewPage, error) {
	page := overviewPage{Figures: c.figuresOf(v)}
	if v.user.Admin {
		page.Traffic = viewOf(c.node.Traffic(), c.node.Latency())
	}
	var err error
	page.Health, err = c.healthOf(v)
	return page, err
}

func (c *Console) figuresOf(v *visit) figures {
	f := figures{All: v.user.Admin}
	states := map[core.RoomState]int{}
	seen := c.seenBy(v)
	for _, sum := range c.node.Rooms() {
		if !seen(sum) {
			continue
		}
		f.Rooms++
		states[sum.State]++
		if sum.Archived {
			f.Archived++
		}
	}
	for _, state := range []core.RoomState{core.StateOpen, core.StateActive, core.StateClosed, core.StatePurged} {
		if states[state] > 0 {
			f.ByState = append(f.ByState, amount{Of: string(state), Count: states[state]})
		}
	}
	doors := map[string]int{}
	for _, a := range c.node.Agents() {
		if !v.sees(a.Owner) {
			continue
		}
		f.Agents++
		if !f.All {
			c.countDoors(v.ctx(), a.ID, doors)
		}
	}
	if f.All {
		doors = c.node.Attending()
		if live := c.node.LeasesHere(); live > 0 {
			doors[switchDoor] = live
		}
	}
	f.ByDoor = inOrder(doors)
	for _, t := range f.ByDoor {
		f.Live += t.Count
	}
	return f
}

// switchDoor is what the door of connections is called; others name themselves when they attend.
const switchDoor = "switch"

// countDoors adds to the numbers by protocol the ways in which an agent is connected.
func (c *Console) countDoors(ctx context.Context, agent string, doors map[string]int) {
	if live := len(c.node.LiveConnections(ctx, agent)); live > 0 {
		doors[switchDoor] += live
	}
	for _, a := range c.node.AttendedBy(agent) {
		doors[a.Door] += a.Open
	}
}

// inOrder lists numbers with the protocols first, in the order in which they stand everywhere.
func inOrder(doors map[string]int) (out []amount) {
	first := []string{switchDoor, "areyouai", "edge"}
	for _, door := range first {
		if doors[door] > 0 {
			out = append(out, amount{Of: door, Count: doors[door]})
		}
	}
	for _, door := range slices.Sorted(maps.Keys(doors)) {
		if !slices.Contains(first, door) {
			out = append(out, amount{Of: door, Count: doors[door]})
		}
	}
	return out
}
