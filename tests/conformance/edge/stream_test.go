package conformance

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stream is an open stream of server-sent events, read byte for byte.
type stream struct {
	resp   *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
}

// event is one event of a stream: its id, if it has one, its data, and the bytes that it came as.
type event struct{ id, data, raw string }

// stream opens a stream. Headers are "Name: value".
func (s *server) stream(t *testing.T, path, token string, headers ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return &stream{resp: resp, lines: bufio.NewReaderSize(resp.Body, 1<<20), cancel: cancel}
}

// next reads one event, whose data must be a frame. A comment comes as raw alone.
func (st *stream) next(t *testing.T) event {
	t.Helper()
	for {
		e, err := st.read(t)
		require.NoError(t, err)
		if !presencePatch.MatchString(e.data) {
			return e
		}
	}
}

func (st *stream) read(t *testing.T) (e event, err error) {
	t.Helper()
	for !strings.HasSuffix(e.raw, "\n\n") {
		line, err := st.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		e.raw += line
	}
	for line := range strings.Lines(strings.TrimSuffix(e.raw, "\n")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.id = value
		case "data":
			require.Empty(t, e.data, "one line of data: %s", e.raw)
			e.data = value
		case "":
		default:
			require.Failf(t, "a field that should not be there", "%s", e.raw)
		}
	}
	if e.data != "" {
		checkFrame(t, e.data)
	}
	return e, nil
}

// until reads on to the event whose data contains a part, which is the last of those that it returns.
func (st *stream) until(t *testing.T, part string) (out []event) {
	t.Helper()
	for {
		out = append(out, st.next(t))
		if strings.Contains(out[len(out)-1].data, part) {
			return out
		}
	}
}

// texts are the data of events.
func texts(events []event) (out []string) {
	for _, e := range events {
		out = append(out, e.data)
	}
	return out
}
