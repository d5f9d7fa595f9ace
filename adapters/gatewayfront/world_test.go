package gatewayfront_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters/gatewayfront"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/openapi"
	"stele/internal/sse"
)

var update = flag.Bool("update", false, "write the golden files anew")

// patience is far more than anything here needs.
const patience = 90 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// contract is the description of the routes, made once.
var contract = sync.OnceValues(func() (*openapi.Checker, error) {
	return openapi.NewChecker(gatewayfront.Contract("test"))
})

// TestOpenAPIDocument: what stands in docs is what the code says.
func TestOpenAPIDocument(t *testing.T) {
	got, err := gatewayfront.Contract("1").YAML()
	require.NoError(t, err)
	file := filepath.Join("..", "..", "docs", "openapi", "gateway.yaml")
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./adapters/gatewayfront -run TestOpenAPIDocument -update")
}

// member is an agent with its key.
type member struct {
	core.Agent
	key string
}

// world is a front on a node of its own, with a room of two members.
type world struct {
	t        *testing.T
	node     *core.Node
	front    *gatewayfront.Front
	url      string
	web      *http.Client
	ada, bob member
	eve      member // no member of the room
	room     string
	// ahead is how far the node's time is.
	ahead atomic.Int64
}

// passes lets time pass.
func (w *world) passes(d time.Duration) { w.ahead.Add(int64(d)) }

const humanCode = "hc_a-code-for-people"

func newWorld(t *testing.T, o gatewayfront.Options) *world {
	t.Helper()
	w := &world{t: t}
	node, err := core.Open(context.Background(), memlog.New(), core.Options{
		SweepEvery: time.Hour, Now: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
	})
	require.NoError(t, err)
	w.node, w.front = node, gatewayfront.New(node, o)
	srv := httptest.NewServer(w.front.Handler())
	w.url = srv.URL
	transport := &http.Transport{}
	w.web = &http.Client{Transport: transport}
	t.Cleanup(func() {
		w.front.Drain()
		transport.CloseIdleConnections()
		srv.Close()
		require.NoError(t, node.Close(context.Background()))
	})
	w.ada, w.bob, w.eve = w.register("ada"), w.register("bob"), w.register("eve")
	w.room = w.newRoom(core.RoomFacts{Name: "ops", Creator: w.ada.ID}, w.ada, w.bob)
	return w
}

func (w *world) register(name string) member {
	r, err := w.node.Register(w.t.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name}})
	require.NoError(w.t, err)
	return member{r.Agent, r.Key}
}

func (w *world) newRoom(facts core.RoomFacts, members ...member) string {
	cmd := core.CreateRoom{Facts: facts, HumanCodeHash: core.HashSecret(humanCode)}
	for _, m := range members {
		cmd.Members = append(cmd.Members, core.NewMember{Agent: m.ID, Name: m.Name, Handle: m.Handle})
	}
	made, _, err := w.node.CreateRoom(w.t.Context(), cmd, nil)
	require.NoError(w.t, err)
	return made.Room
}

func (w *world) post(from member, text string) {
	_, _, err := w.node.PostMessage(w.t.Context(), w.room, core.PostMessage{Sender: from.ID, Text: text}, nil)
	require.NoError(w.t, err)
}

func (w *world) emit(from member, name string) {
	_, err := w.node.EmitEvent(w.t.Context(), w.room, core.EmitEvent{Actor: from.ID, Type: name}, nil)
	require.NoError(w.t, err)
}

func (w *world) request(ctx context.Context, bearer, path string, header ...string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/gateway/rooms/"+path, nil)
	require.NoError(w.t, err)
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := w.web.Do(req)
	require.NoError(w.t, err)
	return res
}

// get asks and checks the answer against the description of its route.
func (w *world) get(bearer, path string, header ...string) (status int, body string, h http.Header) {
	w.t.Helper()
	res := w.request(w.t.Context(), bearer, path, header...)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	c, err := contract()
	require.NoError(w.t, err)
	if res.StatusCode != http.StatusNotFound || bytes.Contains(b, []byte("room_not")) {
		require.NoError(w.t, c.Check(http.MethodGet, res.Request.URL.Path, res.StatusCode, res.Header.Get("Content-Type"), b), "%s", b)
	}
	require.Equal(w.t, "no-store", res.Header.Get("Cache-Control"))
	return res.StatusCode, string(b), res.Header
}

func (w *world) into(out any, bearer, path string, header ...string) {
	w.t.Helper()
	status, body, _ := w.get(bearer, path, header...)
	require.Equal(w.t, http.StatusOK, status, body)
	require.NoError(w.t, json.Unmarshal([]byte(body), out))
}

// refused asserts a refusal and returns its text.
func (w *world) refused(status int, code gatewayfront.Code, bearer, path string, header ...string) string {
	w.t.Helper()
	got, body, _ := w.get(bearer, path, header...)
	var r gatewayfront.Refusal
	require.NoError(w.t, json.Unmarshal([]byte(body), &r), body)
	require.Equal(w.t, fmt.Sprint(status, " ", code), fmt.Sprint(got, " ", r.Error.Code), "%s: %s", path, body)
	require.NotEmpty(w.t, r.Error.Message)
	return r.Error.Message
}

// stream follows a room.
type stream struct {
	t    *testing.T
	in   *sse.Reader
	stop func()
}

func (w *world) follow(bearer, query string, header ...string) *stream {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	res := w.request(ctx, bearer, w.room+"/events?follow=1"+query, header...)
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(res.Body)
		w.t.Fatalf("%s: %s", res.Status, b)
	}
	require.Equal(w.t, "text/event-stream", res.Header.Get("Content-Type"))
	s := &stream{t: w.t, in: sse.NewReader(res.Body, 0), stop: func() {
		cancel()
		_ = res.Body.Close()
	}}
	w.t.Cleanup(s.stop)
	return s
}

// next is the next event of the stream.
func (s *stream) next() gatewayfront.Item {
	s.t.Helper()
	for {
		ev, err := s.in.Next()
		require.NoError(s.t, err)
		if ev.Comment {
			continue
		}
		var item gatewayfront.Item
		require.NoError(s.t, json.Unmarshal(ev.Data, &item))
		require.Equal(s.t, fmt.Sprint(item.Version), ev.ID)
		return item
	}
}

// ends asserts that the stream ends in order, after whatever it still brings.
func (s *stream) ends() {
	s.t.Helper()
	for {
		if _, err := s.in.Next(); err != nil {
			require.ErrorIs(s.t, err, io.EOF)
			return
		}
	}
}
