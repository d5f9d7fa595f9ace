package switchfront_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// script records what a client and the gateway say to each other on raw sockets, byte by byte: "> " before what the
// client sends, "< " before what it gets, without the framing of chunks. Every line of a head ends with CRLF, which is
// checked and not shown. Ids, keys, lengths, times and positions have names in it.
type script struct {
	*gateway
	t       testing.TB
	address string
	out     strings.Builder
	// names replace what differs from run to run; base is the position from which others are counted.
	names []string
	base  core.Position
	// seen numbers the ids of messages and files in the order in which they appear.
	seen map[string]string
}

func newScript(t testing.TB, g *gateway, address string) *script {
	return &script{gateway: g, t: t, address: address, base: g.node.Applied(), seen: map[string]string{}}
}

// call gives a name to what differs from run to run.
func (s *script) call(what, name string) { s.names = append(s.names, what, "{"+name+"}") }

func (s *script) title(format string, args ...any) {
	fmt.Fprintf(&s.out, "=== "+format+"\n", args...)
}

// dial opens a socket of the client.
func (s *script) dial() *socket { return dial(s.t, s.address) }

var (
	positions = regexp.MustCompile(`((?:^|\n)id: |"sequence":|"cursor":|start_from=|Last-Event-ID: |last-event-id: )(\d+)`)
	messages  = regexp.MustCompile(`(msg|med)_[0-9a-f-]{36}`)
	lengths   = regexp.MustCompile(`((?:^|\n)[Cc]ontent-[Ll]ength: )\d+`)
	dates     = regexp.MustCompile(`((?:^|\n)Date: )[^\n]+`)
)

// tidy gives names to what differs from run to run.
func (s *script) tidy(text string) string {
	text = strings.NewReplacer(s.names...).Replace(text)
	text = positions.ReplaceAllStringFunc(text, func(m string) string {
		parts := positions.FindStringSubmatch(m)
		if parts[2] == "0" {
			return m
		}
		n, err := strconv.ParseInt(parts[2], 10, 64)
		require.NoError(s.t, err)
		return fmt.Sprintf("%s{head%+d}", parts[1], n-int64(s.base))
	})
	text = messages.ReplaceAllStringFunc(text, func(m string) string {
		if s.seen[m] == "" {
			kind, _, _ := strings.Cut(m, "_")
			s.seen[m] = fmt.Sprintf("{%s %d}", kind, len(s.seen)+1)
		}
		return s.seen[m]
	})
	text = lengths.ReplaceAllString(text, "${1}{length}")
	return dates.ReplaceAllString(text, "${1}{date}")
}

// note writes down what was said, with the mark of who said it.
func (s *script) note(mark, text string) {
	text = s.tidy(strings.ReplaceAll(text, "\r\n", "\n"))
	require.NotContains(s.t, text, "\r")
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		s.out.WriteString(strings.TrimSuffix(mark+line, " ") + "\n")
	}
}

// ask sends a request, reads the whole answer, and writes both down. show, if given, makes of the body what is written
// down.
func (s *script) ask(on *socket, request string, show ...func(body string) string) (body string) {
	s.t.Helper()
	s.note("> ", request)
	on.send(request)
	head := s.readHead(on)
	body = on.body(head)
	shown := body
	for _, f := range show {
		shown = f(body)
	}
	s.note("< ", head+shown)
	return body
}

// open sends a request for a stream and reads no more than the head of the answer and connection_state.
func (s *script) open(on *socket, request string) {
	s.t.Helper()
	s.note("> ", request)
	on.send(request)
	s.note("< ", s.readHead(on))
	s.hear(on)
}

// readHead reads a head and checks that its lines end with CRLF.
func (s *script) readHead(on *socket) string {
	s.t.Helper()
	head := on.head()
	require.Equal(s.t, strings.Count(head, "\n"), strings.Count(head, "\r\n"), "%q", head)
	return head
}

// hear writes down the next frame of a stream.
func (s *script) hear(on *socket) (frame string) {
	s.t.Helper()
	frame = on.next()
	s.note("< ", frame)
	return frame
}

// only shows of a JSON body the values at these paths, "a.b" for b in a.
func only(paths ...string) func(string) string {
	return func(body string) string {
		var b strings.Builder
		for _, path := range paths {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				return body
			}
			for part := range strings.SplitSeq(path, ".") {
				fields, _ := v.(map[string]any)
				v = fields[part]
			}
			shown, err := json.Marshal(v)
			if err != nil {
				return body
			}
			fmt.Fprintf(&b, "… %s: %s\n", path, shown)
		}
		return b.String()
	}
}

// check holds what was written down against the golden file.
func (s *script) check(file string) {
	s.t.Helper()
	file = filepath.Join("testdata", "sequences", file)
	if *update {
		require.NoError(s.t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(s.t, os.WriteFile(file, []byte(s.out.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(s.t, err)
	require.Equal(s.t, string(want), s.out.String())
}
