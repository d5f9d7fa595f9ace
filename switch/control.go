package agentswitch

import (
	"strconv"
	"strings"

	"stele/internal/sse"
)

// The names of the control frames.
const (
	FrameConnectionState     = "connection_state"
	FrameSubscriptionChanged = "subscription_changed"
	FrameEvicted             = "evicted"
	FrameGap                 = "gap"
)

// Range is the span of revisions of a contract that one side understands.
type Range struct {
	Speaks  int `json:"speaks"`
	Accepts int `json:"accepts"`
}

// ServerInfo is what a server tells about itself. /version answers the same
// object.
type ServerInfo struct {
	// Version is the server's release; nil when unknown.
	Version   *string          `json:"version"`
	Contracts map[string]Range `json:"contracts"`
}

// NewServerInfo returns the info of a server that speaks agent-protocol in
// the given range. An empty version is unknown.
func NewServerInfo(version string, protocol Range) ServerInfo {
	info := ServerInfo{Contracts: map[string]Range{ContractName: protocol}}
	if version != "" {
		info.Version = &version
	}
	return info
}

// ClientInfo is what a client declared when it opened the stream; nil is what
// it did not declare.
type ClientInfo struct {
	Speaks   *int    `json:"speaks"`
	Accepts  *int    `json:"accepts"`
	Artifact *string `json:"artifact"`
	Version  *string `json:"version"`
}

// ConnectionState is always the first frame of a stream.
type ConnectionState struct {
	ConnectionID string `json:"connection_id"`
	AgentID      string `json:"agent_id"`
	Scope        Scope  `json:"scope"`
	Filter       Filter `json:"filter"`
	SpawnCapable bool   `json:"spawn_capable"`
	// Rooms are the claimed rooms, not the covered ones: a client sends the
	// list back as rooms= when it reopens, and that takes rooms over.
	Rooms  Rooms  `json:"rooms"`
	Cursor uint64 `json:"cursor"`
	// Protocol is the revision the server speaks.
	Protocol int `json:"protocol"`
	// HeartbeatIntervalSeconds is written with a fraction: 2.0.
	HeartbeatIntervalSeconds float64    `json:"heartbeat_interval_seconds"`
	Server                   ServerInfo `json:"server"`
	Client                   ClientInfo `json:"client"`
}

// SubscriptionChanged tells that the connection's claims are now others.
type SubscriptionChanged struct {
	Rooms Rooms `json:"rooms"`
	// Reason is ReasonSubscriptionUpdated.
	Reason string `json:"reason"`
}

// Evicted is the last frame of a stream that the server ends.
type Evicted struct {
	Reason string `json:"reason"`
}

// Gap tells that events are missing between the client's cursor and the place
// where the stream goes on.
type Gap struct {
	FromSequence uint64 `json:"from_sequence"`
	// ResumedAt is the cursor from now on: the next event is above it.
	ResumedAt uint64 `json:"resumed_at"`
	Reason    string `json:"reason"`
}

// Restarted reports the gap of a cursor that was above head: what the client
// saw is not, or no longer, what the server has, and its sequences go on from
// below. It is the only gap that lowers a cursor.
func (g Gap) Restarted() bool { return strings.Contains(g.Reason, TextRestarted) }

// AppendConnectionStateFrame appends the complete frame.
func AppendConnectionStateFrame(dst []byte, s ConnectionState) []byte {
	o := openObject(nil)
	o.str("connection_id", s.ConnectionID)
	o.str("agent_id", s.AgentID)
	o.str("scope", string(s.Scope))
	o.str("filter", string(s.Filter))
	o.bool("spawn_capable", s.SpawnCapable)
	o.rooms(s.Rooms)
	o.uint("cursor", s.Cursor)
	o.int("protocol", int64(s.Protocol))
	o.seconds("heartbeat_interval_seconds", s.HeartbeatIntervalSeconds)
	o.name("server")
	o.buf = s.Server.appendTo(o.buf)
	o.name("client")
	o.buf = s.Client.appendTo(o.buf)
	return appendControl(dst, FrameConnectionState, o.close())
}

// AppendSubscriptionChangedFrame appends the complete frame.
func AppendSubscriptionChangedFrame(dst []byte, s SubscriptionChanged) []byte {
	o := openObject(nil)
	o.rooms(s.Rooms)
	o.str("reason", s.Reason)
	return appendControl(dst, FrameSubscriptionChanged, o.close())
}

// AppendEvictedFrame appends the complete frame.
func AppendEvictedFrame(dst []byte, e Evicted) []byte {
	o := openObject(nil)
	o.str("reason", e.Reason)
	return appendControl(dst, FrameEvicted, o.close())
}

// AppendGapFrame appends the complete frame.
func AppendGapFrame(dst []byte, g Gap) []byte {
	o := openObject(nil)
	o.uint("from_sequence", g.FromSequence)
	o.uint("resumed_at", g.ResumedAt)
	o.str("reason", g.Reason)
	return appendControl(dst, FrameGap, o.close())
}

// AppendKeepalive appends the comment that keeps an idle stream alive.
func AppendKeepalive(dst []byte) []byte { return sse.AppendComment(dst, KeepaliveText) }

// appendControl writes no id: control frames do not move a client's cursor.
func appendControl(dst []byte, event string, data []byte) []byte {
	return sse.Append(dst, sse.Frame{Event: event, Data: data})
}

func (s ServerInfo) appendTo(dst []byte) []byte {
	o := openObject(dst)
	o.optional("version", s.Version)
	o.name("contracts")
	contracts := openObject(o.buf)
	if r, ok := s.Contracts[ContractName]; ok {
		contracts.name(ContractName)
		span := openObject(contracts.buf)
		span.int("speaks", int64(r.Speaks))
		span.int("accepts", int64(r.Accepts))
		contracts.buf = span.close()
	}
	o.buf = contracts.close()
	return o.close()
}

func (c ClientInfo) appendTo(dst []byte) []byte {
	o := openObject(dst)
	o.optionalInt("speaks", c.Speaks)
	o.optionalInt("accepts", c.Accepts)
	o.optional("artifact", c.Artifact)
	o.optional("version", c.Version)
	return o.close()
}

func (o *object) rooms(rooms Rooms) {
	o.name("rooms")
	o.buf = rooms.appendTo(o.buf)
}

// seconds writes a number that always shows a fraction, as the reference
// server's language prints floats.
func (o *object) seconds(name string, value float64) {
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	o.name(name)
	o.buf = append(o.buf, text...)
}
