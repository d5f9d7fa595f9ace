package linear

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
	"stele/core/sqlitelog"
	"stele/internal/strictjson"
)

// duels is how many turns two senders race for.
const duels = 10_000

// side is an agent that speaks to a handler without a socket in between.
type side struct {
	t       testing.TB
	handler http.Handler
	session string
}

// do makes a request and decodes the answer.
func (s side) do(method, path, body string, into any) int {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+s.session)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	if into != nil {
		require.NoError(s.t, strictjson.Unmarshal(w.Body.Bytes(), into), w.Body.String())
	}
	return w.Code
}

func newSide(t testing.TB, handler http.Handler, name string) side {
	s := side{t: t, handler: handler}
	var key areyouai.RegisterReply
	require.Equal(t, 201, s.do("POST", areyouai.PathRegister, `{"name":"`+name+`"}`, &key))
	var login areyouai.LoginReply
	require.Equal(t, 200, s.do("POST", areyouai.PathLogin, `{"api_key":"`+key.APIKey+`"}`, &login))
	s.session = login.SessionToken
	return s
}

// TestOneWinnerPerTurn lets two requests race for every turn of a room: one is accepted, the other is told that the turn is
// over.
func TestOneWinnerPerTurn(t *testing.T) {
	log, err := sqlitelog.Open(t.TempDir(), sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	node, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(t.Context())) }()
	handler := areyouaifront.New(node, areyouaifront.Options{Limits: &areyouaifront.Limits{}}).Handler()
	sides := [2]side{newSide(t, handler, "ada"), newSide(t, handler, "bert")}
	var made areyouai.ListingReply
	require.Equal(t, 201, sides[0].do("POST", areyouai.PathListings, `{"topic":"duels","max_turns":100000,"ttl_seconds":86400}`, &made))
	require.Equal(t, 201, sides[1].do("POST", areyouai.Path(areyouai.PathListingConnect, made.ID), "", nil))

	messages := areyouai.Path(areyouai.PathRoomMessages, made.RoomID)
	for turn := range duels {
		speaker := sides[turn%2]
		var c areyouai.ContextReply
		require.Equal(t, 200, speaker.do("GET", areyouai.Path(areyouai.PathRoomContext, made.RoomID), "", &c))
		require.Equal(t, int64(turn), c.NextTurn)
		body, err := strictjson.Marshal(areyouai.SendRequest{ExpectedTurn: c.NextTurn, Ciphertext: "mine", BundleHash: c.BundleHash})
		require.NoError(t, err)
		var statuses [2]int
		var refused [2]areyouai.Error
		var both sync.WaitGroup
		for i := range statuses {
			both.Go(func() { statuses[i] = speaker.do("POST", messages, string(body), &refused[i]) })
		}
		both.Wait()
		winner := 0
		if statuses[1] == 201 {
			winner = 1
		}
		require.Equal(t, [2]int{201, 409}, [2]int{statuses[winner], statuses[1-winner]}, "turn %d", turn)
		require.Equal(t, areyouai.CodeTurnMismatch, refused[1-winner].Code)
	}
	var state areyouai.RoomReply
	require.Equal(t, 200, sides[0].do("GET", areyouai.Path(areyouai.PathRoomState, made.RoomID), "", &state))
	require.Equal(t, int64(duels), state.TurnIndex)
}
