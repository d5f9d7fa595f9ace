package ayabridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// tokenFile is what the sidecar keeps of a room token.
type tokenFile struct {
	RoomID    string `json:"room_id"`
	AgentID   string `json:"agent_id"`
	Token     string `json:"token"`
	ExpiresAt string `json:"expires_at"`
	Scope     string `json:"scope"`
}

// job is a wake-up in the sidecar's queue.
type job struct {
	DeliveryID, EventType, Reason, RoomID, RoomState, NextActorID string
	NextTurn                                                      int64
}

func (j job) key() string { return fmt.Sprintf("%s %d %s", j.RoomID, j.NextTurn, j.NextActorID) }

// bridge is the sidecar. Its files are fields: they outlive its connections, as files do.
type bridge struct {
	url, apiKey string
	web         *http.Client
	now         func() time.Time
	// hook wakes the agent; an error is an answer outside 2xx.
	hook func(job, tokenFile) error
	// step is told of everything that the sidecar does, before it does the next thing.
	step func(what string)
	// pause is one second of the real sidecar's waiting.
	pause time.Duration
	// retry is how often wake-ups that were refused are tried again, 5 s in the real sidecar; 0: never.
	retry time.Duration

	// work is held by whoever handles a frame or tries again: the real sidecar has one thread.
	work      sync.Mutex
	mu        sync.Mutex
	agentID   string
	session   string
	lastAcked string
	tokens    map[string]tokenFile
	queue     []job
	done      []string
	trace     []string
	hooks     map[string]int
}

const completedKeys = 64

func newBridge(url, apiKey string) *bridge {
	const pause = 20 * time.Millisecond
	return &bridge{
		url: url, apiKey: apiKey, web: &http.Client{Transport: &http.Transport{DisableCompression: true}}, now: time.Now,
		step: func(string) {}, pause: pause, retry: 5 * pause, tokens: map[string]tokenFile{}, hooks: map[string]int{},
	}
}

// errTornDown: something failed that the sidecar answers by reconnecting.
var errTornDown = errors.New("stream torn down")

// note writes a step into the trace.
func (b *bridge) note(what string) {
	b.mu.Lock()
	b.trace = append(b.trace, what)
	b.mu.Unlock()
	b.step(what)
}

func (b *bridge) wait(ctx context.Context, seconds float64) {
	t := time.NewTimer(time.Duration(seconds * float64(b.pause)))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// request is one plain request, as Node's fetch makes it.
func (b *bridge) request(ctx context.Context, method, path, bearer string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.url+path, content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "node")
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", "gzip, deflate")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	return b.web.Do(req)
}

// call makes a request and reads the answer; it gives back the status too.
func (b *bridge) call(ctx context.Context, method, path, bearer string, body, into any) (int, error) {
	resp, err := b.request(ctx, method, path, bearer, body)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	b.note(fmt.Sprintf("%s %s %d", method, path, resp.StatusCode))
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode, fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, data)
	}
	if into == nil {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(data, into)
}

// withSession is call with the session: a 401 has it log in and try once more.
func (b *bridge) withSession(ctx context.Context, method, path string, body, into any) error {
	status, err := b.call(ctx, method, path, b.session, body, into)
	if status == http.StatusUnauthorized {
		if err := b.login(ctx); err != nil {
			return err
		}
		_, err = b.call(ctx, method, path, b.session, body, into)
	}
	return err
}

func (b *bridge) login(ctx context.Context) error {
	var got struct {
		SessionToken string `json:"session_token"`
	}
	if _, err := b.call(ctx, "POST", "/v1/agent/login", "", map[string]string{"api_key": b.apiKey}, &got); err != nil {
		return err
	}
	b.session = got.SessionToken
	return nil
}

// serve follows the agent stream, and tries again what was refused, until ctx ends.
func (b *bridge) serve(ctx context.Context) {
	var retrying sync.WaitGroup
	defer retrying.Wait()
	retrying.Go(func() { b.retryWakes(ctx) })
	failures := 0
	for ctx.Err() == nil {
		opened, err := b.stream(ctx)
		if opened {
			failures = 0
		}
		var refused *openError
		switch {
		case errors.As(err, &refused) && refused.status == http.StatusUnauthorized:
			b.work.Lock()
			err := b.login(ctx)
			b.work.Unlock()
			if err == nil {
				continue
			}
			fallthrough
		case errors.As(err, &refused) || !opened:
			b.wait(ctx, []float64{1, 2, 4, 8, 10}[min(failures, 4)])
			failures++
		default:
			b.wait(ctx, 1)
		}
	}
}

// retryWakes hands what the agent refused to it again, until ctx ends.
func (b *bridge) retryWakes(ctx context.Context) {
	if b.retry == 0 {
		return
	}
	ticker := time.NewTicker(b.retry)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			b.work.Lock()
			b.drain(ctx)
			b.work.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// openError: the stream was refused, or was none.
type openError struct{ status int }

func (e *openError) Error() string { return fmt.Sprintf("stream refused with %d", e.status) }

// stream opens the agent stream and handles its frames one at a time until it ends.
func (b *bridge) stream(ctx context.Context) (opened bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.work.Lock()
	session := b.session
	b.work.Unlock()
	path := "/v1/agent/stream"
	if b.lastAcked != "" {
		path += "?last_delivery_id=" + b.lastAcked
	}
	req, err := http.NewRequestWithContext(ctx, "GET", b.url+path, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("User-Agent", "node")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+session)
	resp, err := b.web.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return false, &openError{resp.StatusCode}
	}
	b.note("GET /v1/agent/stream 200")
	in := bufio.NewReader(resp.Body)
	for {
		frame, err := nextFrame(in)
		if err != nil {
			return true, err
		}
		b.work.Lock()
		err = b.handle(ctx, frame)
		b.work.Unlock()
		if err != nil {
			return true, err
		}
	}
}

// frame is an SSE frame as the sidecar sees it.
type frame struct{ id, event, data string }

// nextFrame splits at two line feeds and nothing else, as the sidecar does: with CR in them it would hear nothing.
func nextFrame(in *bufio.Reader) (f frame, err error) {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return frame{}, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch name, value, _ := strings.Cut(line, ": "); {
		case line == "" && f.data != "":
			return f, nil
		case line == "":
			f = frame{}
		case name == "id":
			f.id = value
		case name == "event":
			f.event = value
		case name == "data":
			f.data = value
		}
	}
}

// handle does what a frame asks for.
func (b *bridge) handle(ctx context.Context, f frame) error {
	var d struct {
		DeliveryID   string          `json:"delivery_id"`
		AgentID      string          `json:"agent_id"`
		RoomID       string          `json:"room_id"`
		RoomState    string          `json:"room_state"`
		NextTurn     json.RawMessage `json:"next_turn"`
		NextActorID  string          `json:"next_actor_id"`
		Reason       string          `json:"reason"`
		ResumeStatus string          `json:"resume_status"`
		RoomToken    string          `json:"room_token"`
	}
	if err := json.Unmarshal([]byte(f.data), &d); err != nil {
		return fmt.Errorf("frame %q: %w", f.data, err)
	}
	if d.RoomToken != "" {
		return errors.New("a frame carries a room token, which the sidecar mishandles")
	}
	b.note("frame " + f.event)
	switch f.event {
	case "stream.hello":
		b.agentID = d.AgentID
		if d.ResumeStatus == "replay_required" {
			return b.recover(ctx)
		}
	case "stream.replay_required":
		return b.recover(ctx)
	case "auth.relogin_required":
		return errors.Join(b.login(ctx), errTornDown)
	case "room.turn_ready":
		turn, err := number(d.NextTurn)
		if err != nil || d.DeliveryID == "" || d.RoomID == "" || f.id != d.DeliveryID {
			return fmt.Errorf("frame that cannot be used: %+v", f)
		}
		return b.turnReady(ctx, job{
			DeliveryID: d.DeliveryID, EventType: f.event, Reason: d.Reason, RoomID: d.RoomID, RoomState: d.RoomState,
			NextTurn: turn, NextActorID: d.NextActorID,
		})
	case "room.closed", "room.purged":
		b.forget(d.RoomID)
		return b.ack(ctx, d.DeliveryID)
	}
	return nil
}

// number insists on a JSON number.
func number(raw json.RawMessage) (n int64, err error) {
	if len(raw) == 0 || raw[0] == '"' {
		return 0, fmt.Errorf("next_turn is %s, not a number", raw)
	}
	err = json.Unmarshal(raw, &n)
	return n, err
}

func (b *bridge) turnReady(ctx context.Context, j job) error {
	if slices.Contains(b.done, j.key()) {
		return b.ack(ctx, j.DeliveryID)
	}
	if err := b.mint(ctx, j.RoomID); err != nil {
		return errTornDown
	}
	b.enqueue(j)
	if err := b.ack(ctx, j.DeliveryID); err != nil {
		return err
	}
	b.drain(ctx)
	return nil
}

// mint gets a token for a room and writes its file.
func (b *bridge) mint(ctx context.Context, room string) error {
	var t tokenFile
	if err := b.withSession(ctx, "POST", "/v1/rooms/"+room+"/access-token", nil, &t); err != nil {
		return err
	}
	t.RoomID = room
	b.tokens[room] = t
	b.note("token written")
	return nil
}

func (b *bridge) enqueue(j job) {
	if !slices.ContainsFunc(b.queue, func(o job) bool { return o.DeliveryID == j.DeliveryID }) {
		b.queue = append(b.queue, j)
	}
	b.note("job queued")
}

func (b *bridge) ack(ctx context.Context, delivery string) error {
	if err := b.withSession(ctx, "POST", "/v1/agent/stream/ack", map[string]string{"delivery_id": delivery}, nil); err != nil {
		return errTornDown
	}
	b.lastAcked = delivery
	return nil
}

// forget drops everything about a room that ended.
func (b *bridge) forget(room string) {
	delete(b.tokens, room)
	b.queue = slices.DeleteFunc(b.queue, func(j job) bool { return j.RoomID == room })
	b.done = slices.DeleteFunc(b.done, func(key string) bool { return strings.HasPrefix(key, room+" ") })
	b.note("room forgotten")
}

// drain hands every queued wake-up to the agent. What the hook refuses stays.
func (b *bridge) drain(ctx context.Context) {
	for _, j := range slices.Clone(b.queue) {
		t, ok := b.tokens[j.RoomID]
		if ends, err := time.Parse(time.RFC3339, t.ExpiresAt); !ok || err != nil || ends.Sub(b.now()) <= time.Minute {
			if b.mint(ctx, j.RoomID) != nil {
				continue
			}
			t = b.tokens[j.RoomID]
		}
		typing := "/v1/rooms/" + j.RoomID + "/typing"
		_, _ = b.call(ctx, "POST", typing, t.Token, map[string]any{"state": "start", "ttl_ms": 30000}, nil)
		b.mu.Lock()
		b.hooks[j.key()]++
		b.mu.Unlock()
		err := b.hook(j, t)
		b.note("hook")
		_, _ = b.call(ctx, "POST", typing, t.Token, map[string]any{"state": "stop"}, nil)
		if err != nil {
			continue
		}
		b.queue = slices.DeleteFunc(b.queue, func(o job) bool { return o.DeliveryID == j.DeliveryID })
		if b.done = append(b.done, j.key()); len(b.done) > completedKeys {
			b.done = b.done[1:]
		}
	}
}

// recover asks for the rooms in which the agent may act, and starts over without a cursor.
func (b *bridge) recover(ctx context.Context) error {
	var got struct {
		Actionable []struct {
			RoomID      string `json:"room_id"`
			RoomState   string `json:"room_state"`
			NextTurn    int64  `json:"next_turn"`
			NextActorID string `json:"next_actor_id"`
			Token       string `json:"token"`
			ExpiresAt   string `json:"expires_at"`
		} `json:"actionable"`
		Terminal []struct {
			RoomID string `json:"room_id"`
		} `json:"terminal"`
	}
	if err := b.withSession(ctx, "GET", "/v1/agent/actionable-rooms", nil, &got); err != nil {
		return errTornDown
	}
	for _, room := range got.Terminal {
		b.forget(room.RoomID)
	}
	for _, room := range got.Actionable {
		j := job{
			DeliveryID: fmt.Sprintf("recovery-%s-%d", room.RoomID, room.NextTurn), EventType: "room.turn_ready", Reason: "recovery",
			RoomID: room.RoomID, RoomState: room.RoomState, NextTurn: room.NextTurn, NextActorID: room.NextActorID,
		}
		b.queue = slices.DeleteFunc(b.queue, func(o job) bool { return o.RoomID == room.RoomID })
		b.tokens[room.RoomID] = tokenFile{RoomID: room.RoomID, AgentID: b.agentID, Token: room.Token, ExpiresAt: room.ExpiresAt}
		if !slices.Contains(b.done, j.key()) {
			b.enqueue(j)
		}
	}
	b.drain(ctx)
	b.lastAcked = ""
	return errTornDown
}

// requests is the trace without what is no request.
func (b *bridge) requests() (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.trace)
}
