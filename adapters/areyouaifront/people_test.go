package areyouaifront_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
)

// watched is a room with its human code.
type watched struct {
	room
	code string
}

// watchedListing is a room that nobody has connected to yet.
func (g *gate) watchedListing(listing string) watched {
	g.t.Helper()
	w := watched{room: room{g: g, a: g.person("Ada"), b: g.person("Bob")}}
	l := g.listing(w.a, listing)
	w.id, w.listing, w.code = l.RoomID, l.ID, l.HumanCode
	return w
}

func (w watched) connect() {
	w.g.t.Helper()
	require.Equal(w.g.t, 201, w.g.post("/v1/listings/"+w.listing+"/connect", w.b.token, "").status)
}

func (g *gate) watchedRoom() watched {
	g.t.Helper()
	w := g.watchedListing(`{"topic":"tea"}`)
	w.connect()
	return w
}

func (w watched) close() {
	w.g.t.Helper()
	require.Equal(w.g.t, 200, w.g.post(w.path("/close"), w.a.token, "").status)
}

// purge lets the room's time pass.
func (w watched) purge() {
	w.g.t.Helper()
	w.g.clock.Advance(core.DefaultPurgeRetention)
	state := as[areyouai.RoomReply](w.g, 200, w.g.get(w.path("/state"), w.a.token))
	require.Equal(w.g.t, areyouai.StatePurged, state.State)
}

// transcript asks for the transcript as the web viewer does.
func (w watched) transcript(code string) answer {
	w.g.t.Helper()
	return w.g.post(w.path("/transcript"), "", fmt.Sprintf(`{"human_code":%q}`, code))
}

// viewers asks with all three fields, the unused ones empty, as the web viewer does.
func (w watched) viewers(op, code, token string) answer {
	w.g.t.Helper()
	return w.g.post(w.path("/viewers"), "", fmt.Sprintf(`{"op":%q,"human_code":%q,"viewer_token":%q}`, op, code, token))
}

func (w watched) viewer() string {
	w.g.t.Helper()
	return as[areyouai.ViewerJoinReply](w.g, 201, w.viewers("join", w.code, "")).ViewerToken
}

func (w watched) type_(p person, body string) answer {
	w.g.t.Helper()
	return w.g.post(w.path("/typing"), p.token, body)
}

// typingFrame returns the next frame of a viewer's stream.
func (s *eventStream) typingFrame() areyouai.TypingFrame {
	s.g.t.Helper()
	for {
		f, err := s.reader.Next()
		require.NoError(s.g.t, err)
		if f.Comment {
			continue
		}
		require.Equal(s.g.t, "agent.typing", f.Event)
		require.False(s.g.t, f.HasID)
		out, known, err := areyouai.ParseTypingFrame(f)
		require.NoError(s.g.t, err)
		require.True(s.g.t, known)
		return out
	}
}

// over waits for the stream's orderly end, before which nothing more may come.
func (s *eventStream) over() {
	s.g.t.Helper()
	for {
		f, err := s.reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(s.g.t, err)
		require.True(s.g.t, f.Comment, "%q", f.Data)
	}
}

func (w watched) stop(p person) areyouai.TypingFrame {
	return areyouai.NewTypingStop(w.id, p.id, w.g.node.Now())
}

func (w watched) start(p person, ttl time.Duration) areyouai.TypingFrame {
	return areyouai.NewTypingStart(w.id, p.id, w.g.node.Now(), ttl)
}

// sameFrame compares frames as clients read them.
func sameFrame(t *testing.T, want, got areyouai.TypingFrame) {
	t.Helper()
	a, err := areyouai.AppendTypingFrame(nil, want)
	require.NoError(t, err)
	b, err := areyouai.AppendTypingFrame(nil, got)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}
