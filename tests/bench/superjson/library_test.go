package superjson_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
	interop "stele/tests/interop/superjson"
)

// library is a conversation with the driver.
type library struct {
	in  io.Writer
	out *bufio.Reader
}

func startLibrary(b *testing.B) *library {
	cmd := interop.Command(b, "bench")
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, in.Close())
		require.NoError(b, cmd.Wait())
	})
	return &library{in: in, out: bufio.NewReaderSize(out, 4<<20)}
}

func (l *library) ask(b *testing.B, name, what string, rounds int) string {
	_, err := fmt.Fprintln(l.in, name, what, rounds)
	require.NoError(b, err)
	line, err := l.out.ReadString('\n')
	require.NoError(b, err)
	return strings.TrimSuffix(line, "\n")
}

func (l *library) nanoseconds(b *testing.B, name, what string, rounds int) float64 {
	ns, err := strconv.ParseFloat(l.ask(b, name, what, rounds), 64)
	require.NoError(b, err)
	return ns
}

// budget is how many times as fast as the library the Go side must be, where it is so by
// a margin that no busy machine takes away.
const budget = 5

// roomy lets every text of the benchmark in.
var roomy = superjson.Codec{Limits: superjson.Limits{MaxBytes: 64 << 20}}

// frame, state and snapshot are the Go types for the library's values of those names.
type (
	frame struct {
		V     int                             `json:"v"`
		Kind  string                          `json:"kind"`
		Seq   int                             `json:"seq"`
		At    time.Time                       `json:"at"`
		Event struct{ Type, Text, From text } `json:"event"`
	}
	text  = string
	state struct {
		Topic string `json:"topic"`
		Items []struct {
			At time.Time      `json:"at"`
			M  *superjson.Map `json:"m"`
		} `json:"items"`
	}
	snapshot struct {
		V        int    `json:"v"`
		Kind     string `json:"kind"`
		Done     bool   `json:"done"`
		Snapshot []struct {
			ID      string    `json:"id"`
			Role    string    `json:"role"`
			Content string    `json:"content"`
			Seq     int       `json:"seq"`
			At      time.Time `json:"at"`
		} `json:"snapshot"`
	}
)

func BenchmarkBesideTheLibrary(b *testing.B) {
	// Node collects garbage when its young generation of some 16 MB is full. A Go
	// program with next to nothing alive would do it every 4 MB.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	l := startLibrary(b)
	for _, c := range []struct {
		name   string
		rounds int
		// decode is the budget of decoding.
		decode float64
		typed  any
	}{
		{"frame", 5000, budget, &frame{}},
		{"state", 1, budget, &state{}},
		{"snapshot", 1, budget, &snapshot{}},
	} {
		text := []byte(l.ask(b, c.name, "text", 0))
		tree, err := roomy.Parse(text)
		require.NoError(b, err)
		var buf []byte
		buf, err = roomy.Append(nil, tree)
		require.NoError(b, err)
		require.Equal(b, string(text), string(buf))
		require.NoError(b, roomy.Unmarshal(text, c.typed))

		b.Run(c.name+"/decode", func(b *testing.B) {
			l.compare(b, c.name, "decode", c.rounds, c.decode, func() error { _, err := roomy.Parse(text); return err })
		})
		b.Run(c.name+"/encode", func(b *testing.B) {
			l.compare(b, c.name, "encode", c.rounds, budget, func() error { buf, err = roomy.Append(buf[:0], tree); return err })
		})
		b.Run(c.name+"/encode-struct", func(b *testing.B) {
			l.compare(b, c.name, "encode", c.rounds, budget, func() error { buf, err = roomy.AppendMarshal(buf[:0], c.typed); return err })
		})
	}
}

// BenchmarkParseFrame measures what a server does with each small frame of a client: the
// parser of frames beside one in JavaScript that makes the same checks. There is no budget:
// such a frame has no annotations, so that the library's side is nearly all JSON.parse,
// which is the engine's own.
func BenchmarkParseFrame(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	l := startLibrary(b)
	for _, name := range []string{"ping", "call", "attach"} {
		text := []byte(l.ask(b, name, "text", 0))
		frame, err := edgeframes.ParseKnown(text, superjson.Limits{})
		require.NoError(b, err)
		require.Equal(b, name, string(frame.Kind()))
		b.Run(name, func(b *testing.B) {
			l.compare(b, name, "parse", 5000, 0, func() error { _, err := edgeframes.ParseKnown(text, superjson.Limits{}); return err })
		})
	}
}

// compare measures both sides in turns, and fails where the Go side is not at least least
// times as fast.
func (l *library) compare(b *testing.B, name, what string, rounds int, least float64, run func() error) {
	ours, theirs := math.Inf(1), math.Inf(1)
	// As long as it takes for both to find the machine free for a round.
	for turn, began := 0, time.Now(); turn < 32 || time.Since(began) < 3*time.Second; turn++ {
		theirs = min(theirs, l.nanoseconds(b, name, what, rounds))
		start := time.Now()
		for range rounds {
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
		ours = min(ours, float64(time.Since(start).Nanoseconds())/float64(rounds))
	}
	for b.Loop() {
		// The measure is taken above, as the sides must take turns.
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours/1000, "go-µs")
	b.ReportMetric(theirs/1000, "library-µs")
	b.ReportMetric(theirs/ours, "times")
	if theirs < least*ours {
		b.Errorf("%.2f times as fast as the library, want %g", theirs/ours, least)
	}
}
