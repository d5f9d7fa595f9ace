package switchfront_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// got is a frame as a client of the model got it, in the words of the reference.
type got struct {
	kind, text      string
	number, resumed uint64
}

func (g got) String() string {
	switch g.kind {
	case "gap":
		return fmt.Sprintf("gap %d..%d %s", g.number, g.resumed, g.text)
	case "message", "room_join":
		return fmt.Sprintf("%d %s %s", g.number, g.kind, g.text)
	case "connection_state":
		return fmt.Sprintf("connection_state %s at %d", g.text, g.number)
	}
	return g.kind + " " + g.text
}

func (b bounds) String() string {
	if b.low == b.high {
		return fmt.Sprint(b.low)
	}
	return fmt.Sprintf("(%d to %d)", b.low, b.high)
}

func (w want) String() string {
	switch w.kind {
	case "gap":
		return fmt.Sprintf("gap %v..%v %s", w.number, w.resumed, w.text)
	case "message", "room_join":
		return fmt.Sprintf("%v %s %s", w.number, w.kind, w.text)
	case "connection_state":
		return fmt.Sprintf("connection_state %s at %v", w.text, w.number)
	}
	return w.kind + " " + w.text
}

// matches tells whether a frame is what the reference wants.
func (w want) matches(g got) bool {
	if w.kind == "gap" && w.text == "restarted" && g.number != g.resumed {
		return false
	}
	return w.kind == g.kind && w.text == g.text && w.number.has(g.number) && w.resumed.has(g.resumed)
}

// agree tells whether frames are what the reference wants, in its order.
func agree(wants []want, seen []got) bool {
	switch {
	case len(wants) == 0:
		return len(seen) == 0
	case wants[0].perhaps && agree(wants[1:], seen):
		return true
	}
	return len(seen) > 0 && wants[0].matches(seen[0]) && agree(wants[1:], seen[1:])
}

// listener is the client's end of one stream.
type listener struct {
	conn   string
	stream *refStream
	cancel context.CancelFunc
	// away: the client reads nothing of what comes.
	away bool
	// last is the id of the newest event on this stream.
	last uint64

	mu     sync.Mutex
	frames []string
	// ended and how, once nothing can come any more.
	ended  bool
	broken error
}

// listen opens a stream and waits for the answer. refused is the body of an open that was refused.
func (w *world) listen(agent, conn, query string, headers ...string) (l *listener, status int, refused string) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET",
		"http://gateway/agents/"+w.ids[agent]+"/events?connection_id="+conn+query, nil)
	w.must(err)
	req.Header.Set("Authorization", "Bearer "+w.keys[agent])
	req.Header.Set("Accept", "text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := w.http.Do(req)
	w.must(err)
	if res.StatusCode != 200 {
		body, err := io.ReadAll(res.Body)
		w.must(err)
		_ = res.Body.Close()
		cancel()
		return nil, res.StatusCode, w.names.Replace(string(body))
	}
	l = &listener{conn: conn, cancel: cancel}
	go l.read(res.Body)
	return l, 200, ""
}

// read takes in frames until the body ends.
func (l *listener) read(body io.ReadCloser) {
	defer func() { _ = body.Close() }()
	r := bufio.NewReader(body)
	var frame strings.Builder
	for {
		line, err := r.ReadString('\n')
		frame.WriteString(line)
		l.mu.Lock()
		if line == "\n" {
			l.frames = append(l.frames, frame.String())
			frame.Reset()
		}
		if err != nil {
			l.ended, l.broken = true, err
			if err == io.EOF && frame.Len() == 0 {
				l.broken = nil
			}
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

func (l *listener) take() (frames []string, ended bool, broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	frames, l.frames = l.frames, nil
	return frames, l.ended, l.broken
}

// peek returns the frames that have come and leaves them.
func (l *listener) peek() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.frames
}

var frameForm = regexp.MustCompile(`\A(?:id: (\d+)\n)?event: ([a-z_]+)\ndata: (\{[^\r\n]*\})\n\n\z`)

// frameData is what the data of all frames may hold.
type frameData struct {
	Type         string   `json:"type"`
	RoomID       string   `json:"room_id"`
	Sequence     uint64   `json:"sequence"`
	ConnectionID string   `json:"connection_id"`
	AgentID      string   `json:"agent_id"`
	Scope        string   `json:"scope"`
	Filter       string   `json:"filter"`
	Spawn        bool     `json:"spawn_capable"`
	Rooms        []string `json:"rooms"`
	Cursor       uint64   `json:"cursor"`
	Reason       string   `json:"reason"`
	From         uint64   `json:"from_sequence"`
	Resumed      uint64   `json:"resumed_at"`
	Payload      struct {
		Addressed bool   `json:"addressed"`
		Sender    string `json:"sender"`
		Body      string `json:"body"`
		Member    string `json:"member"`
		Listening bool   `json:"listening"`
	} `json:"payload"`
}

// parse reads a frame. Its form is checked here once and for all: the order of its lines, single spaces, no CR, an id on
// events and on nothing else.
func (w *world) parse(frame string) got {
	w.t.Helper()
	frame = w.names.Replace(frame)
	m := frameForm.FindStringSubmatch(frame)
	w.law(m != nil, "frames have the protocol's form", "%q", frame)
	var d frameData
	w.must(json.Unmarshal([]byte(m[3]), &d))
	g := got{kind: m[2]}
	switch g.kind {
	case "message", "room_join":
		w.law(m[1] == fmt.Sprint(d.Sequence) && d.Type == g.kind, "an event's id is its sequence", "%q", frame)
		g.number = d.Sequence
		g.text = d.RoomID + " " + d.Payload.Sender + d.Payload.Member
		if g.kind == "message" {
			g.text += ": " + d.Payload.Body
		}
		if d.Payload.Addressed || d.Payload.Listening {
			g.text += " (addressed)"
		}
		return g
	case "connection_state":
		g.number, g.text = d.Cursor, state(d.ConnectionID, d.AgentID, d.Scope, d.Filter, d.Spawn, d.Rooms)
	case "subscription_changed":
		w.law(d.Reason == "subscription updated", "subscription_changed has one reason", "%q", frame)
		g.text = "[" + strings.Join(d.Rooms, " ") + "]"
	case "evicted":
		g.text = d.Reason
		if strings.HasPrefix(g.text, "heartbeat lapsed") {
			g.text = "heartbeat lapsed"
		}
	case "gap":
		g.number, g.resumed = d.From, d.Resumed
		for _, text := range []string{"restarted", "re-read"} {
			if strings.Contains(d.Reason, text) {
				g.text += text
			}
		}
	}
	w.law(m[1] == "", "control frames have no id", "%q", frame)
	return g
}

// compare holds what the client of a stream got against what the reference wants.
func (w *world) compare(l *listener) {
	w.t.Helper()
	frames, ended, broken := l.take()
	wants := l.stream.wants
	l.stream.wants = nil
	var seen []got
	for _, f := range frames {
		seen = append(seen, w.parse(f))
	}
	for _, g := range seen {
		w.tell("    %s < %v", l.conn, g)
	}
	if l.stream.rushed {
		seen = settled(seen, len(wants) > 0, l.stream.told)
		l.stream.rushed = false
	}
	w.law(agree(wants, seen), "a stream shows what the reference says", "%s got  %v\n        %s wants %v", l.conn, seen, l.conn, wants)
	for _, g := range seen {
		if g.kind == "message" || g.kind == "room_join" {
			w.law(g.number > l.last, "sequences rise on a stream", "%d after %d", g.number, l.last)
			l.last = g.number
			w.seen[l.conn] = max(w.seen[l.conn], g.number)
		}
	}
	w.law(ended == l.stream.ended, "a stream ends when it must and not before", "%s ended: %v, must: %v",
		l.conn, ended, l.stream.ended)
	w.law(broken == nil, "a stream ends in order", "%s: %v", l.conn, broken)
}

// settled leaves of several changes of claims the last one, and none if that is what the client knew before.
func settled(seen []got, changed bool, told []string) (out []got) {
	var last *got
	for i, g := range seen {
		if g.kind == "subscription_changed" {
			last = &seen[i]
		}
	}
	for i, g := range seen {
		fresh := changed || g.text != "["+strings.Join(told, " ")+"]"
		if g.kind != "subscription_changed" || &seen[i] == last && fresh {
			out = append(out, g)
		}
	}
	return out
}
