package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"stele/core"
)

// agentPage is an agent with all that is open in its name.
type agentPage struct {
	Agent  core.Agent
	Runs   string
	Person bool
	Rooms  []core.Summary
	// MoreRooms tells how many were left out.
	MoreRooms int
	Parent    core.Agent
	Open      openDoors
	// Key was just made, shown this once. Problem is why what was asked for was not done.
	Key, Problem string
}

// openDoors is how an agent is connected at the moment.
type openDoors struct {
	Agent       string
	Head        core.Position
	Status      core.Status
	Connections []connectionRow
	// Streams are sockets and streams that belong to a room.
	Streams []streamRow
	// Attended are all ways in which it is there, by room.
	Attended []attendedRow
	// More are how many of a list are left out.
	More     moreDoors
	Sessions int
	Webhooks []webhookRow
	Waiting  int
}

// moreDoors counts what does not stand on the page of an agent.
type moreDoors struct{ Connections, Streams, Attended, Webhooks int }

// connectionRow is a live connection.
type connectionRow struct {
	core.LiveConnection
	Rooms []roomName
	// MoreRooms tells how many were left out.
	MoreRooms int
	// Streaming: its stream is open at this node.
	Streaming bool
	Cursor    core.Position
	Behind    uint64
	// Beat is how long ago its client was heard of.
	Beat string
}

// roomName is a room as it is called.
type roomName struct{ ID, Name string }

// streamRow is a socket or stream with its place.
type streamRow struct {
	core.ServingReader
	In  roomName
	For string
}

// attendedRow is a way in which the agent is somewhere.
type attendedRow struct {
	core.Attended
	In roomName
}

// webhookRow is a webhook. Of its address only the host is shown: what follows may be secret.
type webhookRow struct {
	ID, Host string
	Enabled  bool
	At       time.Time
}

// agentIn finds the agent that a path names. One that the user may not see is not there.
func (c *Console) agentIn(v *visit) (core.Agent, error) {
	a, ok := c.node.Agent(v.param("agent"))
	if !ok || !v.sees(a.Owner) {
		return core.Agent{}, core.ErrNoAgent
	}
	return a, nil
}

func (c *Console) showAgent(v *visit) error {
	a, err := c.agentIn(v)
	if err != nil {
		return err
	}
	return c.agentPage(v, http.StatusOK, agentPage{Agent: a})
}

func (c *Console) agentPage(v *visit, status int, page agentPage) error {
	page.Runs, page.Person = runs(page.Agent), page.Agent.KnownType == core.KnownTypePerson
	page.Rooms = c.node.RoomsOf(page.Agent.ID)
	slices.Reverse(page.Rooms)
	for i := range page.Rooms {
		page.Rooms[i].Name = nameShort(page.Rooms[i].Name)
	}
	page.Rooms, page.MoreRooms = fitting(page.Rooms, shortBytes, rowBytes, func(s core.Summary) string { return s.Name })
	if p, ok := c.node.Agent(page.Agent.Parent); ok && v.sees(p.Owner) {
		page.Parent = p
	}
	var err error
	if page.Open, err = c.doorsOpen(v.ctx(), page.Agent.ID); err != nil {
		return err
	}
	return v.renderStatus(status, "agent", page)
}

// liveAgent sends how the agent is connected whenever that has changed.
func (c *Console) liveAgent(v *visit) error {
	a, err := c.agentIn(v)
	if err != nil {
		return err
	}
	return c.livePieces(v, "agent", func(ctx context.Context) ([]part, error) {
		if _, err := c.agentIn(v); err != nil {
			return nil, err
		}
		now, err := c.doorsOpen(ctx, a.ID)
		return []part{{"doors", now}}, err
	})
}

func (c *Console) doorsOpen(ctx context.Context, agent string) (openDoors, error) {
	out := openDoors{
		Agent: agent, Head: c.node.Applied(), Status: c.statusIn(agent, c.node.RoomsOf(agent)),
		Sessions: c.node.SessionsOf(agent), Waiting: c.node.CallbacksWaiting(agent),
	}
	readers, err := c.node.ReadersOf(ctx, agent)
	if err != nil {
		return openDoors{}, err
	}
	streams := map[string]core.ServingReader{}
	for _, r := range readers {
		if r.Door == switchDoor {
			streams[r.Name] = r
			continue
		}
		out.Streams = append(out.Streams, streamRow{ServingReader: r, In: c.roomNamed(r.Room), For: ago(c.node.Now().Sub(r.Since))})
	}
	for _, conn := range c.node.LiveConnections(ctx, agent) {
		row, err := c.connectionOf(ctx, agent, conn, streams)
		if err != nil {
			return openDoors{}, err
		}
		out.Connections = append(out.Connections, row)
	}
	for _, a := range c.node.AttendedBy(agent) {
		out.Attended = append(out.Attended, attendedRow{Attended: a, In: c.roomNamed(a.Room)})
	}
	for _, w := range c.node.Webhooks(agent) {
		row := webhookRow{ID: w.ID, Enabled: w.Enabled, At: w.At}
		if u, err := url.Parse(w.URL); err == nil {
			row.Host = u.Host
		}
		out.Webhooks = append(out.Webhooks, row)
	}
	out.fit()
	return out, nil
}

// fit leaves out what would make the page too large.
func (d *openDoors) fit() {
	d.Connections, d.More.Connections = fitting(d.Connections, 2*shortBytes, tableRowBytes, func(r connectionRow) string {
		all := r.ID
		for _, room := range r.Rooms {
			all += room.ID + room.Name
		}
		return all
	})
	d.Streams, d.More.Streams = fitting(d.Streams, shortBytes, tableRowBytes, func(r streamRow) string { return r.In.Name })
	d.Attended, d.More.Attended = fitting(d.Attended, shortBytes, rowBytes, func(r attendedRow) string { return r.In.Name })
	d.Webhooks, d.More.Webhooks = fitting(d.Webhooks, shortBytes, rowBytes, func(r webhookRow) string { return r.Host })
}

// connectionOf shows a connection with the place of its stream, or where that would go on.
func (c *Console) connectionOf(
	ctx context.Context, agent string, conn core.LiveConnection, streams map[string]core.ServingReader,
) (row connectionRow, err error) {
	row = connectionRow{LiveConnection: conn, Beat: ago(max(c.node.Now().Sub(conn.SeenAt), 0))}
	for _, id := range conn.Connection.Rooms {
		row.Rooms = append(row.Rooms, c.roomNamed(id))
	}
	row.Rooms, row.MoreRooms = fitting(row.Rooms, claimsBytes, rowBytes, func(r roomName) string { return r.Name })
	if r, ok := streams[conn.ID]; ok {
		row.Streaming, row.Cursor, row.Behind = true, r.Cursor, r.Behind
		return row, nil
	}
	row.Cursor = c.node.ReadUpTo(ctx, agent, conn.Connection)
	row.Behind, err = c.node.BehindHead(ctx, agent, row.Cursor)
	return row, err
}

func (c *Console) roomNamed(id string) roomName {
	if sum, ok := c.node.Room(id); ok && sum.Name != "" {
		return roomName{ID: id, Name: nameShort(sum.Name)}
	}
	return roomName{ID: id, Name: id}
}

// rotateKey gives the agent another key, shown this once.
func (c *Console) rotateKey(v *visit) error {
	return c.onAgent(v, func(a core.Agent) error {
		made, err := c.node.RotateKey(v.ctx(), a.ID)
		if err != nil {
			return err
		}
		return c.agentPage(v, http.StatusOK, agentPage{Agent: made.Agent, Key: made.Key})
	})
}

// deleteAgent ends the agent for good.
func (c *Console) deleteAgent(v *visit) error {
	return c.onAgent(v, func(a core.Agent) error {
		if err := c.node.DeleteAgent(v.ctx(), a.ID); err != nil {
			return err
		}
		return v.redirect(Prefix + "/agents")
	})
}

// onAgent does what a form of an agent's page asks for; when that is refused, the page says why.
func (c *Console) onAgent(v *visit, act func(core.Agent) error) error {
	a, err := c.agentIn(v)
	if err != nil {
		return err
	}
	if err = act(a); err == nil {
		return nil
	}
	f := statusOf(err)
	if f.status == http.StatusInternalServerError || f.status == http.StatusNotFound {
		return err
	}
	return c.agentPage(v, f.status, agentPage{Agent: a, Problem: "Not done: " + f.sentence(err)})
}
