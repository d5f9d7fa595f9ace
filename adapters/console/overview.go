package console

// overviewPage is what the first page shows.
type overviewPage struct {
	Rooms, Agents int
}

func (c *Console) showOverview(v *visit) error {
	return v.render("overview", overviewPage{Rooms: 0, Agents: len(c.node.Agents())})
}
