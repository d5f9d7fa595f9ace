package operations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stele/core"
	"stele/internal/isotime"
)

type readContextArgs struct {
	Limit  int     `op:"limit,default=50"`
	Since  *string `op:"since,default=null"`
	Before *string `op:"before,default=null"`
}

// Bounds of one answer; a longer history is read in pages.
const (
	maxContextEntries = 5_000
	maxContextBytes   = 8 << 20
)

// ContextEntry is one thing that happened in a room, as read_context shows it.
type ContextEntry struct {
	ID         string  `json:"id"`
	Kind       string  `json:"kind"`
	Sender     *string `json:"sender"`
	SenderName *string `json:"sender_name"`
	Body       *string `json:"body"`
	Timestamp  *int64  `json:"timestamp"`
	// Attachments is nil on a stub only.
	Attachments *[]Attachment `json:"attachments,omitempty"`
	// Elided marks a root that could not be found.
	Elided bool `json:"elided,omitempty"`
}

// Attachment is a file that belongs to a message.
type Attachment struct {
	Filename string `json:"filename"`
	Mimetype string `json:"mimetype"`
	Size     int64  `json:"size"`
	MXC      string `json:"mxc"`
	Msgtype  string `json:"msgtype"`
}

// ContextThread is a message with its replies, oldest first.
type ContextThread struct {
	Root    ContextEntry   `json:"root"`
	Replies []ContextEntry `json:"replies"`
}

// Context is the answer to read_context.
type Context struct {
	Threads         []ContextThread `json:"threads"`
	Truncated       bool            `json:"truncated"`
	OldestTimestamp *int64          `json:"oldest_timestamp"`
}

func readContext() *operation {
	return define("read_context",
		"Read what was said in the current room, as threads: each root message with its replies, threads with the latest "+
			"activity last. limit counts the newest messages and arrivals to return. since (inclusive) and before "+
			"(exclusive) bound the time, as ISO 8601 such as 2026-01-31T12:00:00Z; without a zone they are UTC. truncated "+
			"tells that there may be older ones: ask again with before set to the time of oldest_timestamp (which is in "+
			"milliseconds since 1970; convert it to ISO 8601).",
		func(ctx context.Context, r *Registry, c Caller, a readContextArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			since, err := bound("since", a.Since)
			if err != nil {
				return nil, err
			}
			before, err := bound("before", a.Before)
			if err != nil {
				return nil, err
			}
			if a.Limit <= 0 {
				return Context{Threads: []ContextThread{}, Truncated: true}, nil
			}
			if a.Before != nil && before.IsZero() {
				// To the log the zero time means no bound; nothing was said before the year 1.
				return Context{Threads: []ContextThread{}}, nil
			}
			entries, truncated, err := r.window(ctx, room, min(a.Limit, maxContextEntries), since, before)
			if err != nil {
				return nil, err
			}
			return r.threads(ctx, room, entries, truncated)
		})
}

func bound(name string, text *string) (time.Time, error) {
	if text == nil {
		return time.Time{}, nil
	}
	if t, ok := isotime.Parse(*text); ok {
		return t, nil
	}
	return time.Time{}, &ArgumentError{
		Names:  []string{name},
		Reason: fmt.Sprintf("argument %q must be a time in ISO 8601, such as 2026-01-31T12:00:00Z", name),
	}
}

// found is an entry with the id of the root it belongs under.
type found struct {
	ContextEntry
	root string
}

// window walks back from before and returns up to limit entries, oldest first.
func (r *Registry) window(ctx context.Context, room string, limit int, since, before time.Time) (out []found, truncated bool, err error) {
	size := 0
	for e, err := range r.node.HistoryOf(room).Back(ctx, before) {
		if err != nil {
			return nil, false, err
		}
		if !since.IsZero() && e.At.Before(since) {
			break
		}
		f, ok := show(e)
		if !ok {
			continue
		}
		out = append(out, f)
		size += len(*f.Body)
		if len(out) == limit || size > maxContextBytes {
			truncated = true
			break
		}
	}
	slices.Reverse(out)
	return out, truncated, nil
}

// show turns an event into an entry, if it is one that people read.
func show(e *core.Entry) (found, bool) {
	at := e.At.UnixMilli()
	entry := ContextEntry{Kind: "message", Timestamp: &at, Attachments: &[]Attachment{}}
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		words := p.Words()
		entry.ID, entry.Sender, entry.SenderName, entry.Body = p.ID, &p.Sender, &p.SenderName, &words
		entry.Attachments = attachments(p)
		if p.Thread != "" {
			return found{entry, p.Thread}, true
		}
	case *core.MemberJoinedEvent:
		name := p.DisplayName()
		body := name + " joined the room"
		entry.ID, entry.Kind, entry.Sender, entry.SenderName, entry.Body = core.EventID(e), "room_join", &p.Agent, &name, &body
	default:
		notice, ok := core.NoticeOf(e)
		if !ok {
			return found{}, false
		}
		sender := core.SystemSender
		entry.ID, entry.Sender, entry.SenderName, entry.Body = notice.ID, &sender, &sender, &notice.Text
	}
	return found{entry, entry.ID}, true
}

// attachments shows the files of a message.
func attachments(p *core.MessagePostedEvent) *[]Attachment {
	out := make([]Attachment, len(p.Attachments))
	for i, a := range p.Attachments {
		out[i] = Attachment{
			Filename: a.Filename, Mimetype: a.Type, Size: a.Size, MXC: core.MediaURI(a.Media), Msgtype: msgtype(a.Type),
		}
	}
	return &out
}

// msgtype is the kind of message that a file makes (Switch protocol: attachments).
func msgtype(mimetype string) string {
	if strings.HasPrefix(mimetype, "image/") {
		return "m.image"
	}
	return "m.file"
}

// threads groups the entries under their roots. A root outside the window is fetched; one that cannot be found is a stub.
func (r *Registry) threads(ctx context.Context, room string, entries []found, truncated bool) (Context, error) {
	out := Context{Threads: []ContextThread{}, Truncated: truncated}
	if len(entries) > 0 {
		out.OldestTimestamp = entries[0].Timestamp
	}
	byRoot := map[string]*ContextThread{}
	latest := map[string]int{}
	for i, e := range entries {
		t := byRoot[e.root]
		if t == nil {
			t = &ContextThread{Replies: []ContextEntry{}}
			byRoot[e.root] = t
			if e.ID != e.root {
				root, err := r.root(ctx, room, e.root)
				if err != nil {
					return Context{}, err
				}
				t.Root = root
			}
		}
		latest[e.root] = i
		if e.ID == e.root {
			t.Root = e.ContextEntry
		} else {
			t.Replies = append(t.Replies, e.ContextEntry)
		}
	}
	roots := make([]string, 0, len(byRoot))
	for id := range byRoot {
		roots = append(roots, id)
	}
	slices.SortFunc(roots, func(a, b string) int { return latest[a] - latest[b] })
	for _, id := range roots {
		out.Threads = append(out.Threads, *byRoot[id])
	}
	return out, nil
}

func (r *Registry) root(ctx context.Context, room, id string) (ContextEntry, error) {
	e, _, err := r.node.HistoryOf(room).Message(ctx, id)
	if errors.Is(err, core.ErrNoMessage) {
		return ContextEntry{ID: id, Kind: "message", Elided: true}, nil
	}
	if err != nil {
		return ContextEntry{}, err
	}
	f, _ := show(e)
	return f.ContextEntry, nil
}
