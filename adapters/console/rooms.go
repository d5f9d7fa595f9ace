package console

import (
	"slices"
	"strings"

	"stele/core"
)

// roomsPage is the list of rooms.
type roomsPage struct {
	Rooms []roomRow
	// Query is what was looked for; More tells how many rooms were left out.
	Query string
	More  int
}

// roomRow is a room in the list.
type roomRow struct {
	core.Summary
	Members int
}

// maxRooms bounds the list.
const maxRooms = 200

// showRooms lists the rooms that the user may see, the newest first.
func (c *Console) showRooms(v *visit) error {
	page := roomsPage{Query: v.query("q")}
	wanted := strings.ToLower(page.Query)
	all := c.node.Rooms()
	slices.Reverse(all)
	seen := c.seenBy(v)
	for _, sum := range all {
		switch {
		case !seen(sum):
		case wanted != "" && !strings.Contains(strings.ToLower(sum.Name), wanted) && sum.ID != page.Query:
		case len(page.Rooms) == maxRooms:
			page.More++
		default:
			row := roomRow{Summary: sum}
			row.Name, row.Owner = nameShort(sum.Name), nameShort(sum.Owner)
			if err := c.node.ViewRoom(v.ctx(), sum.ID, func(r *core.Room) { row.Members = len(r.Members) }); err != nil {
				return err
			}
			page.Rooms = append(page.Rooms, row)
		}
	}
	var more int
	page.Rooms, more = fitting(page.Rooms, listBytes, tableRowBytes, func(r roomRow) string { return r.Name + r.Owner })
	page.More += more
	return v.render("rooms", page)
}

// seenBy tells of rooms whether the user may see them.
func (c *Console) seenBy(v *visit) func(core.Summary) bool { return c.node.RoomsSeenBy(v.user) }

// roomIn finds the room that a path names. One that the user may not see is not there.
func (c *Console) roomIn(v *visit) (core.Summary, error) {
	sum, ok := c.node.Room(v.param("room"))
	if !ok || !c.seenBy(v)(sum) {
		return core.Summary{}, core.ErrNoRoom
	}
	return sum, nil
}
