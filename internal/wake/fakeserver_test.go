package wake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/areyouai"
)

const (
	testKey   = "ak_secret-key-of-the-agent"
	testAgent = "agt_me"
)

// fakeServer is an areyouai server as far as a sidecar sees one, with its own memory of deliveries, tokens and rooms. It
// follows the contract's sections on the agent stream and the sidecar, also where the contract is harsh: a mint revokes
// the token before, and a stale delivery stays pending.
type fakeServer struct {
	mu       sync.Mutex
	changed  chan struct{}
	agent    string
	key      string
	sessions map[string]bool
	rooms    map[string]*fakeRoom
	inbox    []*fakeDelivery
	minted   int
	logins   int
	log      []string
	// refuse decides about a request before it is looked at; 0 lets it through.
	refuse func(r *http.Request) (status int)
	// retryAfter is sent with refusals, and so is page, if set, in place of the protocol's body.
	retryAfter, page string
	// closing ends the open streams.
	closing chan struct{}
	noCaps  bool
	// poison is sent before every delivery.
	poison string
	// always refuses every cursor, none included.
	always bool
}

type fakeRoom struct {
	state  areyouai.RoomState
	turn   int64
	actor  string
	token  string
	typing int
}

type fakeDelivery struct {
	frame   areyouai.AgentFrame
	acked   bool
	expired bool
	acks    int
}

func newFakeServer() *fakeServer {
	return &fakeServer{
		changed: make(chan struct{}), closing: make(chan struct{}), agent: testAgent, key: testKey,
		sessions: map[string]bool{}, rooms: map[string]*fakeRoom{},
		refuse: func(*http.Request) int { return 0 },
	}
}

func (s *fakeServer) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// ready makes it the agent's turn in a room and delivers that.
func (s *fakeServer) ready(room string, turn int64) string {
	return s.readyAs(fmt.Sprintf("dly_%s_%d", room, turn), room, turn)
}

func (s *fakeServer) readyAs(id, room string, turn int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[room]
	if r == nil {
		r = &fakeRoom{}
		s.rooms[room] = r
	}
	r.state, r.turn, r.actor = areyouai.StateActive, turn, s.agent
	now := areyouai.NewTime(time.Now())
	s.inbox = append(s.inbox, &fakeDelivery{frame: areyouai.TurnReady{
		Type: areyouai.FrameTurnReady, DeliveryID: id, AgentID: s.agent, TargetAgentID: s.agent, RoomID: room,
		RoomState: areyouai.StateActive, NextTurn: turn, NextActorID: s.agent, Reason: areyouai.ReasonPeerMessage,
		OccurredAt: now, CreatedAt: now, ExpiresAt: areyouai.NewTime(now.Add(areyouai.ReplayWindow)),
	}})
	s.notify()
	return id
}

// answer is what a woken agent does: it sends, and the turn moves on.
func (s *fakeServer) answer(room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rooms[room].turn++
	s.rooms[room].actor = "agt_peer"
}

// end closes a room and delivers that.
func (s *fakeServer) end(room string, how areyouai.FrameType) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[room]
	r.state, r.token = areyouai.StateClosed, ""
	if how == areyouai.FrameRoomPurged {
		r.state = areyouai.StatePurged
	}
	id := fmt.Sprintf("dly_%s_%s", room, how)
	now := areyouai.NewTime(time.Now())
	s.inbox = append(s.inbox, &fakeDelivery{frame: areyouai.RoomEnded{
		Type: how, DeliveryID: id, AgentID: s.agent, TargetAgentID: s.agent, RoomID: room, RoomState: r.state,
		Reason: areyouai.ReasonManualClose, OccurredAt: now, ClosedAt: &now, CreatedAt: now, ExpiresAt: now,
	}})
	s.notify()
	return id
}

// expire makes every delivery too old to be had.
func (s *fakeServer) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.inbox {
		d.expired = true
	}
}

// revoke ends all sessions; open streams are told.
func (s *fakeServer) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
	s.notify()
}

// cut ends the open streams as a restart of the server would.
func (s *fakeServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.closing)
	s.closing = make(chan struct{})
}

func (s *fakeServer) token(room string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rooms[room].token
}

func (s *fakeServer) acked(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.inbox, func(d *fakeDelivery) bool { return d.frame.Delivery() == id && d.acked })
}

// requests returns what was asked since the last call, without the ids of rooms.
func (s *fakeServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.log
	s.log = nil
	return got
}

func (s *fakeServer) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.RequestURI(), "/v1")
	s.note("%s %s", r.Method, path)
	s.mu.Lock()
	status, page := s.refuse(r), s.page
	s.mu.Unlock()
	if status != 0 {
		if s.retryAfter != "" {
			w.Header().Set("Retry-After", s.retryAfter)
		}
		if page == "" {
			reply(w, status, areyouai.ParseError(status, nil))
			return
		}
		w.WriteHeader(status)
		fmt.Fprintln(w, page)
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/capabilities", s.capabilities)
	mux.HandleFunc("POST /v1/agent/login", s.login)
	mux.HandleFunc("GET /v1/agent/stream", s.session(s.stream))
	mux.HandleFunc("POST /v1/agent/stream/ack", s.session(s.ack))
	mux.HandleFunc("GET /v1/agent/actionable-rooms", s.session(s.actionable))
	mux.HandleFunc("POST /v1/rooms/{id}/access-token", s.session(s.mint))
	mux.HandleFunc("GET /v1/rooms/{id}/state", s.session(s.state))
	mux.HandleFunc("POST /v1/rooms/{id}/typing", s.typing)
	mux.ServeHTTP(w, r)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, code areyouai.Code) {
	e := areyouai.NewError(code)
	reply(w, e.Status(), e)
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (s *fakeServer) session(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		ok := s.sessions[bearer(r)]
		s.mu.Unlock()
		if !ok {
			refuse(w, areyouai.CodeUnauthorized)
			return
		}
		next(w, r)
	}
}

func (s *fakeServer) capabilities(w http.ResponseWriter, _ *http.Request) {
	c := areyouai.NewCapabilities()
	if s.noCaps {
		c.Features.AgentStream = false
		c.Disable("room_access_token", "")
	}
	reply(w, http.StatusOK, c)
}

func (s *fakeServer) login(w http.ResponseWriter, r *http.Request) {
	var req areyouai.LoginRequest
	_ = json.NewDecoder(r.Body).Decode(&req)
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.APIKey != s.key {
		refuse(w, areyouai.CodeUnauthorized)
		return
	}
	s.logins++
	token := fmt.Sprintf("as_secret-session-%d", s.logins)
	s.sessions[token] = true
	reply(w, http.StatusOK, areyouai.LoginReply{SessionToken: token})
}

func (s *fakeServer) mintLocked(r *fakeRoom) areyouai.Time {
	s.minted++
	r.token = fmt.Sprintf("rat_secret-room-%d", s.minted)
	return areyouai.NewTime(time.Now().Add(areyouai.RoomTokenTTL))
}

func (s *fakeServer) mint(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	room := s.rooms[id]
	switch {
	case room == nil:
		refuse(w, areyouai.CodeRoomNotFound)
	case room.state != areyouai.StateActive:
		refuse(w, areyouai.CodeGone)
	default:
		expires := s.mintLocked(room)
		reply(w, http.StatusCreated, areyouai.NewAccessTokenReply(id, s.agent, room.token, expires))
	}
}

func (s *fakeServer) state(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	room := s.rooms[id]
	if room == nil {
		refuse(w, areyouai.CodeRoomNotFound)
		return
	}
	reply(w, http.StatusOK, areyouai.RoomReply{ID: id, State: room.state, TurnIndex: room.turn, NextTurn: room.turn, NextActorID: room.actor})
}

func (s *fakeServer) typing(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var req areyouai.TypingRequest
	_ = json.NewDecoder(r.Body).Decode(&req)
	room := s.rooms[r.PathValue("id")]
	if room == nil || room.token == "" || bearer(r) != room.token {
		refuse(w, areyouai.CodeUnauthorized)
		return
	}
	if req.State == areyouai.TypingStart {
		room.typing++
	}
	// Another request may have come in since this one was noted.
	if i := slices.Index(s.log, "POST /rooms/"+r.PathValue("id")+"/typing"); i >= 0 {
		s.log[i] += " " + string(req.State)
	}
	reply(w, http.StatusOK, struct{}{})
}

func (s *fakeServer) ack(w http.ResponseWriter, r *http.Request) {
	var req areyouai.StreamAckRequest
	_ = json.NewDecoder(r.Body).Decode(&req)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.inbox {
		if d.frame.Delivery() == req.DeliveryID {
			d.acked = true
			d.acks++
			reply(w, http.StatusOK, areyouai.NewStreamAckReply(req.DeliveryID))
			return
		}
	}
	refuse(w, areyouai.CodeNotFound)
}

func (s *fakeServer) actionable(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := areyouai.NewActionableReply(nil, nil)
	for id, room := range s.rooms {
		switch {
		case room.state == areyouai.StateActive && room.actor == s.agent:
			expires := s.mintLocked(room)
			out.Actionable = append(out.Actionable, areyouai.ActionableRoom{
				RoomID: id, RoomState: room.state, NextTurn: room.turn, NextActorID: room.actor, Token: room.token, ExpiresAt: expires,
			})
		case room.state != areyouai.StateActive:
			out.Terminal = append(out.Terminal, areyouai.TerminalRoom{RoomID: id, RoomState: room.state})
		}
	}
	reply(w, http.StatusOK, out)
}
