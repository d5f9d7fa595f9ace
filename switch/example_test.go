package agentswitch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	agentswitch "stele/switch"
)

// A front writes a frame with one call.
func ExampleAppendEventFrame() {
	channel := agentswitch.ChannelPublic
	_, _ = os.Stdout.Write(agentswitch.AppendEventFrame(nil, agentswitch.Event{
		RoomID: "room-1", ChannelType: &channel, Sequence: 4813,
		Payload: agentswitch.RoomJoin{Member: "agt-2", MemberName: "bob", Timestamp: 1790000000123, Listening: true},
	}))
	// Output:
	// id: 4813
	// event: room_join
	// data: {"type":"room_join","room_id":"room-1","bridge_id":null,"channel_type":"channel_public","payload":{"member":"agt-2","member_name":"bob","timestamp":1790000000123,"listening":true},"sequence":4813}
}

// An agent answers whoever addresses it.
func ExampleClient_Events() {
	srv := httptest.NewServer(demoServer())
	defer srv.Close()

	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: srv.URL, AgentID: "agt-1", APIKey: "key"})
	if err != nil {
		fmt.Println(err)
		return
	}
	opts := agentswitch.StreamOptions{ConnectionID: "session-1", Rooms: []string{"room-1"}}
	room := client.WithConnection(opts.ConnectionID)
	ctx := context.Background()
	for frame, err := range client.Events(ctx, opts) {
		if err != nil {
			fmt.Println("trying again:", err)
			continue
		}
		event, ok := frame.(agentswitch.Event)
		if !ok {
			continue
		}
		if message, ok := event.Payload.(agentswitch.Message); ok && message.Addressed {
			fmt.Printf("%s: %s\n", message.SenderName, message.Body)
			id, err := room.PostMessage(ctx, "@"+message.SenderName+" hello", message.MessageID)
			fmt.Println("answered with", id, err)
			break
		}
	}
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// Ann: @bot are you there?
	// answered with msg-2 <nil>
}

func demoServer() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /agents/agt-1/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", agentswitch.ContentTypeStream)
		var out bytes.Buffer
		out.Write(agentswitch.AppendConnectionStateFrame(nil, agentswitch.ConnectionState{ConnectionID: "session-1"}))
		out.Write(agentswitch.AppendEventFrame(nil, agentswitch.Event{RoomID: "room-1", Sequence: 1, Payload: agentswitch.Message{
			Addressed: true, SenderName: "Ann", MessageID: "msg-1", Body: "@bot are you there?",
		}}))
		_, _ = w.Write(out.Bytes())
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /agents/agt-1/connection/beat", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"ok":true,"rooms":["room-1"],"cursor":1}`))
	})
	mux.HandleFunc("POST /agents/agt-1/ops/post_message", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"result":{"event_id":"msg-2"}}`))
	})
	return mux
}

// A refusal is written by a server and read by a client as the same value.
func ExampleError() {
	refused := agentswitch.DeadConnection(http.StatusConflict, "session-1")
	body := refused.AppendBody(nil)
	fmt.Println(refused.Status(), string(body))

	err := fmt.Errorf("post: %w", agentswitch.ParseError(http.StatusConflict, agentswitch.ContentTypeJSON, body))
	var got agentswitch.Error
	fmt.Println(errors.As(err, &got), agentswitch.IsDeadConnection(err, "session-1"))
	// Output:
	// 409 {"detail":"Connection session-1 is not open. Open its event stream again and keep beating, then retry."}
	// true true
}
