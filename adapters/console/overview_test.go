package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/memlog"
)

// figureOf finds the number of one of the overview's cards.
func figureOf(t *testing.T, body, card string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)aria-labelledby="` + card + `">.*?<p class="figure">(\d+)</p>\s*<p[^>]*>(.*?)</p>`).FindStringSubmatch(body)
	require.NotNil(t, m, body)
	words := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[2], "")
	return m[1] + ": " + strings.Join(strings.Fields(words), " ")
}

// patient are options under which nobody's lease lapses because the machine is busy.
func patient() core.Options { return core.Options{LeaseTTL: time.Hour} }

func TestTheOverviewCountsWhatOneSees(t *testing.T) {
	h := newHouseIn(t, memlog.New(), patient(), console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	h.room("his", "karl", ada)
	others := h.room("others", "acme", bob)
	_, _, err := h.node.CloseRoom(t.Context(), others, core.CloseRoom{Actor: bob.ID}, nil)
	require.NoError(t, err)
	for _, a := range []core.Agent{ada, bob} {
		_, err := h.node.OpenConnection(t.Context(), a.ID, core.OpenRequest{ID: "c-" + a.Handle, Scope: core.ScopeAll, Filter: core.FilterAll})
		require.NoError(t, err)
	}
	defer h.node.Attend(ada.ID, "", "areyouai")()
	defer h.node.Attend(bob.ID, others, "edge")()
	defer h.node.Attend(bob.ID, others, "edge")()

	all := h.signedIn("olga").get("/gateway").body
	require.Equal(t, "2: ACTIVE 1 CLOSED 1", figureOf(t, all, "rooms"))
	require.Equal(t, "2: of all owners, and people who speak", figureOf(t, all, "agents"))
	require.Equal(t, "5: switch 2 areyouai 1 edge 2", figureOf(t, all, "connections"))
	require.Contains(t, all, "Messages per minute")
	require.Contains(t, all, "All is well.")

	his := h.signedIn("karl").get("/gateway").body
	require.Equal(t, "1: ACTIVE 1", figureOf(t, his, "rooms"))
	require.Equal(t, "1: that you own", figureOf(t, his, "agents"))
	require.Equal(t, "2: switch 1 areyouai 1", figureOf(t, his, "connections"))
	require.NotContains(t, his, "Messages per minute", "traffic is the gateway's, and not the user's own")
	require.NotContains(t, his, "bob")
}

// moment is a clock that only tests move.
type moment struct{ at atomic.Int64 }

func (m *moment) now() time.Time { return time.UnixMilli(m.at.Load()).UTC() }

func TestTheOverviewDrawsTheTraffic(t *testing.T) {
	m := &moment{}
	began := time.Now().UTC().Truncate(time.Minute).Add(30 * time.Second)
	m.at.Store(began.UnixMilli())
	h := newHouseIn(t, memlog.New(), core.Options{Now: m.now, SweepEvery: time.Hour}, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	b := h.signedIn("olga")
	require.Contains(t, b.get("/gateway").body, "Nothing was delivered yet.")
	r := h.node.NewRoomReader(room, h.node.Applied())
	defer r.Close()
	r.Serve(ada.ID, "edge", room)
	for range 4 {
		h.says(room, ada, "x")
	}
	m.at.Add(12_000)
	_, err := r.Read(t.Context(), 100, nil)
	require.NoError(t, err)
	m.at.Add(30 * 60_000)
	h.says(room, ada, "x")

	body := b.get("/gateway").body
	require.Contains(t, body, "5 messages in the last hour, at most 4 in a minute, 1 in the present one.")
	require.Contains(t, body, `<rect class="bar-now" x="348" y="0" width="9" height="120"/>`)
	require.Contains(t, body, `<rect class="bar-now" x="708" y="90" width="9" height="30"/>`)
	require.Equal(t, 2, strings.Count(body, `<rect class="bar-now"`))
	require.Contains(t, body, began.Format(`<tr><td>15:04</td>`)+`<td class="number">4</td></tr>`)
	require.Contains(t, body, began.Add(30*time.Minute).Format(`<tr><td>15:04</td>`)+`<td class="number">1</td></tr>`)
	require.Equal(t, 60, strings.Count(body, "</td></tr>"))
	require.Contains(t, body, "12.0 s")
	require.Contains(t, body, "over the newest 4.")
	require.NotContains(t, body, "style=")
	require.Less(t, len(body), 30<<10)
}

func TestTheOverviewSaysWhatIsWrong(t *testing.T) {
	log := &fullLog{Log: memlog.New()}
	h := newHouseIn(t, log, core.Options{}, console.Options{})
	ada, bob := h.agent("ada", "karl"), h.agent("bob", "acme")
	room := h.room("ops", "acme", ada, bob)
	r := h.node.NewAgentReader(ada.ID, h.node.Applied())
	defer r.Close()
	r.Serve(ada.ID, "switch", "<b>c-1</b>")
	other := h.node.NewAgentReader(bob.ID, h.node.Applied())
	defer other.Close()
	other.Serve(bob.ID, "switch", "c-2")
	for range 1001 {
		h.says(room, bob, "x")
	}
	olga, karl := h.signedIn("olga"), h.signedIn("karl")
	log.full.Store(true)
	_, _, err := h.node.PostMessage(context.Background(), room, core.PostMessage{Sender: ada.ID, Text: "x"}, nil)
	require.ErrorIs(t, err, core.ErrFull)

	all, his := olga.get("/gateway").body, karl.get("/gateway").body
	link := func(a core.Agent) string {
		return fmt.Sprintf(`<a href="/gateway/agents/%s"><bdi>%s</bdi></a>`, a.ID, a.Handle)
	}
	for _, body := range []string{all, his} {
		require.Contains(t, body, "The disk is full")
		require.Contains(t, body, link(ada)+" is 1001 events behind (switch, &lt;b&gt;c-1&lt;/b&gt;)")
		require.NotContains(t, body, "All is well")
	}
	require.Contains(t, all, link(bob))
	require.NotContains(t, his, link(bob))
	log.full.Store(false)
}

func TestTheOverviewSaysSinceWhenItCounts(t *testing.T) {
	log, o := memlog.New(), core.Options{Snapshots: memlog.NewSnapshots()}
	h := newHouseIn(t, log, o, console.Options{})
	ada := h.agent("ada", "karl")
	h.says(h.room("ops", "karl", ada), ada, "x")
	h.close()
	again := openHouse(t, log, o, console.Options{})
	body := again.signedIn("olga").get("/gateway").body
	require.Regexp(t, `0 messages since \d\d:\d\d:\d\d UTC, when this node started`, body)
	require.Contains(t, body, `<td class="number">not counted</td>`)
	require.Contains(t, body, `<rect class="unknown"`)
}

// fullLog has no room while it is told so.
type fullLog struct {
	core.Log
	full atomic.Bool
}

func (l *fullLog) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if l.full.Load() {
		return nil, core.ErrFull
	}
	return l.Log.Append(ctx, s, last, e)
}

func TestTheOverviewIsLive(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "karl")
	room := h.room("ops", "karl", ada)
	b := h.signedIn("olga")
	next := follow(t, b, "/gateway/live")
	first := map[string]bool{}
	for range 3 {
		first[next().name] = true
	}
	require.Equal(t, map[string]bool{"health": true, "figures": true, "traffic": true}, first)
	h.says(room, ada, "x")
	for {
		e := next()
		require.Equal(t, "traffic", e.name, "only what has changed")
		if strings.Contains(e.data, "1 message in the last hour") {
			break
		}
	}
	_, err := h.node.CreateUser(t.Context(), core.NewUser{Name: "another", Admin: true})
	require.NoError(t, err)
	require.NoError(t, h.node.SetAdmin(t.Context(), h.olga.ID, false))
	e := next()
	for e.name == "traffic" {
		// Another minute has begun.
		e = next()
	}
	require.Equal(t, "figures", e.name)
	require.Contains(t, e.data, "Your rooms", "who is no administrator any more sees no more than others")
	for _, k := range h.node.UserKeys(h.olga.ID) {
		require.NoError(t, h.node.RevokeUserKey(t.Context(), h.olga.ID, k.ID))
	}
	require.Equal(t, "over", next().name)
	require.Equal(t, http.StatusSeeOther, b.get("/gateway").status)
}

// What somebody wanted to say while the disk was full stands in the page again.
func TestAFullDiskLosesNoDraft(t *testing.T) {
	log := &fullLog{Log: memlog.New()}
	h := newHouseIn(t, log, core.Options{}, console.Options{})
	room := h.room("ops", "karl", h.agent("ada", "karl"))
	b, at := h.signedIn("karl"), "/gateway/rooms/"+room
	require.Equal(t, http.StatusSeeOther, b.post(at+"/join", nil).status)
	log.full.Store(true)
	a := b.post(at+"/say", url.Values{"body": {"a long thought"}})
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, a.body, "The disk is full")
	require.Contains(t, a.body, ">a long thought</textarea>")
}
