package core

import (
	"maps"
	"strings"
	"time"
)

const viewersPrefix = "viewers/"

// ViewersStream is the stream of the people that watch a room. It is apart from the room's, because what they do is no event
// of the conversation.
func ViewersStream(room string) Stream { return Stream(viewersPrefix + room) }

// viewersRoom returns the room's id if the stream is one of viewers.
func (s Stream) viewersRoom() (string, bool) { return strings.CutPrefix(string(s), viewersPrefix) }

// ViewerJoinedEvent: somebody with the room's code watches from now on.
type ViewerJoinedEvent struct {
	// Hash is the SHA-256 of the viewer's token.
	Hash string `json:"hash"`
}

// Kind implements [Payload].
func (e *ViewerJoinedEvent) Kind() Kind                 { return ViewerJoined }
func (e *ViewerJoinedEvent) parts() (body, content any) { return e, nil }

// ViewerLeftEvent: a viewer said goodbye.
type ViewerLeftEvent struct {
	Hash string `json:"hash"`
}

// Kind implements [Payload].
func (e *ViewerLeftEvent) Kind() Kind                 { return ViewerLeft }
func (e *ViewerLeftEvent) parts() (body, content any) { return e, nil }

// MaxViewers is how many people may have joined a room's viewers, those that left included.
const MaxViewers = 10_000

// Gallery is what a room's stream of viewers folds to.
type Gallery struct {
	Version uint64 `json:"version"`
	// Viewers by the hash of their token.
	Viewers map[string]Viewer `json:"viewers,omitempty"`
}

// Viewer is a person that watches a room.
type Viewer struct {
	JoinedAt time.Time `json:"joined_at"`
	Left     bool      `json:"left,omitempty"`
}

// Apply folds one event into the gallery.
func (g *Gallery) Apply(rec *Recorded) {
	g.Version = rec.Version
	switch e := rec.Payload.(type) {
	case *ViewerJoinedEvent:
		set(&g.Viewers, e.Hash, Viewer{JoinedAt: rec.At})
	case *ViewerLeftEvent:
		v := g.Viewers[e.Hash]
		v.Left = true
		set(&g.Viewers, e.Hash, v)
	}
}

// Clone returns a gallery that shares nothing that Apply changes.
func (g *Gallery) Clone() *Gallery {
	return &Gallery{Version: g.Version, Viewers: maps.Clone(g.Viewers)}
}

func (g *Gallery) version() uint64 { return g.Version }

type joinViewers struct{ hash string }

func (c joinViewers) decide(g *Gallery, _ Env) ([]Payload, struct{}, error) {
	if len(g.Viewers) >= MaxViewers {
		return nil, struct{}{}, full("viewers", "viewers", MaxViewers)
	}
	return []Payload{&ViewerJoinedEvent{Hash: c.hash}}, struct{}{}, nil
}

type leaveViewers struct{ hash string }

func (c leaveViewers) decide(g *Gallery, _ Env) ([]Payload, struct{}, error) {
	v, ok := g.Viewers[c.hash]
	switch {
	case !ok:
		return nil, struct{}{}, ErrNoViewer
	case v.Left:
		return nil, struct{}{}, nil
	}
	return []Payload{&ViewerLeftEvent{Hash: c.hash}}, struct{}{}, nil
}
