package moving_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core/operations"
)

// call is a command line of the document, as a shell takes it apart.
type call struct {
	url, body string
	header    http.Header
	// stream: the answer is one that goes on, which -N shows at once.
	stream bool
}

// callsIn has a shell expand every curl command of the document.
func callsIn(t *testing.T, doc string, env []string) (calls []call) {
	t.Helper()
	for _, line := range regexp.MustCompile(`(?m)^curl .*$`).FindAllString(doc, -1) {
		sh := exec.Command("sh", "-euc", `curl() { printf '%s\n' "$@"; }; `+line)
		sh.Env = env
		out, err := sh.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		c := call{header: http.Header{}}
		words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		for i := 0; i < len(words); i++ {
			switch words[i] {
			case "-N":
				c.stream = true
			case "-H":
				i++
				name, value, _ := strings.Cut(words[i], ": ")
				c.header.Set(name, value)
			case "-d":
				i++
				c.body = words[i]
			default:
				c.url = words[i]
			}
		}
		calls = append(calls, c)
	}
	return calls
}

// TestTheDocumentsCalls makes each call as it stands in the document, and each is answered.
func TestTheDocumentsCalls(t *testing.T) {
	w := newWorld(t)
	w.talk(8)()
	head := w.convert("areyouai", 0).Head
	session, _, err := w.node.OpenSession(w.ctx, w.node.Authenticate(w.key))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "moving.md"))
	require.NoError(t, err)
	// The example of an answer begins with a sequence of its own.
	doc := strings.ReplaceAll(string(text), "switch=4711", "switch=$SEQUENCE")
	calls := callsIn(t, doc, []string{
		"GATEWAY=" + w.url, "ROOM=" + w.room, "KEY=" + w.key, "SESSION=" + session, "AGENT=" + w.mover.ID,
		fmt.Sprint("SEQUENCE=", head.Switch), fmt.Sprint("SWITCH=", head.Switch), fmt.Sprint("EVENT_ID=", head.Areyouai),
		fmt.Sprint("AREYOUAI=", head.Areyouai), fmt.Sprint("SEQ=", head.EdgeMessages),
	})
	require.Len(t, calls, 11)
	for _, c := range calls {
		method := http.MethodGet
		if c.body != "" {
			method = http.MethodPost
		}
		req, err := http.NewRequestWithContext(w.ctx, method, c.url, strings.NewReader(c.body))
		require.NoError(t, err)
		req.Header = c.header
		if req.Header.Get("Accept") == "" {
			req.Header.Set("Accept", "*/*")
		}
		res, err := w.web.Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode, c.url)
		require.Equal(t, c.stream, strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream"), c.url)
		if strings.Contains(c.url, "/cursor?") {
			var place operations.TranslatedCursor
			require.NoError(t, json.NewDecoder(res.Body).Decode(&place))
			require.Equal(t, w.room, place.RoomID)
			require.NotZero(t, place.Switch)
		}
		require.NoError(t, res.Body.Close())
	}
}
