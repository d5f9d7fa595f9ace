package core

import (
	"context"
	"fmt"
	"slices"
)

// MaxLoadBytes bounds the contents that one load of documents returns together, in bytes of UTF-8: four documents of the
// largest size. It bounds the memory that a load takes.
const MaxLoadBytes = 4 * MaxDocumentBytes

// LoadedDocument is a document with its content.
type LoadedDocument struct {
	Document
	Content string
}

// LoadDocuments returns documents of a room with their contents, in the order of the ids, for a member. The contents come
// from the log. Errors: [ErrNoRoom], [ErrNotMember]; *[InvalidError] for an unknown document, one whose content was
// erased, more than MaxRoomDocuments ids, and contents of more than MaxLoadBytes together; [ErrDocumentTimeout].
func (n *Node) LoadDocuments(ctx context.Context, agent, room string, ids []string) ([]LoadedDocument, error) {
	return inDocumentTime(ctx, func(ctx context.Context) ([]LoadedDocument, error) {
		if err := n.checkMember(agent, room); err != nil {
			return nil, err
		}
		out, err := n.documents(ctx, room, ids)
		if err != nil || len(out) == 0 {
			return out, err
		}
		return out, n.HistoryOf(room).fillContents(ctx, out)
	})
}

// documents finds documents by their ids, without contents.
func (n *Node) documents(ctx context.Context, room string, ids []string) (out []LoadedDocument, err error) {
	if len(ids) > MaxRoomDocuments {
		return nil, &InvalidError{
			Field: "ids", Reason: fmt.Sprintf("at most %d documents can be loaded at once", MaxRoomDocuments),
		}
	}
	viewErr := n.ViewRoom(ctx, room, func(r *Room) {
		for _, id := range ids {
			d, ok := r.document(id)
			if !ok {
				err = noDocument("ids", id)
				return
			}
			out = append(out, LoadedDocument{Document: d})
		}
	})
	return out, firstError(viewErr, err)
}

// fillContents reads the contents of documents. Each event is read once, however often its document is asked for, and
// what lies between two marks is passed through once.
func (h History) fillContents(ctx context.Context, docs []LoadedDocument) error {
	byVersion := map[uint64][]int{}
	var versions []uint64
	for i, d := range docs {
		if byVersion[d.Version] == nil {
			versions = append(versions, d.Version)
		}
		byVersion[d.Version] = append(byVersion[d.Version], i)
	}
	slices.Sort(versions)
	total := 0
	return h.eachAt(ctx, versions, func(rec *Recorded) error {
		places := byVersion[rec.Version]
		content, err := contentOf(rec, docs[places[0]].ID)
		if err != nil {
			return err
		}
		if total += len(content) * len(places); total > MaxLoadBytes {
			return &InvalidError{Field: "ids", Reason: fmt.Sprintf(
				"these documents have more than %d bytes of content together, the most that is loaded at once: ask for fewer",
				MaxLoadBytes)}
		}
		for _, i := range places {
			docs[i].Content = content
		}
		return nil
	})
}

// contentOf takes a document's content out of the event that carries it.
func contentOf(rec *Recorded, document string) (string, error) {
	if rec.Erased {
		return "", &InvalidError{Field: "ids", Reason: fmt.Sprintf("the content of document %.300q was erased", document)}
	}
	if err := rec.decode(); err != nil {
		return "", err
	}
	switch e := rec.Payload.(type) {
	case *DocumentCreatedEvent:
		return e.Content, nil
	case *DocumentChangedEvent:
		if e.Content != nil {
			return *e.Content, nil
		}
	}
	return "", fmt.Errorf("event %d of %s carries no content of document %s: %w", rec.Version, rec.Stream, document, ErrCorrupt)
}

// eachAt calls fn with the events of these versions, which rise. Those between are read over and not decoded.
func (h History) eachAt(ctx context.Context, versions []uint64, fn func(*Recorded) error) error {
	for len(versions) > 0 {
		rest, err := h.eachFrom(ctx, versions, fn)
		if err != nil {
			return err
		}
		versions = rest
	}
	return nil
}

// eachFrom begins at the mark before the first version and returns the versions that lie beyond another mark.
func (h History) eachFrom(ctx context.Context, versions []uint64, fn func(*Recorded) error) (rest []uint64, err error) {
	from, _, err := h.seek(ctx, func(m mark) bool { return m.Version < versions[0] })
	if err != nil {
		return nil, err
	}
	for rec, err := range h.node.log.Read(ctx, h.stream, from.Position) {
		switch {
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", h.stream, err)
		case rec.Version < versions[0]:
			continue
		case rec.Version > versions[0]:
			return nil, fmt.Errorf("event %d of %s is missing: %w", versions[0], h.stream, ErrCorrupt)
		}
		if err := fn(&rec); err != nil {
			return nil, err
		}
		if versions = versions[1:]; len(versions) == 0 || VersionCount(versions[0])-VersionCount(rec.Version) > markEvery {
			return versions, nil
		}
	}
	return nil, fmt.Errorf("event %d of %s is missing: %w", versions[0], h.stream, ErrCorrupt)
}
