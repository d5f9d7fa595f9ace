package areyouaifront_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/internal/sse"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// eventStream is an open event stream as a client sees it.
type eventStream struct {
	g      *gate
	resp   *http.Response
	raw    strings.Builder
	reader *sse.Reader
	cancel context.CancelFunc
}

// startStream opens a stream, whatever the answer is.
func (g *gate) startStream(path, token string, header map[string]string) (*http.Response, context.CancelFunc) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+path, nil)
	require.NoError(g.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := g.web.Do(req)
	require.NoError(g.t, err)
	return resp, cancel
}

// openStream opens a stream that must be accepted, and reads its first bytes.
func (g *gate) openStream(path, token string, header map[string]string) *eventStream {
	g.t.Helper()
	resp, cancel := g.startStream(path, token, header)
	s := &eventStream{g: g, resp: resp, cancel: cancel}
	body := bufio.NewReader(io.TeeReader(resp.Body, &s.raw))
	if resp.StatusCode != 200 {
		text, _ := io.ReadAll(body)
		require.Failf(g.t, "stream refused", "%d %s", resp.StatusCode, text)
	}
	preamble := make([]byte, len(areyouai.StreamPreamble))
	_, err := io.ReadFull(body, preamble)
	require.NoError(g.t, err)
	require.Equal(g.t, "retry: 3000\n\n", string(preamble))
	s.reader = sse.NewReader(body, 8<<20)
	return s
}

// next returns the next event.
func (s *eventStream) next() areyouai.Event {
	s.g.t.Helper()
	for {
		f, err := s.reader.Next()
		require.NoError(s.g.t, err)
		if f.Comment {
			continue
		}
		ev, err := areyouai.ParseEventFrame(f)
		require.NoError(s.g.t, err)
		return ev
	}
}

// until reads events up to the one with an id, and returns their ids.
func (s *eventStream) until(id int64) (ids []int64) {
	s.g.t.Helper()
	for {
		ids = append(ids, s.next().EventID)
		if ids[len(ids)-1] >= id {
			return ids
		}
	}
}

// ended waits for the stream's orderly end and returns the events that came before it.
func (s *eventStream) ended() (events []areyouai.Event) {
	s.g.t.Helper()
	for {
		f, err := s.reader.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		require.NoError(s.g.t, err)
		if f.Comment {
			continue
		}
		ev, err := areyouai.ParseEventFrame(f)
		require.NoError(s.g.t, err)
		events = append(events, ev)
	}
}

func (s *eventStream) close() {
	s.cancel()
	s.resp.Body.Close()
}

// streamReader reads events without a test to fail, for goroutines of readers.
type streamReader struct{ reader *sse.Reader }

func newStreamReader(body io.Reader) streamReader { return streamReader{sse.NewReader(body, 8<<20)} }

func (s streamReader) event() (areyouai.Event, error) {
	for {
		f, err := s.reader.Next()
		if err != nil {
			return areyouai.Event{}, err
		}
		if !f.Comment && f.Data != nil {
			return areyouai.ParseEventFrame(f)
		}
	}
}
