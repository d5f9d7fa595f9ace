package edgefront

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// Fifty sockets, half of them at the address of either agent, share the encodings of every event: one patch, one event,
// and one message per role.
func TestEventsAreEncodedOncePerForm(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	node, err := core.Open(ctx, memlog.New(), core.Options{})
	require.NoError(t, err)
	f := New(node, operations.New(node), Options{})
	var mu sync.Mutex
	made := map[edgeframes.Kind]int{}
	f.frames.encode = func(frame edgeframes.Frame) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		made[frame.Kind()]++
		return edgeframes.Encode(frame)
	}
	srv := httptest.NewServer(f.Handler())
	defer func() {
		f.Drain()
		srv.Close()
		require.NoError(t, node.Close(context.Background()))
	}()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "chat"}}
	for _, handle := range []string{"alice", "bob"} {
		r, err := node.Register(ctx, core.Registration{Agent: core.Agent{Name: handle, Handle: handle}})
		require.NoError(t, err)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: r.Agent.ID, Name: handle, Handle: handle})
	}
	room, _, err := node.CreateRoom(ctx, cmd, nil)
	require.NoError(t, err)

	conns := make([]*websocket.Conn, 50)
	read := func(c *websocket.Conn, part string) {
		for {
			_, text, err := c.Read(ctx)
			require.NoError(t, err)
			if strings.Contains(string(text), part) {
				return
			}
		}
	}
	for i := range conns {
		url := fmt.Sprintf("ws%s/agents/%s/chat", strings.TrimPrefix(srv.URL, "http"), []string{"alice", "bob"}[i%2])
		conns[i], _, err = websocket.Dial(ctx, url, nil)
		require.NoError(t, err)
		defer func() { _ = conns[i].CloseNow() }()
		require.NoError(t, conns[i].Write(ctx, websocket.MessageText, []byte(`{"json":{"v":2,"kind":"attach"}}`)))
		read(conns[i], `"hello"`)
	}
	mu.Lock()
	clear(made)
	mu.Unlock()
	const count = 20
	for i := range count {
		_, _, err := node.PostMessage(ctx, room.Room, core.PostMessage{
			Sender: cmd.Members[0].Agent, Text: fmt.Sprintf("m%d.", i),
		}, nil)
		require.NoError(t, err)
	}
	for _, c := range conns {
		read(c, fmt.Sprintf(`"text":"m%d."`, count-1))
	}
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, map[edgeframes.Kind]int{
		edgeframes.KindState: count, edgeframes.KindEvent: count, edgeframes.KindMessages: 2 * count,
	}, made)
}

// Every refusal of the core has a row: no text of the program's insides, and no call that fails without a reason.
func TestEveryRefusalHasAnAnswer(t *testing.T) {
	node, err := core.Open(t.Context(), memlog.New(), core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(context.Background())) }()
	f := New(node, operations.New(node), Options{})
	for _, err := range []error{
		core.ErrNoRoom, core.ErrNoAgent, core.ErrNoListing, core.ErrNoMessage, core.ErrNotMember, core.ErrOwnListing,
		core.ErrListingTaken, core.ErrRoomExists, core.ErrNotOwner, core.ErrKeyReused, core.ErrDraining, core.ErrConflict,
		core.ErrFull, core.ErrReadOnly, core.ErrClosed, core.ErrNoPeer,
		&core.NameTakenError{Name: "x"}, &core.RoomNotActiveError{Room: "x"}, &core.RoomExpiredError{Room: "x"},
		&core.TurnMismatchError{}, &core.NotYourTurnError{}, &core.TooLongError{}, &core.InvalidError{Field: "x"},
		&core.NoConnectionError{}, &core.NoStreamError{}, &core.ConnectionTakenError{}, &core.TooManyConnectionsError{},
		&core.RoomClaimedError{}, &operations.ArgumentError{Reason: "x"}, &operations.UnknownOperationError{},
		operations.ErrNotConnected, operations.ErrSeveralRooms, operations.ErrNoConnection,
		&core.NotAllowedError{Reason: "x"}, core.ErrDocumentTimeout,
		context.Canceled, context.DeadlineExceeded,
	} {
		for _, wrapped := range []error{err, fmt.Errorf("deep /var/lib/inside: %w", err)} {
			e := f.callError("1", wrapped)
			require.Equal(t, "1", e.ID)
			require.True(t, e.ForCall)
			require.NotEqual(t, internalError, e.Message, "%v", err)
			require.NotContains(t, e.Message, "/var/lib")
			require.NotEmpty(t, e.Message)
		}
	}
	require.Equal(t, edgeframes.CallError("1", edgeframes.CodeMethodError, internalError), f.callError("1", errors.New("/etc/secret")))
}

func TestCamelCase(t *testing.T) {
	for snake, camel := range map[string]string{"post_message": "postMessage", "close": "close", "a__b_": "aB", "": ""} {
		require.Equal(t, camel, camelCase(snake))
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"json":[]}`, `{"json":["hi",null]}`, `{"json":[{"body":"hi"}]}`, `{"json":[[["a"]],1,2,3]}`,
		`{"json":["2026-01-02T03:04:05.678Z"],"meta":{"values":{"0":["Date"]},"v":1}}`,
		`{"json":[{"limit":"NaN"}],"meta":{"values":{"0.limit":["number"]},"v":1}}`,
	} {
		f.Add(seed)
	}
	node, err := core.Open(context.Background(), memlog.New(), core.Options{})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, node.Close(context.Background())) })
	front := New(node, operations.New(node), Options{})
	f.Fuzz(func(t *testing.T, text string) {
		v, err := superjson.Parse([]byte(text), superjson.Limits{})
		list, ok := v.(superjson.Array)
		if err != nil || !ok {
			return
		}
		for name := range front.methods {
			_, err := front.call(t.Context(), grant{caller: "agt_x", room: "room_x"}, edgeframes.Call{ID: "1", Method: name, Args: list}, "")
			if err == nil {
				continue
			}
			if e := front.callError("1", err); e.Message == internalError {
				t.Fatalf("%s(%s): %v", name, text, err)
			}
		}
	})
}
