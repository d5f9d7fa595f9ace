package moving_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters"
	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is far more than anything here needs.
const patience = 90 * time.Second

// world is a gateway with a room in which others talk, and a client that follows.
type world struct {
	t       *testing.T
	ctx     context.Context
	node    *core.Node
	url     string
	web     *http.Client
	room    string
	talkers []core.Agent
	mover   core.Agent
	key     string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	node, err := core.Open(context.Background(), memlog.New(), core.Options{})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- adapters.New(node, adapters.Options{}).Serve(serving, ln) }()
	transport := &http.Transport{}
	t.Cleanup(func() {
		cancel()
		transport.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, node.Close(context.Background()))
	})
	w := &world{t: t, ctx: ctx, node: node, url: "http://" + ln.Addr().String(), web: &http.Client{Transport: transport}}
	for _, name := range []string{"mover", "tom", "tina"} {
		r, err := node.Register(ctx, core.Registration{Agent: core.Agent{Name: name, Handle: name, Model: core.ModelSession}})
		require.NoError(t, err)
		if name == "mover" {
			w.mover, w.key = r.Agent, r.Key
			continue
		}
		w.talkers = append(w.talkers, r.Agent)
	}
	w.room = w.newRoom(append(w.talkers, w.mover))
	return w
}

func (w *world) newRoom(members []core.Agent) string {
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "talk"}}
	for _, m := range members {
		cmd.Members = append(cmd.Members, core.NewMember{Agent: m.ID, Name: m.Name, Handle: m.Handle})
	}
	made, _, err := w.node.CreateRoom(w.ctx, cmd, nil)
	require.NoError(w.t, err)
	return made.Room
}

// talk has others say m0, m1, … in the room, with events that are no messages between, and with messages in another room,
// so that no two numberings go in step.
func (w *world) talk(count int) (wait func()) {
	aside := w.newRoom(w.talkers)
	var talking sync.WaitGroup
	talking.Go(func() {
		for i := range count {
			from := w.talkers[i%len(w.talkers)]
			_, _, err := w.node.PostMessage(w.ctx, w.room, core.PostMessage{Sender: from.ID, Text: fmt.Sprintf("m%d", i)}, nil)
			if err == nil && i%3 == 0 {
				_, _, err = w.node.PostMessage(w.ctx, aside, core.PostMessage{Sender: from.ID, Text: "aside"}, nil)
			}
			if err == nil && i%4 == 1 {
				_, err = w.node.EmitEvent(w.ctx, w.room, core.EmitEvent{Actor: from.ID, Type: "tick"}, nil)
			}
			if err != nil {
				w.t.Errorf("message %d: %v", i, err)
				return
			}
		}
	})
	return talking.Wait
}

// convert asks the gateway for a place.
func (w *world) convert(cursor string, number uint64) operations.TranslatedCursor {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, fmt.Sprintf("%s/gateway/rooms/%s/cursor?%s=%d", w.url, w.room, cursor, number), nil)
	require.NoError(w.t, err)
	req.Header.Set("Authorization", "Bearer "+w.key)
	res, err := w.web.Do(req)
	require.NoError(w.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	require.Equal(w.t, http.StatusOK, res.StatusCode, "%s", body)
	var out operations.TranslatedCursor
	require.NoError(w.t, json.Unmarshal(body, &out))
	return out
}
