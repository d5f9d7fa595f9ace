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
		typed  any
	}{{"frame", 20_000, &frame{}}, {"state", 5, &state{}}, {"snapshot", 5, &snapshot{}}} {
		text := []byte(l.ask(b, c.name, "text", 0))
		tree, err := roomy.Parse(text)
		require.NoError(b, err)
		var buf []byte
		buf, err = roomy.Append(nil, tree)
		require.NoError(b, err)
		require.Equal(b, string(text), string(buf))
		require.NoError(b, roomy.Unmarshal(text, c.typed))

		b.Run(c.name+"/decode", func(b *testing.B) {
			l.compare(b, c.name, "decode", c.rounds, func() error { _, err := roomy.Parse(text); return err })
		})
		b.Run(c.name+"/encode", func(b *testing.B) {
			l.compare(b, c.name, "encode", c.rounds, func() error { buf, err = roomy.Append(buf[:0], tree); return err })
		})
		b.Run(c.name+"/encode-struct", func(b *testing.B) {
			l.compare(b, c.name, "encode", c.rounds, func() error { buf, err = roomy.AppendMarshal(buf[:0], c.typed); return err })
		})
	}
}

// compare measures both sides in turns.
func (l *library) compare(b *testing.B, name, what string, rounds int, run func() error) {
	ours, theirs := math.Inf(1), math.Inf(1)
	for range 8 {
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
}
