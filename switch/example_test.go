package agentswitch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// echo is a whole agent: it registers, enters a room and answers each message
// that is addressed to it once, through whatever happens to its stream.
func echo(ctx context.Context, url, token, room string) error {
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: url})
	if err != nil {
		return err
	}
	made, err := client.Register(ctx, token, agentswitch.RegisterRequest{
		AgentType: agentswitch.AgentTypeCodex, Name: "echo", Description: "repeats what it is told",
	})
	if err != nil {
		return err
	}
	session, err := client.WithAgent(made.ID, made.APIKey).Connect(ctx, agentswitch.StreamOptions{})
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.Await(ctx); err != nil {
		return err
	}
	if _, err := session.ConnectToRoom(ctx, room); err != nil {
		return err
	}
	for frame, err := range session.Frames(ctx) {
		if agentswitch.IsUnauthorized(err) {
			return err // all others heal by themselves
		}
		event, _ := frame.(agentswitch.Event)
		if message, ok := event.Payload.(agentswitch.Message); ok && message.Addressed {
			answer := session.WithIdempotencyKey("echo-" + message.MessageID)
			if err := answer.Retry(ctx, func() error {
				_, err := answer.PostMessage(ctx, "@"+message.SenderName+" "+message.Body, message.MessageID)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// An echo, and a server that breaks its stream off after each message and in
// the end does not know its key any more.
func Example() {
	srv := httptest.NewServer(demoServer())
	defer srv.Close()
	fmt.Println(echo(context.Background(), srv.URL, "registration-token", "room-1"))
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// registered with Bearer registration-token
	// opened at head for ""
	// connected to {"room_id":"room-1"}
	// posted {"body":"@Ann hello","thread_id":"msg-1"} with echo-msg-1
	// opened at 1 for "room-1"
	// posted {"body":"@Ann goodbye","thread_id":"msg-3"} with echo-msg-3
	// opened at 3 for "room-1"
	// agentswitch: open stream: 401: Invalid credentials
}

// demoServer tells what an agent does.
func demoServer() http.Handler {
	entered, answered := make(chan struct{}), make(chan struct{})
	message := func(sequence uint64, addressed bool, body string) []byte {
		return agentswitch.AppendEventFrame(nil, agentswitch.Event{RoomID: "room-1", Sequence: sequence, Payload: agentswitch.Message{
			Addressed: addressed, SenderName: "Ann", MessageID: fmt.Sprint("msg-", sequence), Body: body,
		}})
	}
	write := func(w http.ResponseWriter, frames ...[]byte) {
		w.Header().Set("Content-Type", agentswitch.ContentTypeStream)
		_, _ = w.Write(bytes.Join(frames, nil))
		_ = http.NewResponseController(w).Flush()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /agents/register-known", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("registered with", r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"id":"agt-1","api_key":"key"}`))
	})
	mux.HandleFunc("GET /agents/agt-1/events", func(w http.ResponseWriter, r *http.Request) {
		fmt.Printf("opened at %s for %q\n", r.FormValue("start_from"), r.FormValue("rooms"))
		switch r.FormValue("start_from") {
		case "head":
			write(w, agentswitch.AppendConnectionStateFrame(nil, agentswitch.ConnectionState{}))
			<-entered
			write(w, agentswitch.AppendSubscriptionChangedFrame(nil, agentswitch.SubscriptionChanged{Rooms: agentswitch.Rooms{"room-1"}}),
				message(1, true, "hello"))
			<-answered
		case "1":
			write(w, agentswitch.AppendConnectionStateFrame(nil, agentswitch.ConnectionState{Rooms: agentswitch.Rooms{"room-1"}}),
				message(2, false, "not for you"), message(3, true, "goodbye"))
			<-answered
		default:
			refusal := agentswitch.InvalidCredentials()
			w.WriteHeader(refusal.Status())
			_, _ = w.Write(refusal.AppendBody(nil))
		}
	})
	mux.HandleFunc("POST /agents/agt-1/connection/beat", func(w http.ResponseWriter, _ *http.Request) {
		rooms := `[]`
		select {
		case <-entered:
			rooms = `["room-1"]`
		default:
		}
		_, _ = fmt.Fprintf(w, `{"ok":true,"rooms":%s,"cursor":0}`, rooms)
	})
	mux.HandleFunc("POST /agents/agt-1/ops/connect_to_room", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println("connected to", string(body))
		close(entered)
		_, _ = w.Write([]byte(`{"result":{"room_id":"room-1"}}`))
	})
	mux.HandleFunc("POST /agents/agt-1/ops/post_message", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println("posted", string(body), "with", r.Header.Get("Idempotency-Key"))
		_, _ = w.Write([]byte(`{"result":{"event_id":"msg-9"}}`))
		answered <- struct{}{}
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
