package adapters_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/core"
)

// Codes that were wrong at one door leave fewer tries at the others.
func TestDoorsShareTheCountOfWrongCodes(t *testing.T) {
	node := newNode(t)
	made, err := node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}})
	require.NoError(t, err)
	room, _, err := node.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "tea"}, HumanCodeHash: core.HashSecret("hc_right"),
		Members: []core.NewMember{{Agent: made.Agent.ID, Name: "ada", Handle: "ada"}},
	}, nil)
	require.NoError(t, err)
	g := adapters.New(node, adapters.Options{Areyouai: areyouaifront.Options{Limits: &areyouaifront.Limits{GuessesPerIP: 3}}})
	defer g.Drain()
	send := func(path, token, kind, body string) int {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		return w.Code
	}
	post := func(path, token, body string) int { return send(path, token, "application/json", body) }
	watch := func(code string) int {
		return send("/watch/"+room.Room, "", "application/x-www-form-urlencoded", "code="+code)
	}
	edge := func(code string) int { return post("/edge/agents/ada/tea/rpc/getTurn", code, "") }
	areyouai := func(code string) int {
		return post("/areyouai/v1/rooms/"+room.Room+"/transcript", "", `{"human_code":"`+code+`"}`)
	}
	require.Equal(t, 403, areyouai("hc_wrong"))
	require.Equal(t, 403, edge("hc_right"), "a code reads and does not call")
	require.Equal(t, 401, edge("hc_wrong"))
	require.Equal(t, 403, watch("hc_wrong"))
	require.Equal(t, 429, edge("hc_right"))
	require.Equal(t, 429, areyouai("hc_right"))
	require.Equal(t, 429, watch("hc_right"))
	looks := httptest.NewRequest(http.MethodGet, "/gateway/rooms/"+room.Room+"/events", nil)
	looks.Header.Set("Authorization", "Bearer hc_right")
	w := httptest.NewRecorder()
	g.Handler().ServeHTTP(w, looks)
	require.Equal(t, 429, w.Code)
}
