package areyouaifront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
)

// commons is an open room of Ada and Bob that people may watch with "code".
func (g *gate) commons() room {
	g.t.Helper()
	ada, bob := g.person("Ada"), g.person("Bob")
	made, _, err := g.node.CreateRoom(g.t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "commons", Listing: &core.Listing{ID: "lst_long", Agent: ada.id}},
		Members: []core.NewMember{{Agent: ada.id, Name: "Ada"}, {Agent: bob.id, Name: "Bob"}}, HumanCodeHash: core.HashSecret("code"),
	}, nil)
	require.NoError(g.t, err)
	return room{g: g, id: made.Room, a: ada, b: bob}
}

// TestLongHistory: a page of history that is long comes whole and piece by piece, so that whoever reads it slowly holds
// little of the gateway's memory.
func TestLongHistory(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.commons()
	ada, bob := r.a, r.b
	const count = 40
	text := strings.Repeat("long ", 10_000)
	for i := range count {
		_, _, err := g.node.PostMessage(t.Context(), r.id, core.PostMessage{Sender: bob.id, Text: fmt.Sprint(i, " ", text)}, nil)
		require.NoError(t, err)
	}
	short := g.get(r.path("/events/history?limit=2"), ada.token)
	require.NotEmpty(t, short.header.Get("Content-Length"))
	first := as[areyouai.HistoryReply](g, 200, short)
	require.Len(t, first.Items, 2)

	url, client := g.narrow()
	ask := func() *http.Response {
		path := fmt.Sprintf("%s%s?since=%d", url, r.path("/events/history"), first.NextSince)
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+ada.token)
		resp, err := client.Do(req)
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
		require.EqualValues(t, -1, resp.ContentLength, "it is not gathered before it is sent")
		return resp
	}
	whole := func(resp *http.Response) (page areyouai.HistoryReply, err error) {
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&page)
		return page, err
	}
	page, err := whole(ask())
	require.NoError(t, err)
	require.Equal(t, r.id, page.RoomID)
	said := 0
	for i, e := range page.Items {
		require.Equal(t, first.NextSince+int64(i)+1, e.EventID)
		if e.Type == areyouai.EventMessageCreated {
			require.Equal(t, fmt.Sprint(said, " ", text), e.Ciphertext)
			said++
		}
	}
	require.Equal(t, count, said)
	require.Equal(t, page.Items[len(page.Items)-1].EventID, page.NextSince)

	// A room that is purged while somebody reads: half a page must not pass for a whole one.
	resp := ask()
	w := watched{room: r, code: "code"}
	closeNow(t, g, w)
	w.purge()
	_, err = whole(resp)
	require.Error(t, err)
	require.Equal(t, "gone", g.get(r.path("/events/history"), ada.token).code())
}

// narrow serves the gate's front as it is, without a check that gathers answers, and returns its URL and a client for which
// the kernel takes little of what it has not read.
func (g *gate) narrow() (url string, client *http.Client) {
	srv := httptest.NewUnstartedServer(g.front.Handler())
	srv.Config.ConnContext = smallBuffer
	srv.Start()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(64 << 10)
	}}
	g.t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	return srv.URL, &http.Client{Transport: transport}
}
