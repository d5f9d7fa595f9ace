package core

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"
)

// DeliveryPrefix begins the id of a delivery.
const DeliveryPrefix = "dly_"

// DeliveryKind says what an agent is told.
type DeliveryKind string

// The kinds of delivery.
const (
	TurnReady      DeliveryKind = "turn_ready"
	RoomWasClosed  DeliveryKind = "room_closed"
	RoomWasPurged  DeliveryKind = "room_purged"
	activated                   = "room_activated"
	peerSpoke                   = "peer_message"
	deliveryIDSize              = 8 + 6 + 7
)

// Delivery tells an agent that it is its turn, or that a room of it ended. Deliveries are derived from the rooms' events:
// one that the next event of the room makes stale is withdrawn in the very unit that has the event. The agent says with
// an acknowledgement, an event of its own stream, that it has one.
type Delivery struct {
	// Position is that of the event it was made for, and its place among the agent's deliveries.
	Position Position     `json:"position"`
	Kind     DeliveryKind `json:"kind"`
	Room     string       `json:"room"`
	State    RoomState    `json:"state"`
	// Turn and Next: the turn that waits and whose it is, in one of the kind TurnReady.
	Turn int    `json:"turn,omitempty"`
	Next string `json:"next,omitempty"`
	// Reason is why: "room_activated" or "peer_message" for a turn, else why the room ended.
	Reason string `json:"reason"`
	// At is when it happened. It can be received before Until, which depends on the [Lives] of the node that derived it; none
	// in one from an older snapshot.
	At       time.Time `json:"at"`
	Until    time.Time `json:"until,omitzero"`
	ClosedAt time.Time `json:"closed_at"`
	PurgedAt time.Time `json:"purged_at"`

	withdrawn bool
}

// Expires is when it can no longer be received.
func (d *Delivery) Expires() time.Time { return endOf(d.At, d.Until) }

// endOf is the end of a delivery made at a time. Those from before ends were written down had the default life.
func endOf(at, until time.Time) time.Time {
	if until.IsZero() {
		return at.Add(DeliveryLife)
	}
	return until
}

// ID is the delivery's name towards one agent.
func (d *Delivery) ID(agent string) string { return deliveryID(agent, d.Position, d.At) }

// deliveryID makes an id that tells by itself where and when the delivery was made and to whom, so that an acknowledgement of
// one that was withdrawn or forgotten is still known for what it is.
func deliveryID(agent string, p Position, at time.Time) string {
	var b [deliveryIDSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(p))
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(b[8:], ms[2:])
	copy(b[14:], deliveryTag(agent, b[:14]))
	return DeliveryPrefix + base64.RawURLEncoding.EncodeToString(b[:])
}

func deliveryTag(agent string, place []byte) []byte {
	h := sha256.New()
	h.Write([]byte(agent))
	h.Write(place)
	return h.Sum(nil)[:7]
}

// DeliveryMadeAt tells when a delivery was made, to the millisecond, as its id says by itself; false for an id that is not of
// a delivery to the agent.
func DeliveryMadeAt(agent, delivery string) (time.Time, bool) {
	_, at, ok := parseDeliveryID(agent, delivery)
	return at, ok
}

// parseDeliveryID reads an id that was made for the agent; false for any other.
func parseDeliveryID(agent, id string) (p Position, at time.Time, ok bool) {
	raw, ok := strings.CutPrefix(id, DeliveryPrefix)
	if !ok || len(raw) != base64.RawURLEncoding.EncodedLen(deliveryIDSize) {
		return 0, time.Time{}, false
	}
	b, err := base64.RawURLEncoding.DecodeString(raw)
	if err != nil || string(deliveryTag(agent, b[:14])) != string(b[14:]) {
		return 0, time.Time{}, false
	}
	var ms [8]byte
	copy(ms[2:], b[8:14])
	return Position(binary.BigEndian.Uint64(b)), time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:]))).UTC(), true
}
