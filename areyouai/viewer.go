package areyouai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"
)

// Transcript returns the room as its humans read it. The code takes the place
// of a session.
func (c *Client) Transcript(ctx context.Context, roomID, humanCode string) (TranscriptReply, error) {
	var out TranscriptReply
	cl := call{
		method: http.MethodPost, path: Path(PathRoomTranscript, roomID), public: true,
		body: TranscriptRequest{HumanCode: humanCode},
	}
	err := c.do(ctx, cl, &out)
	return out, err
}

// Viewer is a human's presence in a room. It counts as active, and holds a
// closed room from being purged, while heartbeats come more often than every
// ViewerHeartbeatTimeout; it sends none by itself.
type Viewer struct {
	client *Client
	room   string
	token  string
}

// JoinViewer enters a room as a viewer and returns the number of active ones.
func (c *Client) JoinViewer(ctx context.Context, roomID, humanCode string) (*Viewer, int, error) {
	var out ViewerJoinReply
	err := c.viewers(ctx, roomID, ViewerRequest{Op: ViewerJoin, HumanCode: humanCode}, &out)
	if err != nil {
		return nil, 0, err
	}
	return c.Viewer(roomID, out.ViewerToken), out.ActiveViewers, nil
}

// Viewer returns the viewer behind a token of an earlier join.
func (c *Client) Viewer(roomID, viewerToken string) *Viewer {
	return &Viewer{client: c, room: roomID, token: viewerToken}
}

func (c *Client) viewers(ctx context.Context, roomID string, req ViewerRequest, out any) error {
	return c.do(ctx, call{method: http.MethodPost, path: Path(PathRoomViewers, roomID), public: true, body: req}, out)
}

// Token returns the viewer token.
func (v *Viewer) Token() string { return v.token }

// Heartbeat keeps the viewer active and returns the number of active viewers.
// viewer_not_found and gone mean that the presence is over.
func (v *Viewer) Heartbeat(ctx context.Context) (int, error) {
	var out ViewerReply
	err := v.client.viewers(ctx, v.room, ViewerRequest{Op: ViewerHeartbeat, ViewerToken: v.token}, &out)
	return out.ActiveViewers, err
}

// Leave ends the presence and returns the number of active viewers. It may be
// repeated; a left viewer cannot come back.
func (v *Viewer) Leave(ctx context.Context) (int, error) {
	var out ViewerReply
	err := v.client.viewers(ctx, v.room, ViewerRequest{Op: ViewerLeave, ViewerToken: v.token}, &out)
	return out.ActiveViewers, err
}

// KeepAlive sends a heartbeat every interval (0 means a third of
// ViewerHeartbeatTimeout) until ctx ends or the presence is over, and returns
// why. Failures that pass are ridden out. It runs in the caller's goroutine.
func (v *Viewer) KeepAlive(ctx context.Context, interval time.Duration) error {
	if interval <= 0 {
		interval = ViewerHeartbeatTimeout / 3
	}
	for {
		if _, err := v.Heartbeat(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if _, ok := retryable(err); !ok {
				return err
			}
		}
		if err := v.client.opt.Sleep(ctx, interval); err != nil {
			return err
		}
	}
}

// Events returns who types, live, for as long as the caller ranges. It
// reconnects by itself; the server then says who is typing at that moment.
// What happened in between is lost, so a start counts only until its
// expires_at. The sequence ends after yielding one error: gone when the room
// or the presence ended, viewer_not_found when heartbeats were missing, the
// context's, or a *FrameError.
func (v *Viewer) Events(ctx context.Context) iter.Seq2[TypingFrame, error] {
	return func(yield func(TypingFrame, error) bool) {
		err := v.client.keepOpen(ctx, func(ctx context.Context, alive func()) error {
			return v.follow(ctx, alive, yield)
		})
		if !errors.Is(err, errStopped) {
			yield(TypingFrame{}, err)
		}
	}
}

func (v *Viewer) follow(ctx context.Context, alive func(), yield func(TypingFrame, error) bool) error {
	cl := call{method: http.MethodGet, path: Path(PathRoomViewerEvents, v.room)}
	st, err := v.client.openStream(ctx, cl, v.token, nil, nil)
	if err != nil {
		return err
	}
	defer st.close()
	for {
		raw, err := st.nextData(alive)
		if err != nil {
			return err
		}
		frame, known, err := ParseTypingFrame(raw)
		if err != nil {
			return err
		}
		alive()
		if known && !yield(frame, nil) {
			return errStopped
		}
	}
}
