package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serveEnv makes the test binary a server of that kind instead of running tests: what a server costs can only be told
// from outside of a process that does nothing else.
const serveEnv = "STELE_BENCH_SERVE"

func TestMain(m *testing.M) {
	kind := os.Getenv(serveEnv)
	if kind == "" {
		os.Exit(m.Run())
	}
	if err := serveProcess(kind); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// usage is what a server process has used so far.
type usage struct {
	// RSS is what it holds in memory, in bytes, as the kernel counts it; Heap and Stacks are its runtime's share.
	RSS    int64 `json:"rss"`
	Heap   int64 `json:"heap"`
	Stacks int64 `json:"stacks"`
	// CPU is its time in user and system mode.
	CPU        time.Duration `json:"cpu"`
	Goroutines int           `json:"goroutines"`
}

// served is a server process.
type served struct {
	hello   hello
	ask     *json.Encoder
	answers *json.Decoder
}

// hello is what a server process says when it is ready: where it listens, and the raw requests of its event streams.
type hello struct {
	Addr    string     `json:"addr"`
	Streams []identity `json:"streams"`
}

// identity is an agent that opens a stream.
type identity struct {
	Agent string `json:"agent"`
	Key   string `json:"key"`
	Room  string `json:"room"`
}

// question is what the benchmark asks a server process. With Rest it collects its garbage and gives what is free back to
// the system before it answers: the garbage of the requests that opened the streams is none of theirs.
type question struct {
	Rest bool `json:"rest"`
}

// start runs the test binary as a server of that kind for a number of clients, until the benchmark ends.
func start(b testing.TB, kind string, clients int) *served {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), serveEnv+"="+kind, clientsEnv+"="+strconv.Itoa(clients), dirEnv+"="+b.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, in.Close())
		require.NoError(b, cmd.Wait())
	})
	s := &served{ask: json.NewEncoder(in), answers: json.NewDecoder(bufio.NewReader(out))}
	require.NoError(b, s.answers.Decode(&s.hello))
	return s
}

func (s *served) usage(b testing.TB, rest bool) usage {
	b.Helper()
	require.NoError(b, s.ask.Encode(question{Rest: rest}))
	var u usage
	require.NoError(b, s.answers.Decode(&u))
	return u
}

const (
	clientsEnv = "STELE_BENCH_CLIENTS"
	dirEnv     = "STELE_BENCH_DIR"
)

// serveProcess is the server's side: it serves until its standard input ends.
func serveProcess(kind string) error {
	clients, err := strconv.Atoi(os.Getenv(clientsEnv))
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	ready := hello{Addr: ln.Addr().String()}
	switch kind {
	case kindBare:
		go func() { done <- serveHandler(ctx, ln, bareStream) }()
		ready.Streams = make([]identity, clients)
	case kindBareSocket:
		go func() { done <- serveHandler(ctx, ln, bareSocket) }()
		ready.Streams = make([]identity, clients)
	case kindIdle, kindBeats, kindIdleSockets:
		serve, streams, err := gatewayOf(ctx, kind, os.Getenv(dirEnv), clients)
		if err != nil {
			return err
		}
		ready.Streams = streams
		go func() { done <- serve(ln) }()
	default:
		return fmt.Errorf("no server of kind %q", kind)
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(ready); err != nil {
		return err
	}
	for in := json.NewDecoder(os.Stdin); ; {
		var q question
		if err := in.Decode(&q); err != nil {
			stop()
			return <-done
		}
		if q.Rest {
			debug.FreeOSMemory()
		}
		if err := out.Encode(ownUsage()); err != nil {
			return err
		}
	}
}

func ownUsage() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{Heap: int64(m.HeapInuse), Stacks: int64(m.StackInuse), Goroutines: runtime.NumGoroutine()}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				u.RSS = kib << 10
			}
		}
	}
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.CPU = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return u
}

func serveHandler(ctx context.Context, ln net.Listener, handler http.HandlerFunc) error {
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: handler}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// bareStream is what the standard library makes of an event stream: a handler that writes and flushes.
func bareStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	for frame := "event: hello\ndata: {}\n\n"; ; frame = ": keepalive\n\n" {
		if _, err := w.Write([]byte(frame)); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}
