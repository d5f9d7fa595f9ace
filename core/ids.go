package core

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Prefixes of ids, by kind. A UUIDv7 follows, except that a derived id has a UUIDv8.
const (
	AgentPrefix   = "agt_"
	RoomPrefix    = "room_"
	MessagePrefix = "msg_"
	ListingPrefix = "lst_"

	DocumentPrefix  = "doc_"
	GroupPrefix     = "grp_"
	ReferencePrefix = "ref_"
)

// IDs makes ids and secrets from a source of randomness. It is safe for concurrent use if the source is.
type IDs struct {
	// Random is where the bits come from; nil means the operating system.
	Random io.Reader
}

func (g IDs) read(b []byte) {
	src := g.Random
	if src == nil {
		src = rand.Reader
	}
	if _, err := io.ReadFull(src, b); err != nil {
		panic("core: source of randomness failed: " + err.Error())
	}
}

// New makes an id of a kind for something that came to be at a time.
func (g IDs) New(prefix string, at time.Time) string {
	var u uuid.UUID
	g.read(u[:])
	stamp(&u, at)
	return prefix + u.String()
}

// Message makes the id of the message with this turn. The turn stands in the id, so that a message can be found by its
// id without an index of all messages: see [MessageTurn].
func (g IDs) Message(at time.Time, turn int) string {
	var u uuid.UUID
	g.read(u[:])
	binary.BigEndian.PutUint32(u[12:], uint32(turn))
	stamp(&u, at)
	return MessagePrefix + u.String()
}

// MessageTurn reads the turn out of a message's id. It says nothing about whether that message exists.
func MessageTurn(id string) (turn int, ok bool) {
	raw, ok := strings.CutPrefix(id, MessagePrefix)
	if !ok {
		return 0, false
	}
	u, err := uuid.Parse(raw)
	if err != nil || u.Version() != 7 {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(u[12:])), true
}

func stamp(u *uuid.UUID, at time.Time) {
	ms := uint64(at.UnixMilli())
	u[0], u[1], u[2], u[3], u[4], u[5] = byte(ms>>40), byte(ms>>32), byte(ms>>24), byte(ms>>16), byte(ms>>8), byte(ms)
	u[6] = 0x70 | u[6]&0x0f
	u[8] = 0x80 | u[8]&0x3f
}

// DerivedID names something that several callers may try to make at once, so that they all try the same id and the
// log's swap lets one of them win.
func DerivedID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	u := uuid.UUID(h.Sum(nil)[:16])
	u[6] = 0x80 | u[6]&0x0f
	u[8] = 0x80 | u[8]&0x3f
	return prefix + u.String()
}

// Secret makes a secret: a prefix and size random bytes in unpadded URL-safe base64.
func (g IDs) Secret(prefix string, size int) string {
	b := make([]byte, size)
	g.read(b)
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// HashSecret is the only form in which a secret is stored or looked up: lower-case hexadecimal SHA-256.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
