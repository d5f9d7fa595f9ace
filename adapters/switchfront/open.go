package switchfront

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
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

// open answers GET …/events. It comes back when the stream has ended.
func (f *Front) open(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
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
	if !agentswitch.WantsStream(r.Header) {
		return agentswitch.OpenRequest{}, agentswitch.Refuse(http.StatusNotFound,
			"Not Found: events come as a stream; send the header Accept: %s", agentswitch.AcceptStream)
	}
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

// serveStream begins the response of an open connection and delivers until the stream ends.
func (f *Front) serveStream(c echo.Context, agent string, req agentswitch.OpenRequest, opened core.Opened) error {
	defer f.node.AttachStream(agent, opened.Connection)()
	defer f.storms.attach(connectionKey{agent, req.ConnectionID})()
	s := f.newStream(agent, opened)
	defer s.reader.Close()
	hello := agentswitch.AppendConnectionStateFrame(nil, f.connectionState(agent, req, opened))
	hello, err := s.openingGaps(c.Request().Context(), hello, opened.Head)
	if err != nil {
		return err
	}
	s.moved()
	setStreamHeaders(c.Response().Header())
	c.Response().WriteHeader(http.StatusOK)
	s.out, err = transport.NewEventStream(c.Response(), c.Request(), transport.EventStreamOptions{
		KeepAlive: f.opts.KeepAlive, Comment: agentswitch.KeepaliveText, ProgressTimeout: f.opts.ProgressTimeout,
	})
	if err != nil {
		return err
	}
	defer s.out.Close()
	if err := s.out.Write(hello); err != nil {
		return err
	}
	return s.run(s.out.Context())
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
