package switchfront

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"stele/core"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// Bounds of what a client may choose, so that the log does not grow by whole headers.
const (
	maxConnectionID = 256
	maxDeclaration  = 256
	maxRooms        = 1024
)

// open answers GET …/events. It comes back when the stream has ended, or when the poll is answered that every client means
// which does not ask for a stream.
func (f *Front) open(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	if !agentswitch.WantsStream(c.Request().Header) {
		return f.pollEvents(c, agent)
	}
	req, err := f.openRequest(c.Request())
	if err != nil {
		return err
	}
	if f.draining() {
		return core.ErrDraining
	}
	known, _, exists := f.node.ConnectionState(agent, req.ConnectionID, 0)
	if err := f.storms.await(ctx, connectionKey{agent, req.ConnectionID}, exists && known.Node != f.node.ID()); err != nil {
		return err
	}
	command, err := openCommand(req)
	if err != nil {
		return err
	}
	opened, err := f.node.OpenConnection(ctx, agent, command)
	if err != nil {
		return err
	}
	return f.serveStream(c, agent, req, opened)
}

// openRequest reads an open and checks everything that concerns the request alone, in the protocol's order.
func (f *Front) openRequest(r *http.Request) (agentswitch.OpenRequest, error) {
	req, err := agentswitch.ParseOpenQuery(r.URL.Query(), r.Header)
	if err != nil {
		return req, err
	}
	if len(req.ConnectionID) > maxConnectionID {
		return req, agentswitch.Refuse(http.StatusBadRequest, "connection_id must have at most %d bytes", maxConnectionID)
	}
	if len(req.Rooms) > maxRooms {
		return req, agentswitch.Refuse(http.StatusBadRequest, "rooms must name at most %d rooms", maxRooms)
	}
	if refusal := agentswitch.Negotiate(f.server.Version, protocolRange(), req.Declaration); refusal != nil {
		return req, refusal
	}
	return req, nil
}

// openCommand translates an open.
func openCommand(req agentswitch.OpenRequest) (core.OpenRequest, error) {
	client, err := strictjson.Marshal(boundedInfo(req.Declaration.Info()))
	if err != nil {
		return core.OpenRequest{}, fmt.Errorf("encode declaration: %w", err)
	}
	return core.OpenRequest{
		ID: req.ConnectionID, Scope: string(req.Scope), Filter: string(req.Filter), Spawn: req.SpawnCapable,
		Rooms: req.Rooms, Start: core.Position(req.StartFrom.Cursor), FromHead: req.StartFrom.Head,
		Client: json.RawMessage(client),
	}, nil
}

// boundedInfo drops from the record what no honest client says. Names are never judged, so the open goes on.
func boundedInfo(info agentswitch.ClientInfo) agentswitch.ClientInfo {
	for _, text := range []**string{&info.Artifact, &info.Version} {
		if *text != nil && len(**text) > maxDeclaration {
			*text = nil
		}
	}
	return info
}

// serveStream begins the response of an open connection. It comes back when the stream has ended, or at once when that
// does not need the request any more.
func (f *Front) serveStream(c echo.Context, agent string, req agentswitch.OpenRequest, opened core.Opened) error {
	s := f.newStream(agent, credentialOf(c.Request().Context()), opened)
	begun := false
	defer func() {
		if !begun {
			s.Ended()
		}
	}()
	if err := s.begin(c, f.connectionState(agent, req, opened), opened.Head); err != nil {
		return err
	}
	begun = true
	s.out.Load().Attend(s)
	return nil
}

func (f *Front) connectionState(agent string, req agentswitch.OpenRequest, opened core.Opened) agentswitch.ConnectionState {
	return agentswitch.ConnectionState{
		ConnectionID: req.ConnectionID, AgentID: agent, Scope: req.Scope, Filter: req.Filter, SpawnCapable: req.SpawnCapable,
		Rooms: agentswitch.Rooms(opened.Connection.Rooms), Cursor: uint64(opened.Cursor),
		Protocol:                 agentswitch.ProtocolSpeaks,
		HeartbeatIntervalSeconds: agentswitch.HeartbeatInterval.Seconds(),
		Server:                   f.server, Client: req.Declaration.Info(),
	}
}

func setStreamHeaders(h http.Header) {
	h.Set("Content-Type", agentswitch.ContentTypeStream)
	h.Set("Cache-Control", "no-cache")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
}
