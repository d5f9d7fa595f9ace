package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Bounds of an import. It is one atomic unit of the log, so it is held in memory whole.
const (
	// MaxImportEvents bounds the events of a room that is imported.
	MaxImportEvents = 500_000
	// maxImportID bounds the ids in it, which may be of any form.
	maxImportID = 512
	// importSkew is how far a clock elsewhere may be ahead of this node's.
	importSkew = time.Minute
)

// ImportedEvent is an event as it was written elsewhere. The import may change its payload.
type ImportedEvent struct {
	// Line is where it stands in its file, counted from 1; 0 if that means nothing.
	Line    int
	At      time.Time
	Payload Payload
	// Erased: its content was destroyed there.
	Erased bool
}

// ImportRoom makes a room of a history that was written elsewhere. The zero value of each optional field is the default
// named.
type ImportRoom struct {
	// Events are the room's whole history, beginning with its creation.
	Events []ImportedEvent
	// From names the form in which it came.
	From string
	// Name is what the room is called here, if not as its creation says. It makes no other content of it.
	Name string
	// Owner is whose room it becomes; empty: nobody's.
	Owner string
	// KeepID gives the room the id that it had, which must be free here. Otherwise it gets another one.
	KeepID bool
	// Again imports also what was imported before.
	Again bool
	// Reopen takes back that the room was closed.
	Reopen bool
	// People says who of those that took part is which agent here: ids, handles or names there to ids or handles here. An
	// agent that is here by the same id is itself.
	People map[string]string
	// MatchHandles takes whoever took part for the agent here that has the same handle.
	MatchHandles bool
	// Media are the contents of attachments that came along and lie in the media store, by the ids that they had.
	Media map[string]Media
	// HumanCodeHash, if set, is the SHA-256 of a code with which people may watch it, as in [CreateRoom].
	HumanCodeHash string
}

// RoomImported is the answer to ImportRoom.
type RoomImported struct {
	Room  string    `json:"room"`
	Name  string    `json:"name"`
	State RoomState `json:"state"`
	// Events and Messages count what the room begins with here, First and Last are when it was said.
	Events   int       `json:"events"`
	Messages int       `json:"messages"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	// Members are the agents here that are members; Absent are members there that are nobody here.
	Members []string `json:"members"`
	Absent  []string `json:"absent"`
	// Backwards counts the events that are older than the one before them. They kept their places and their times.
	Backwards int `json:"backwards,omitempty"`
	// LeftOut counts what could not be kept, by what it is.
	LeftOut map[string]int `json:"left_out,omitempty"`
}

// ImportError: an event cannot be imported, so nothing was.
type ImportError struct {
	// Line is as in [ImportedEvent], Number counts the events from 1.
	Line, Number int
	Err          error
}

func (e *ImportError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Err)
	}
	return fmt.Sprintf("event %d: %s", e.Number, e.Err)
}

// Unwrap returns why.
func (e *ImportError) Unwrap() error { return e.Err }

// AlreadyImportedError: the same content was imported before.
type AlreadyImportedError struct {
	// Room is what it became.
	Room string
}

func (e *AlreadyImportedError) Error() string {
	return fmt.Sprintf("this was imported before and is room %s", e.Room)
}

// ImportRoom makes a room of what was written elsewhere, all of it or nothing. Times and order stay. Nobody is told of it:
// for the agents that become members the history lies before their joining. Errors: *[ImportError] for an event that cannot
// be, *[AlreadyImportedError], [ErrRoomExists] for an id that is to be kept and is taken, *[InvalidError], [ErrNoAgent].
func (n *Node) ImportRoom(ctx context.Context, cmd ImportRoom) (RoomImported, error) {
	now := n.now()
	out, err := cmd.check(now)
	if err != nil {
		return RoomImported{}, err
	}
	hash, err := cmd.hash()
	if err != nil {
		return RoomImported{}, err
	}
	// Not before: the same content has the same hash whenever it comes.
	cmd.notAhead(now)
	release, err := n.keys.hold(ctx, "import\x00"+hash)
	if err != nil {
		return RoomImported{}, err
	}
	defer release()
	if room, found := n.index.importOf(hash); found && !cmd.Again {
		return RoomImported{}, &AlreadyImportedError{Room: room}
	}
	out.Members, out.Absent = []string{}, []string{}
	made := cmd.Events[0].Payload.(*RoomCreatedEvent)
	if cmd.Name != "" {
		made.Name, out.Name = cmd.Name, cmd.Name
	}
	id := DerivedID(RoomPrefix, "import", hash)
	switch {
	case cmd.KeepID:
		if id = made.ID; !isRoomID(id) {
			return RoomImported{}, &InvalidError{Field: "id", Reason: "is of a form that no room has here, and cannot be kept"}
		}
	case cmd.Again:
		id = n.ids.New(RoomPrefix, now)
	}
	plan := importPlan{node: n, cmd: &cmd, id: id, hash: hash, now: now, out: &out}
	if err := plan.make(); err != nil {
		return RoomImported{}, err
	}
	_, _, err = onRoom(ctx, n, id, bringRoom{events: cmd.Events, code: cmd.HumanCodeHash}, nil)
	if errors.Is(err, ErrRoomExists) && !cmd.KeepID && !cmd.Again {
		return RoomImported{}, &AlreadyImportedError{Room: id}
	}
	return out, err
}

// isRoomID tells whether an id could have been made here.
func isRoomID(id string) bool {
	raw, ok := strings.CutPrefix(id, RoomPrefix)
	u, err := uuid.Parse(raw)
	return ok && err == nil && u.String() == raw
}

// bringRoom is the command of the room.
type bringRoom struct {
	events []ImportedEvent
	code   string
}

func (c bringRoom) decide(r *Room, env Env) ([]Payload, struct{}, error) {
	if r.Exists() {
		return nil, struct{}{}, ErrRoomExists
	}
	out := make([]Payload, len(c.events))
	for i, e := range c.events {
		out[i] = dated{Payload: e.Payload, at: e.At}
	}
	made := *c.events[0].Payload.(*RoomCreatedEvent)
	imported := *made.Imported
	imported.At = env.Now
	made.Imported = &imported
	if c.code != "" {
		made.HumanCodeHash, made.HumanCodeUntil = c.code, env.Now.Add(env.Lives.HumanCode)
	}
	out[0] = dated{Payload: &made, at: c.events[0].At}
	return out, struct{}{}, nil
}

// hash is the SHA-256 of the events in the log's own words.
func (c *ImportRoom) hash() (string, error) {
	h := newContentHash()
	var line []byte
	for i, e := range c.Events {
		entry := Entry{Recorded: Recorded{
			Event:  Event{Kind: e.Payload.Kind(), Version: uint64(i + 1), At: e.At, Payload: e.Payload},
			Stream: RoomStream(RoomPrefix), Erased: e.Erased,
		}}
		var err error
		if line, err = entry.AppendPlain(line[:0]); err != nil {
			return "", &ImportError{Line: e.Line, Number: i + 1, Err: err}
		}
		h.add(line)
	}
	return h.sum(), nil
}

// checkImportID refuses what cannot be the id of something.
func checkImportID(field, id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return &InvalidError{Field: field, Reason: "must not be blank"}
	case !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl):
		return &InvalidError{Field: field, Reason: "must be text without control characters"}
	}
	return checkBytes(field, id, maxImportID)
}

// count adds to what was left out.
func (o *RoomImported) count(what string, n int) {
	if n > 0 {
		set(&o.LeftOut, what, o.LeftOut[what]+n)
	}
}

// span notes when the events happened.
func (o *RoomImported) span(events []ImportedEvent) {
	first, last := events[0].At, events[0].At
	for _, e := range events {
		if e.At.Before(first) {
			first = e.At
		}
		if e.At.After(last) {
			last = e.At
		}
	}
	o.Events, o.First, o.Last = len(events), first, last
	slices.Sort(o.Members)
	slices.Sort(o.Absent)
}
