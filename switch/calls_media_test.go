package agentswitch_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// mediaServer answers with a handler and returns a client of it.
func mediaServer(t *testing.T, handler http.HandlerFunc) *agentswitch.Client {
	t.Helper()
	srv := httptest.NewServer(handler)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: srv.URL, AgentID: "a-1", APIKey: "key-1", HTTPClient: &http.Client{Transport: transport}})
	require.NoError(t, err)
	return client
}

// part is one part of a form as a server sees it.
type part struct{ field, filename, contentType, content string }

func partsOf(r *http.Request) (parts []part, err error) {
	form, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(content)})
	}
}

func TestUploadMedia(t *testing.T) {
	var got []part
	client := mediaServer(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST /agents/a-1/rooms/r%2F1/media", r.Method+" "+r.RequestURI)
		assert.Equal(t, "Bearer key-1", r.Header.Get("Authorization"))
		var err error
		got, err = partsOf(r)
		assert.NoError(t, err)
		reply(w, 200, `{"ok":true,"event_id":"m-1","mxc":"mxc://s/1","attachments":[{"event_id":"m-1","mxc":"mxc://s/1","filename":"a.png"}]}`)
	})
	answer, err := client.UploadMedia(t.Context(), "r/1", agentswitch.Upload{
		Files: []agentswitch.UploadFile{
			{Name: `a "b"; c\d.png`, ContentType: "image/png", Content: strings.NewReader("\x89PNG")},
			{Name: "grüße\r\nX: y", ContentType: "text/plain", Content: iotest.OneByteReader(strings.NewReader("hello"))},
			{Name: "noending", Content: strings.NewReader("")},
			{Name: "page.html", Content: strings.NewReader("<p>")},
		},
		Caption: "look", ThreadID: "m-0",
	})
	require.NoError(t, err)
	require.Equal(t, agentswitch.MediaAnswer{
		OK: true, EventID: "m-1", MXC: "mxc://s/1", Attachments: agentswitch.List[agentswitch.PostedFile]{{EventID: "m-1", MXC: "mxc://s/1", Filename: "a.png"}},
	}, answer)
	require.Equal(t, []part{
		{"caption", "", "", "look"},
		{"thread_id", "", "", "m-0"},
		{"files", `a "b"; c\d.png`, "image/png", "\x89PNG"},
		{"files", "grüße%0D%0AX: y", "text/plain", "hello"},
		{"files", "noending", "application/octet-stream", ""},
		{"files", "page.html", "text/html; charset=utf-8", "<p>"},
	}, got)

	_, err = client.UploadMedia(t.Context(), "r/1", agentswitch.Upload{Files: []agentswitch.UploadFile{{Name: "a", Content: strings.NewReader("x")}}})
	require.NoError(t, err)
	require.Equal(t, []part{{"files", "a", "application/octet-stream", "x"}}, got, "what is empty is left out")

	_, err = client.UploadMedia(t.Context(), "r/1", agentswitch.Upload{Caption: "nothing"})
	require.ErrorContains(t, err, "no files")
}

// endless is a file of a size, and notes who reads it when nobody should.
type endless struct {
	left          int64
	over, tooLate atomic.Bool
}

func (e *endless) Read(p []byte) (int, error) {
	if e.over.Load() {
		e.tooLate.Store(true)
	}
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	e.left -= n
	return int(n), nil
}

func TestUploadsAndDownloadsAreNotHeldInMemory(t *testing.T) {
	const size = 64 << 20
	var received int64
	client := mediaServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.Copy(w, &endless{left: size})
			return
		}
		received, _ = io.Copy(io.Discard, r.Body)
		reply(w, 200, `{"ok":true}`)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := client.UploadMedia(t.Context(), "r", agentswitch.Upload{Files: []agentswitch.UploadFile{{Name: "a", Content: &endless{left: size}}}})
	require.NoError(t, err)
	require.Greater(t, received, int64(size))
	download, err := client.DownloadMedia(t.Context(), "r", "mxc://s/1")
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, download)
	require.NoError(t, err)
	require.Equal(t, int64(size), n)
	require.NoError(t, download.Close())
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size/8))
}

func TestUploadMediaReportsARefusal(t *testing.T) {
	client := mediaServer(t, func(w http.ResponseWriter, _ *http.Request) { reply(w, 403, `{"detail":"not a member"}`) })
	content := &endless{left: 1 << 14}
	_, err := client.UploadMedia(t.Context(), "r", agentswitch.Upload{Files: []agentswitch.UploadFile{{Name: "a", Content: content}}})
	content.over.Store(true)
	var refused *agentswitch.DetailError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 403, refused.Code)
	runtime.Gosched()
	require.False(t, content.tooLate.Load())
}

// The transport may go on reading after it has returned; the upload must not
// let it.
func TestUploadMediaReadsNothingAfterItReturned(t *testing.T) {
	lazy := &lazyTransport{}
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: "http://h", AgentID: "a-1", APIKey: "k", HTTPClient: &http.Client{Transport: lazy}})
	require.NoError(t, err)
	content := &endless{left: 1 << 20}
	_, err = client.UploadMedia(t.Context(), "r", agentswitch.Upload{Files: []agentswitch.UploadFile{{Name: "a", Content: content}}})
	require.ErrorContains(t, err, "the network is down")
	content.over.Store(true)
	_, err = io.Copy(io.Discard, lazy.body)
	require.ErrorContains(t, err, "the upload is over")
	require.False(t, content.tooLate.Load())
}

// lazyTransport fails and keeps the body, as a transport may for a while.
type lazyTransport struct{ body io.Reader }

func (l *lazyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	l.body = r.Body
	if _, err := io.CopyN(io.Discard, r.Body, 1000); err != nil {
		return nil, err
	}
	return nil, errors.New("the network is down")
}

func TestUploadMediaReportsAFileThatCannotBeRead(t *testing.T) {
	client := mediaServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		reply(w, 200, `{"ok":true}`)
	})
	broken := errors.New("the disk is gone")
	_, err := client.UploadMedia(t.Context(), "r", agentswitch.Upload{Files: []agentswitch.UploadFile{{Name: "a", Content: iotest.ErrReader(broken)}}})
	require.ErrorIs(t, err, broken)
}

func TestDownloadMedia(t *testing.T) {
	more := make(chan struct{})
	client := mediaServer(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "GET /agents/a-1/rooms/r%2F1/media?mxc=mxc%3A%2F%2Fs%2F1%3Fa%26b", r.Method+" "+r.RequestURI)
		assert.Equal(t, "Bearer key-1", r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Disposition", `inline; filename="a \"b\".png"`)
		w.Header().Set("Content-Length", "10")
		send(w, "first")
		<-more
		send(w, "other")
	})
	download, err := client.DownloadMedia(t.Context(), "r/1", "mxc://s/1?a&b")
	require.NoError(t, err)
	require.Equal(t, "image/png", download.ContentType)
	require.Equal(t, `a "b".png`, download.Filename)
	require.Equal(t, int64(10), download.Size)
	first := make([]byte, 5)
	_, err = io.ReadFull(download, first)
	require.NoError(t, err)
	close(more)
	rest, err := io.ReadAll(download)
	require.NoError(t, err)
	require.Equal(t, "firstother", string(first)+string(rest))
	require.NoError(t, download.Close())
}

func TestDownloadMediaWithoutAName(t *testing.T) {
	client := mediaServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `inline; filename=`)
		send(w, "x")
	})
	download, err := client.DownloadMedia(t.Context(), "r", "m")
	require.NoError(t, err)
	require.Empty(t, download.Filename)
	require.Equal(t, int64(-1), download.Size)
	require.NoError(t, download.Close())
}

func TestDownloadMediaReportsRefusals(t *testing.T) {
	client := mediaServer(t, func(w http.ResponseWriter, _ *http.Request) { reply(w, 404, `{"detail":"unknown media"}`) })
	_, err := client.DownloadMedia(t.Context(), "r", "m")
	var refused *agentswitch.DetailError
	require.ErrorAs(t, err, &refused)
	require.EqualError(t, err, "agentswitch: download media: 404: unknown media")
}
