package areyouai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"stele/areyouai"
	"stele/areyouai/prompt"
)

// fakeRoom serves one room to two agents with this package's server half. It
// checks turns and hashes as a real server does and closes at maxTurns.
type fakeRoom struct {
	mu       sync.Mutex
	changed  chan struct{}
	agents   []string
	topic    string
	maxTurns int64
	turn     int64
	state    areyouai.RoomState
	events   []areyouai.Event
}

func startFakeRoom() (*fakeRoom, *httptest.Server) {
	f := &fakeRoom{changed: make(chan struct{}), state: areyouai.StateOpen}
	mux := http.NewServeMux()
	for pattern, h := range map[string]func(*http.Request) (int, any, error){
		"POST " + areyouai.PathRegister:       f.register,
		"POST " + areyouai.PathLogin:          f.login,
		"POST " + areyouai.PathListings:       f.list,
		"GET " + areyouai.PathListingsSearch:  f.search,
		"POST " + areyouai.PathListingConnect: f.connect,
		"GET " + areyouai.PathRoomState:       f.room,
		"GET " + areyouai.PathRoomContext:     f.context,
		"POST " + areyouai.PathRoomContextAck: f.ack,
		"POST " + areyouai.PathRoomMessages:   f.send,
		"GET " + areyouai.PathRoomHistory:     f.history,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			status, v, err := h(r)
			f.mu.Unlock()
			if err != nil {
				e := areyouai.AsError(err)
				status, v = e.Status(), e
			}
			body, _ := areyouai.AppendReply(nil, v)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write(body)
		})
	}
	mux.HandleFunc("GET "+areyouai.PathRoomEvents, f.stream)
	return f, httptest.NewServer(mux)
}

// append adds an event and wakes every stream.
func (f *fakeRoom) append(ev areyouai.Event) {
	f.events = append(f.events, ev)
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeRoom) lifecycle(typ areyouai.EventType, sender string) {
	f.append(areyouai.NewRoomEvent(int64(len(f.events))+1, typ, "room_1", sender, at(0)))
}

func (f *fakeRoom) next() string {
	if f.state != areyouai.StateActive {
		return ""
	}
	return f.agents[f.turn%2]
}

// caller is the agent behind a token: agt_x logs in to as_agt_x.
func caller(r *http.Request) (string, error) {
	token, ok := areyouai.ParseBearer(r.Header.Get("Authorization"))
	id, isSession := strings.CutPrefix(token, areyouai.PrefixSessionToken)
	if !ok || !isSession {
		return "", areyouai.NewError(areyouai.CodeUnauthorized)
	}
	return id, nil
}

func decodeBody[T any](r *http.Request, decode func([]byte) (T, error)) (T, error) {
	body, err := areyouai.ReadBody(r.Body)
	if err != nil {
		var zero T
		return zero, err
	}
	return decode(body)
}

func (f *fakeRoom) register(r *http.Request) (int, any, error) {
	req, err := decodeBody(r, areyouai.DecodeRegister)
	id := areyouai.PrefixAgent + strings.ToLower(req.Name)
	return 201, areyouai.RegisterReply{AgentID: id, APIKey: areyouai.PrefixAPIKey + id}, err
}

func (f *fakeRoom) login(r *http.Request) (int, any, error) {
	req, err := decodeBody(r, areyouai.DecodeLogin)
	return 200, areyouai.LoginReply{SessionToken: areyouai.PrefixSessionToken + strings.TrimPrefix(req.APIKey, areyouai.PrefixAPIKey)}, err
}

func (f *fakeRoom) list(r *http.Request) (int, any, error) {
	req, err := decodeBody(r, areyouai.DecodeListing)
	if err != nil {
		return 0, nil, err
	}
	me, err := caller(r)
	f.agents, f.topic, f.maxTurns = []string{me}, req.Topic, req.MaxTurns
	f.lifecycle(areyouai.EventRoomCreated, me)
	f.lifecycle(areyouai.EventRoomJoined, me)
	return 201, areyouai.ListingReply{ID: "lst_1", RoomID: "room_1", RoomState: f.state, CreatedAt: at(0)}, err
}

func (f *fakeRoom) search(r *http.Request) (int, any, error) {
	var items []areyouai.ListingItem
	if q := areyouai.NormalizeQuery(r.URL.Query().Get("q")); len(f.agents) == 1 && areyouai.MatchesQuery(q, f.topic, nil) {
		items = []areyouai.ListingItem{{ID: "lst_1", AgentID: f.agents[0], Topic: f.topic, CreatedAt: at(0)}}
	}
	return 200, areyouai.NewSearchReply(items), nil
}

func (f *fakeRoom) room(r *http.Request) (int, any, error) {
	_, err := caller(r)
	return 200, areyouai.RoomReply{ID: "room_1", State: f.state, TurnIndex: f.turn, NextTurn: f.turn, NextActorID: f.next()}, err
}

func (f *fakeRoom) connect(r *http.Request) (int, any, error) {
	me, err := caller(r)
	if len(f.agents) == 2 {
		return 0, nil, areyouai.NewError(areyouai.CodeListingAlreadyConnected)
	}
	f.agents, f.state = append(f.agents, me), areyouai.StateActive
	f.lifecycle(areyouai.EventRoomJoined, me)
	f.lifecycle(areyouai.EventRoomStateChanged, me)
	return 201, areyouai.ConnectReply{RoomID: "room_1", AgentAID: f.agents[0], AgentBID: me, RoomState: f.state}, err
}

func (f *fakeRoom) bundle(reader string) prompt.Bundle {
	in := prompt.Input{
		RoomID: "room_1", Topic: f.topic, SelfAgentID: reader, AgentAID: f.agents[0], State: f.state,
		TurnIndex: f.turn, MaxTurns: f.maxTurns, TTLAt: time.Unix(1_800_000_000, 0),
	}
	for _, ev := range f.events {
		if ev.Type == areyouai.EventMessageCreated {
			in.Recent = append(in.Recent, prompt.Message{Turn: *ev.Turn, SenderID: ev.SenderID, Text: ev.Ciphertext})
		}
	}
	return prompt.Render(in)
}

func (f *fakeRoom) context(r *http.Request) (int, any, error) {
	me, err := caller(r)
	b := f.bundle(me)
	out := areyouai.NewContextReply("room_1", f.turn, f.next())
	out.BundleHash, out.PromptBundleText, out.LayerHashes, out.OrderedStack = b.Hash, b.Text, b.Layers, b.OrderedStack
	return 200, out, err
}

func (f *fakeRoom) ack(r *http.Request) (int, any, error) {
	req, err := decodeBody(r, areyouai.DecodeContextAck)
	if err != nil {
		return 0, nil, err
	}
	me, err := caller(r)
	return 200, areyouai.ContextAckReply{RoomID: "room_1", AgentID: me, TurnIndex: req.TurnIndex}, err
}

func (f *fakeRoom) send(r *http.Request) (int, any, error) {
	req, err := decodeBody(r, areyouai.DecodeSend)
	if err != nil {
		return 0, nil, err
	}
	me, err := caller(r)
	switch {
	case err != nil:
		return 0, nil, err
	case f.state != areyouai.StateActive:
		return 0, nil, areyouai.NewError(areyouai.CodeRoomNotActive)
	case req.ExpectedTurn != f.turn || f.next() != me:
		return 0, nil, areyouai.NewError(areyouai.CodeTurnMismatch)
	case req.CheckSize() != nil:
		return 0, nil, req.CheckSize()
	case !req.HashMatches(f.bundle(me).Hash):
		return 0, nil, areyouai.NewError(areyouai.CodeStaleBundleHash)
	}
	id := int64(len(f.events)) + 1
	f.append(areyouai.NewMessageEvent(id, "room_1", fmt.Sprintf("msg_%d", f.turn), me, f.turn, req.Ciphertext, at(0)))
	f.turn++
	if f.turn == f.maxTurns {
		f.state = areyouai.StateClosed
		f.lifecycle(areyouai.EventRoomStateChanged, me)
		f.lifecycle(areyouai.EventRoomClosed, me)
	}
	return 201, areyouai.SendReply{Turn: f.turn - 1, NextTurn: f.turn, RoomState: f.state}, nil
}

func (f *fakeRoom) history(r *http.Request) (int, any, error) {
	q, err := areyouai.ParseHistoryQuery(r.URL.Query())
	items := f.events[min(int(q.Since), len(f.events)):]
	return 200, areyouai.NewHistoryReply("room_1", q.Since, items[:min(q.Limit, len(items))]), err
}

// stream loses every second event and ends after three, so that whoever hears
// everything has repaired and resumed.
func (f *fakeRoom) stream(w http.ResponseWriter, r *http.Request) {
	since, err := areyouai.ParseCursor(r.URL.Query().Get("since"), r.Header.Get("Last-Event-ID"))
	if err != nil {
		return
	}
	areyouai.SetStreamHeaders(w.Header())
	_, _ = io.WriteString(w, areyouai.StreamPreamble)
	for range 3 {
		var ev areyouai.Event
		f.mu.Lock()
		for since >= int64(len(f.events)) {
			changed := f.changed
			f.mu.Unlock()
			w.(http.Flusher).Flush()
			select {
			case <-changed:
			case <-r.Context().Done():
				return
			}
			f.mu.Lock()
		}
		if since%3 == 0 && since+1 < int64(len(f.events)) {
			since++
		}
		ev = f.events[since]
		f.mu.Unlock()
		b, _ := areyouai.AppendEventFrame(nil, ev)
		_, _ = w.Write(b)
		since = ev.EventID
	}
}
