package conformance

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/adapters/transport"
	"stele/internal/testsocket"
)

var errVeto = errors.New("not today")

// patient lets a client that attaches take its time.
func patient() edgefront.Options { return edgefront.Options{AttachGrace: patience} }

func TestConnectGate(t *testing.T) {
	t.Parallel()
	shows(t, "6-connect", "6-connect-kept", "6-pending", "12-1013", "12-early-ping", "13-veto")
	o, asked, open := patient(), make(chan struct{}, 8), make(chan struct{})
	o.OnConnect = func(ctx context.Context, r *http.Request) error {
		if r.URL.Query().Has("no") {
			return errVeto
		}
		if r.URL.Query().Has("slow") {
			asked <- struct{}{}
			select {
			case <-open:
			case <-ctx.Done():
			}
		}
		return nil
	}
	s, _ := inside(t, o)
	r := s.room(t)
	refused := s.open(t, r.at+"?no=1")
	refused.send(attachText(r.a.key))
	refused.closed(1008, "refused")
	s.do(t, "GET", r.at+"?subscribe=state&no=1", r.a.key, nil).refused(403, unauthorized)
	s.do(t, "POST", r.at+"/rpc/getRoomState?no=1", r.a.key, nil).refused(403, unauthorized)
	kept, full := s.open(t, r.at+"?slow=1"), s.raw(t, r.at+"?slow=1")
	<-asked
	<-asked
	kept.send(attachText(r.a.key, `,"subscribe":[]`), callText("1", "shout", ""), callText("2", "getRoomState", ""))
	for range 61 {
		kept.send(pingText)
	}
	for range 65 {
		full.Put(testsocket.Text(pingText))
	}
	require.Equal(t, 1013, full.CloseCode())
	full.Gone()
	close(open)
	texts := kept.until(`"id":"2"`)
	require.Equal(t, []string{"attached", "hello"}, kinds(t, texts[:2]))
	require.Len(t, of("error", texts), 1)
	for n := len(of("pong", texts)); n < 61; n++ {
		kept.expect(pongText)
	}
	kept.silent()
}

func TestAttachGate(t *testing.T) {
	t.Parallel()
	shows(t, "6-veto", "13-veto")
	o, seen := patient(), make(chan edgefront.Admission, 3)
	o.OnAttach = func(_ context.Context, a edgefront.Admission) error {
		seen <- a
		return errVeto
	}
	s, _ := inside(t, o)
	r := s.room(t)
	l := s.first(t, r.at, attachText(r.a.key))
	l.closed(1008, "refused")
	s.do(t, "GET", r.at+"?subscribe=state", r.a.key, nil).refused(403, unauthorized)
	s.do(t, "POST", r.at+"/rpc/getRoomState", r.a.key, nil).refused(403, unauthorized)
	for range 3 {
		a := <-seen
		require.Equal(t, []any{r.a.id, r.id}, []any{a.Agent, a.Room})
		require.Equal(t, []string{"read", "rpc"}, a.Claims)
	}
}

func TestBootstrapFails(t *testing.T) {
	t.Parallel()
	shows(t, "6-fails")
	s, fail := broken(t)
	r := s.room(t)
	r.say(t, r.a, "words")
	s.attached(t, r.at, r.a.key)
	fail()
	l := s.first(t, r.at, attachText(r.a.key))
	for {
		x, err := l.read()
		if err != nil {
			require.ErrorContains(t, err, "internal error")
			break
		}
		require.NotEqual(t, helloText, x)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	shows(t, "12-budget")
	o := patient()
	o.CallBudget = time.Nanosecond
	s, _ := inside(t, o)
	r := s.room(t)
	l := s.attached(t, r.at, r.a.key, `,"subscribe":[]`)
	l.send(callText("1", "readContext", ""))
	l.fails(failed("1", "method_error"))
	l.silent()
}

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	shows(t, "13-alive")
	o := patient()
	o.KeepAlive = 50 * time.Millisecond
	s, _ := inside(t, o)
	r := s.room(t)
	st := s.stream(t, r.at+"?subscribe=messages", r.a.key)
	st.until(t, helloText)
	for range 3 {
		comment := st.next(t)
		require.True(t, strings.HasPrefix(comment.raw, ":"), comment.raw)
		require.Empty(t, comment.data)
	}
	r.say(t, r.a, "words")
	st.until(t, `"content":"words"`)
}

func TestCreateLimit(t *testing.T) {
	t.Parallel()
	shows(t, "2-create-limit")
	o := patient()
	o.CreatesPerHour = 2
	s, c := inside(t, o)
	a := s.agent(t)
	path := func(name string) string { return "/agents/" + a.id + "/" + name }
	open := func(name string) *link {
		l := s.first(t, path(name), attachText(a.key))
		return l
	}
	for _, name := range []string{"one", "two", "one"} {
		open(name).until(helloText)
	}
	l := open("three")
	l.fails(unauthorized)
	l.closed(1013, "too many new conversations")
	refused := s.do(t, "POST", path("three")+"/rpc/getRoomState", a.key, nil).refused(429, unauthorized)
	require.Regexp(t, `^3[56]\d\d$`, refused.header.Get("Retry-After"))
	s.do(t, "GET", path("three")+"?subscribe=state", a.key, nil).refused(429, unauthorized)
	open("two").until(helloText)
	c.Advance(time.Hour)
	open("three").until(helloText)
}

func TestGuesses(t *testing.T) {
	t.Parallel()
	shows(t, "7-guesses")
	o := patient()
	o.Guesses = transport.NewGuesses(2, 0, time.Minute)
	s, c := inside(t, o)
	turns := s.listed(t)
	open := func(token string) *link { return s.first(t, turns.at, attachText(token)) }
	for _, token := range []string{"nonsense", turns.code + "x", "ak_replaced", turns.code + "y"} {
		l := open(token)
		l.fails(unauthorized)
		l.closed(1008, "refused")
	}
	l := open(turns.code)
	l.fails(unauthorized)
	l.closed(1013, "too many wrong codes")
	refused := s.do(t, "GET", turns.at+"?subscribe=state", turns.code, nil).refused(429, unauthorized)
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	open(turns.viewer).until(helloText)
	open(turns.b.key).until(helloText)
	c.Advance(time.Minute)
	open(turns.code).until(helloText)
}
