package areyouaifront_test

import (
	"bufio"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// loop is one of the example programs, run as it stands in its text.
type loop struct {
	program, path, file string
}

var loops = []loop{
	{"python3", "/python_loop.md", "loop.py"},
	{"node", "/nodejs_loop.md", "loop.mjs"},
}

var codeBlock = regexp.MustCompile("(?s)```(?:python|js)\n(.*?)```")

// start runs the program. Everything that it says comes out of the channel, which closes when it has ended well.
func (l loop) start(ctx context.Context, t *testing.T, g *gate) <-chan string {
	t.Helper()
	code := codeBlock.FindStringSubmatch(g.get(l.path, "").body)
	require.NotNil(t, code)
	file := filepath.Join(t.TempDir(), l.file)
	require.NoError(t, os.WriteFile(file, []byte(code[1]), 0o600))
	cmd := exec.CommandContext(ctx, needs(t, l.program), file, "tea or coffee")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := make(chan string, 100)
	go func() {
		defer close(said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			said <- lines.Text()
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", l.program, err)
		}
	}()
	return said
}

// moody refuses some requests before they reach the gateway, each kind a few times, and loses half of some answers.
type moody struct {
	next http.Handler

	mu   sync.Mutex
	left map[string][]func(http.ResponseWriter)
	// halved are how often the answer to a kind of request is to break off after the gateway did what was asked.
	halved map[string]int
}

func refuse(code areyouai.Code, retryAfter string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		e := areyouai.NewError(code)
		body, _ := areyouai.AppendReply(nil, e)
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(e.HTTPStatus)
		_, _ = w.Write(body)
	}
}

// cut ends the connection without an answer.
func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// breakOff ends a stream after its first bytes.
func breakOff(w http.ResponseWriter) {
	areyouai.SetStreamHeaders(w.Header())
	_, _ = w.Write([]byte(areyouai.StreamPreamble))
	_ = http.NewResponseController(w).Flush()
	cut(w)
}

// halve passes a request on and delivers half of the answer.
func (m *moody) halve(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	m.next.ServeHTTP(rec, r)
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	cut(w)
}

func newMoody(next http.Handler) *moody {
	return &moody{next: next, halved: map[string]int{
		"/register": 1, "/connect": 1, "/context": 1, "/messages": 1,
	}, left: map[string][]func(http.ResponseWriter){
		"/messages": {
			refuse(areyouai.CodeTurnMismatch, ""), refuse(areyouai.CodeStaleBundleHash, ""), refuse(areyouai.CodeRoomNotActive, ""),
			cut, refuse(areyouai.CodeUnauthorized, ""),
		},
		"/context": {refuse(areyouai.CodeInternalError, ""), refuse(areyouai.CodeUnauthorized, "")},
		"/events":  {refuse(areyouai.CodeUnauthorized, ""), refuse(areyouai.CodeRateLimited, "1"), cut, breakOff},
		"/search":  {refuse(areyouai.CodeRateLimited, "1")},
	}}
}

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	var mood func(http.ResponseWriter)
	for tail, moods := range m.left {
		if strings.HasSuffix(r.URL.Path, tail) && len(moods) > 0 {
			mood, m.left[tail] = moods[0], moods[1:]
		}
	}
	var half bool
	for tail, n := range m.halved {
		if mood == nil && strings.HasSuffix(r.URL.Path, tail) && n > 0 {
			half = true
			m.halved[tail]--
		}
	}
	m.mu.Unlock()
	switch {
	case mood != nil:
		mood(w)
		return
	case half:
		m.halve(w, r)
		return
	}
	m.next.ServeHTTP(w, r)
}

// TestLoopsTalk lets each example program open a room to which the other connects, through a gateway in a bad mood. They
// must come to the room's last turn, and hear what the other said.
func TestLoopsTalk(t *testing.T) {
	for i, first := range loops {
		second := loops[1-i]
		t.Run(first.program+" and "+second.program, func(t *testing.T) {
			t.Parallel()
			needs(t, first.program)
			needs(t, second.program)
			g := newGate(t, areyouaifront.Options{})
			m := newMoody(g.front.Handler())
			srv := httptest.NewServer(m)
			defer srv.Close()
			g.url = srv.URL
			ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
			defer cancel()
			a := first.start(ctx, t, g)
			require.Eventually(t, func() bool { return len(g.node.Listings("tea", 1)) == 1 }, patience, 10*time.Millisecond)
			room := g.node.Rooms()[0].ID
			b := second.start(ctx, t, g)
			heard, said := map[int][]string{}, map[int][]string{}
			for i, out := range []<-chan string{a, b} {
				for line := range out {
					if text, ok := strings.CutPrefix(line, "said: "); ok {
						said[i] = append(said[i], text)
					}
					if text, ok := strings.CutPrefix(line, "heard: "); ok {
						heard[i] = append(heard[i], text)
					}
				}
			}
			require.Len(t, said[0], 3)
			require.Len(t, said[1], 3)
			// A program that has caught up with the room by its context need not have come as far in the stream.
			for i := range 2 {
				require.Subset(t, said[1-i], heard[i])
			}
			sum, _ := g.node.Room(room)
			require.Equal(t, "CLOSED", string(sum.State))
			require.Equal(t, 6, sum.Turn)
			for tail, moods := range m.left {
				require.Empty(t, moods, tail)
			}
			for tail, n := range m.halved {
				require.Zero(t, n, tail)
			}
		})
	}
}
