package areyouaifront

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/areyouai"
	"stele/core"
	"stele/internal/strictjson"
)

// maxAuditRoom bounds the room of an entry in bytes: it may be whatever a caller wrote into a path.
const maxAuditRoom = 64

// audit keeps the newest things that an operator may want to see, in memory, on this node. It is safe for concurrent use.
// No secret and no message goes in.
type audit struct {
	now func() time.Time
	// messages tells how many messages a room has.
	messages func(room string) int64

	mu sync.Mutex
	// ring holds entry number n at place (n-1) modulo its length.
	ring  [areyouai.MaxAdminAudit]areyouai.AuditEntry
	added int64
	// purgesSeen is the time of the newest purge that was noted.
	purgesSeen time.Time
}

// newAudit begins with what happens from now on.
func newAudit(node *core.Node) *audit {
	return &audit{now: node.Now, purgesSeen: node.Now(), messages: func(room string) int64 {
		sum, _ := node.Room(room)
		return int64(sum.Turn)
	}}
}

// add notes an event, with the room that it is about, "" if none. What meta holds must be writable as JSON.
func (a *audit) add(event areyouai.AuditEvent, room string, meta map[string]any) {
	text := "{}"
	if len(meta) > 0 {
		// A meta that cannot be written is a mistake in this package, and no reason to fail a request.
		if b, err := strictjson.Marshal(meta); err == nil {
			text = string(b)
		}
	}
	room = strings.ToValidUTF8(room[:min(len(room), maxAuditRoom)], "")
	e := areyouai.AuditEntry{
		RoomID: room, Event: event, Meta: text, MessageCount: a.messages(room), CreatedAt: areyouai.NewTime(a.now()),
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(e)
}

// put gives the entry its number. It wants the lock.
func (a *audit) put(e areyouai.AuditEntry) {
	a.added++
	e.ID = a.added
	a.ring[(a.added-1)%int64(len(a.ring))] = e
}

// notePurges adds the purges since the last call: they are the core's doing and pass through no route.
func (a *audit) notePurges(rooms []core.Summary) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fresh := slices.DeleteFunc(slices.Clone(rooms), func(s core.Summary) bool { return !s.PurgedAt.After(a.purgesSeen) })
	slices.SortStableFunc(fresh, func(x, y core.Summary) int { return x.PurgedAt.Compare(y.PurgedAt) })
	for _, s := range fresh {
		a.put(areyouai.AuditEntry{
			RoomID: s.ID, Event: areyouai.AuditRoomPurged, Meta: "{}", MessageCount: int64(s.Turn),
			CreatedAt: areyouai.NewTime(s.PurgedAt),
		})
		a.purgesSeen = s.PurgedAt
	}
}

// newest returns what is kept, the newest first.
func (a *audit) newest() []areyouai.AuditEntry {
	a.mu.Lock()
	defer a.mu.Unlock()
	size := int64(len(a.ring))
	out := make([]areyouai.AuditEntry, 0, min(a.added, size))
	for n := a.added; n > 0 && n > a.added-size; n-- {
		out = append(out, a.ring[(n-1)%size])
	}
	slices.SortStableFunc(out, func(x, y areyouai.AuditEntry) int {
		return cmp.Compare(y.CreatedAt.UnixMilli(), x.CreatedAt.UnixMilli())
	})
	return out
}
