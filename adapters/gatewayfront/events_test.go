package gatewayfront_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/gatewayfront"
	"stele/adapters/scripts"
	"stele/core"
)

// TestEventsInEveryScript: pages of any size put together, the raw script, and single events say the same; what they say is
// what the scripts' encoders write.
func TestEventsInEveryScript(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	w.post(w.bob, "line one\r\n\nline two \u202e\x00")
	w.emit(w.bob, "tick")
	w.post(w.ada, "hello @bob")
	for _, format := range scripts.All() {
		enc, err := scripts.NewEncoder(format, scripts.Options{Room: w.room, Self: w.ada.ID, Agent: w.bob.ID, ChannelType: channelOf(w)})
		require.NoError(t, err)
		var want []byte
		for e, err := range w.node.HistoryOf(w.room).After(t.Context(), 0) {
			require.NoError(t, err)
			want, err = enc.Append(want, e)
			require.NoError(t, err)
		}
		query := fmt.Sprintf("%s/events?format=%s&agent=bob", w.room, format)
		_, raw, h := w.get(w.ada.key, query, "Accept", "text/plain")
		require.Equal(t, string(want), raw)
		require.Equal(t, "6", h.Get(gatewayfront.HeaderNextAfter))
		require.Equal(t, "text/plain; charset=utf-8", h.Get("Content-Type"))
		var pieced strings.Builder
		for after, more := uint64(0), true; more; {
			var page gatewayfront.Page
			w.into(&page, w.ada.key, fmt.Sprintf("%s&after=%d&limit=2", query, after))
			require.Equal(t, w.room, page.RoomID)
			require.LessOrEqual(t, len(page.Items), 2)
			for _, item := range page.Items {
				require.Equal(t, after+1, item.Version)
				after = item.Version
				var one gatewayfront.Item
				w.into(&one, w.ada.key, fmt.Sprintf("%s/events/%d?agent=bob", w.room, item.Version))
				require.Len(t, one.Frames, 4)
				require.Equal(t, item.Frames[format], one.Frames[format])
				require.Equal(t, item.Kind, one.Kind)
				for _, frame := range item.Frames[format] {
					pieced.WriteString(frame)
				}
			}
			require.Equal(t, after, page.NextAfter)
			more = page.More
		}
		require.Equal(t, string(want), pieced.String())
	}
	_, stream, h := w.get(w.ada.key, w.room+"/events?format=areyouai", "Accept", "text/event-stream, */*;q=0.1")
	require.Equal(t, "text/event-stream", h.Get("Content-Type"))
	require.Contains(t, stream, "event: message.created\n")
	var nothing gatewayfront.Page
	w.into(&nothing, w.ada.key, w.room+"/events?after=6")
	require.Equal(t, gatewayfront.Page{RoomID: w.room, Items: []gatewayfront.Item{}, NextAfter: 6}, nothing)
	// With comments, a script carries what it has no words for.
	_, said, _ := w.get(w.ada.key, w.room+"/events?format=areyouai&comments=1", "Accept", "text/plain")
	require.Contains(t, said, "tick")
}

func channelOf(w *world) string {
	sum, ok := w.node.Room(w.room)
	require.True(w.t, ok)
	return sum.ChannelType
}

func TestEventsRefusals(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	for _, query := range []string{
		"format=morse", "format=core,core", "format=core,", "limit=0", "limit=501", "limit=x", "after=-1", "after=1&after=2", "since=3",
		"follow=yes", "comments=2", "self=nobody", "agent=" + strings.Repeat("x", 300), "after=9007199254740993",
	} {
		w.refused(400, gatewayfront.CodeInvalid, w.ada.key, w.room+"/events?"+query)
	}
	for _, query := range []string{"format=all", "format=core", "format=edge"} {
		w.refused(400, gatewayfront.CodeInvalid, w.ada.key, w.room+"/events?"+query, "Accept", "text/event-stream")
	}
	w.refused(409, gatewayfront.CodeCursorAhead, w.ada.key, w.room+"/events?after=99")
	w.refused(409, gatewayfront.CodeCursorAhead, w.ada.key, w.room+"/events?follow=1", "Last-Event-ID", "99")
	w.refused(400, gatewayfront.CodeInvalid, w.ada.key, w.room+"/events?follow=1", "Last-Event-ID", "x")
	w.refused(404, gatewayfront.CodeNoEvent, w.ada.key, w.room+"/events/99")
	w.refused(400, gatewayfront.CodeInvalid, w.ada.key, w.room+"/events/0")
	w.refused(400, gatewayfront.CodeInvalid, w.ada.key, w.room+"/events/1?after=1")
	res := w.request(t.Context(), w.ada.key, w.room+"/nothing")
	var r gatewayfront.Refusal
	require.NoError(t, json.NewDecoder(res.Body).Decode(&r))
	require.NoError(t, res.Body.Close())
	require.Equal(t, gatewayfront.CodeNotFound, r.Error.Code)
	res, err := w.web.Post(w.url+"/gateway/rooms/"+w.room+"/events", "application/json", nil)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(res.Body).Decode(&r))
	require.NoError(t, res.Body.Close())
	require.Equal(t, gatewayfront.CodeMethod, r.Error.Code)
	require.Equal(t, "GET, HEAD", res.Header.Get("Allow"))
}

// TestFollowingMissesAndRepeatsNothing: a stream that breaks at any event goes on behind it, while others write.
func TestFollowingMissesAndRepeatsNothing(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	const count = 400
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range count {
			w.post(w.ada, fmt.Sprint(i))
		}
	}()
	want, last := uint64(1), ""
	for want <= count+3 {
		header := []string{}
		if last != "" {
			header = []string{"Last-Event-ID", last}
		}
		s := w.follow(w.bob.key, "&format=core,edge&after=0", header...)
		for i := 0; i < 37 && want <= count+3; i++ {
			item := s.next()
			require.Equal(t, want, item.Version)
			require.Len(t, item.Frames, 2)
			last = fmt.Sprint(item.Version)
			want++
		}
		s.stop()
	}
	<-done
}

// TestFollowingEndsInOrder when the looker may not look any more, and when the front drains.
func TestFollowingEndsInOrder(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{Recheck: 10 * time.Millisecond, KeepAlive: 20 * time.Millisecond})
	viewer, err := w.node.JoinViewers(t.Context(), w.room, humanCode)
	require.NoError(t, err)
	watching, member, rekeyed := w.follow(viewer, ""), w.follow(w.bob.key, ""), w.follow(w.ada.key, "")
	require.NoError(t, w.node.LeaveViewers(t.Context(), w.room, viewer))
	watching.ends()
	require.NoError(t, w.node.LeaveRoom(t.Context(), w.room, core.LeaveRoom{Agent: w.bob.ID}))
	member.ends()
	w.refused(403, gatewayfront.CodeForbidden, w.bob.key, w.room+"/events")
	_, err = w.node.RotateKey(t.Context(), w.ada.ID)
	require.NoError(t, err)
	rekeyed.ends()
	left := w.follow(humanCode, "")
	w.front.Drain()
	left.ends()
	w.refused(503, gatewayfront.CodeUnavailable, humanCode, w.room+"/events?follow=1")
}

// TestAnOperatorIsOneUntilItIsNot: a token that was revoked shows nothing more, on an open stream either.
func TestAnOperatorIsOneUntilItIsNot(t *testing.T) {
	var revoked atomic.Bool
	o := gatewayfront.Options{Operator: func(bearer string) bool { return bearer == "operator" && !revoked.Load() }}
	for name, recheck := range map[string]time.Duration{"by the clock": 10 * time.Millisecond, "by what happens": time.Hour} {
		t.Run(name, func(t *testing.T) {
			revoked.Store(false)
			o.Recheck = recheck
			w := newWorld(t, o)
			s := w.follow("operator", "&after=3")
			revoked.Store(true)
			if recheck == time.Hour {
				w.post(w.ada, "not for you")
			}
			s.ends()
			w.refused(401, gatewayfront.CodeUnauthorized, "operator", w.room+"/events")
		})
	}
}

func TestStreamsAreBounded(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{OpenStreams: 1, OpenPerIP: 2})
	first := w.follow(w.ada.key, "")
	w.refused(429, gatewayfront.CodeTooMany, w.ada.key, w.room+"/events?follow=1")
	w.follow(w.bob.key, "")
	w.refused(429, gatewayfront.CodeTooMany, humanCode, w.room+"/events?follow=1")
	first.stop()
	require.Eventually(t, func() bool {
		res := w.request(t.Context(), w.ada.key, w.room+"/events?follow=1")
		defer res.Body.Close()
		return res.StatusCode == 200
	}, patience, 10*time.Millisecond)
}
