package archive

import (
	"fmt"
	"time"

	"stele/core"
)

// Form is what a file is.
type Form string

// The forms that [Read] takes.
const (
	// Stele is what [Write] writes.
	Stele Form = "stele"
	// Areyouai is the answer of the transcript route.
	Areyouai Form = "areyouai"
	// Switch is the answer of read_context, by itself or under "result".
	Switch Form = "switch"
	// Edge is frames of an edge socket, one per line, of which those of the kind messages count.
	Edge Form = "edge"
)

// Forms lists the forms.
func Forms() []Form { return []Form{Stele, Areyouai, Switch, Edge} }

// format is the version of the file format. A program reads its own and those before it.
const format = 1

// Bounds of a file.
const (
	// MaxLine bounds a line: the largest document, with every character escaped.
	MaxLine = 16 << 20
	// MaxEvents bounds all lines with events together, in bytes.
	MaxEvents = 256 << 20
	// MaxForeign bounds a file of another form, which is one JSON document.
	MaxForeign = 64 << 20
	// part is how many bytes of content a line carries.
	part = 384 << 10
)

// The words that lines begin with that are no events.
const (
	markRoom  = "room"
	markMedia = "media"
	markPart  = "part"
	markEnd   = "end"
)

// markPrefix begins every line that is no event.
const markPrefix = `{"stele":`

// header is the first line.
type header struct {
	Stele  string `json:"stele"`
	Format int    `json:"format"`
	// Log is the identity of the log from which it came.
	Log        string    `json:"log"`
	ExportedAt time.Time `json:"exported_at"`
	// Events is how many follow, Media tells that contents of attachments follow them.
	Events uint64 `json:"events"`
	Media  bool   `json:"media"`
	// Erased tells that the room was purged: only what is left of it is here.
	Erased bool     `json:"erased,omitempty"`
	Room   roomHead `json:"room"`
}

// roomHead is what people want to know of a room before they read its events.
type roomHead struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	State     core.RoomState `json:"state"`
	Floor     core.Floor     `json:"floor"`
	Messages  int            `json:"messages"`
	CreatedAt time.Time      `json:"created_at"`
	ClosedAt  *time.Time     `json:"closed_at,omitempty"`
	PurgedAt  *time.Time     `json:"purged_at,omitempty"`
	Members   []memberHead   `json:"members"`
	Documents []documentHead `json:"documents,omitempty"`
}

type memberHead struct {
	Agent  string `json:"agent"`
	Name   string `json:"name"`
	Handle string `json:"handle,omitempty"`
	Side   string `json:"side,omitempty"`
}

type documentHead struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// mediaLine begins the content of an attachment; as many parts follow as its size needs.
type mediaLine struct {
	Stele string `json:"stele"`
	ID    string `json:"id"`
	Size  int64  `json:"size"`
}

type partLine struct {
	Stele string `json:"stele"`
	Data  []byte `json:"data"`
}

// trailer is the last line. Its hash is that of all lines before it with their ends.
type trailer struct {
	Stele  string `json:"stele"`
	Events uint64 `json:"events"`
	Media  int    `json:"media"`
	SHA256 string `json:"sha256"`
}

// LineError: a line is not what it should be, and nothing of the file was used.
type LineError struct {
	// Line counts from 1.
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }
