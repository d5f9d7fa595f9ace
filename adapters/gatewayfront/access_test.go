package gatewayfront_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/gatewayfront"
	"stele/adapters/scripts"
	"stele/adapters/transport"
	"stele/core"
)

func TestWhoMayLook(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{Operator: func(bearer string) bool { return bearer == "operator" }})
	session, _, err := w.node.OpenSession(t.Context(), w.node.Authenticate(w.ada.key))
	require.NoError(t, err)
	roomToken, _, err := w.node.MintRoomToken(t.Context(), w.bob.ID, w.room)
	require.NoError(t, err)
	viewer, err := w.node.JoinViewers(t.Context(), w.room, humanCode)
	require.NoError(t, err)
	other := w.newRoom(core.RoomFacts{Name: "other"}, w.ada)
	paths := []string{"/cursor?areyouai=0", "/events", "/events/1", "/events?format=all&follow=0"}
	for name, bearer := range map[string]string{
		"key": w.ada.key, "session": session, "room token": roomToken, "code": humanCode, "viewer": viewer, "operator": "operator",
	} {
		for _, path := range paths {
			status, body, _ := w.get(bearer, w.room+path)
			require.Equal(t, 200, status, "%s %s: %s", name, path, body)
		}
	}
	for _, path := range paths {
		w.refused(401, gatewayfront.CodeUnauthorized, "", w.room+path)
		w.refused(401, gatewayfront.CodeUnauthorized, "nonsense", w.room+path)
		w.refused(401, gatewayfront.CodeUnauthorized, "", "room_none"+path)
		w.refused(401, gatewayfront.CodeUnauthorized, viewer, other+path)
		w.refused(403, gatewayfront.CodeForbidden, w.eve.key, w.room+path)
		w.refused(403, gatewayfront.CodeForbidden, roomToken, other+path)
		w.refused(404, gatewayfront.CodeNoRoom, w.eve.key, "room_none"+path)
		w.refused(404, gatewayfront.CodeNoRoom, "operator", "room_none"+path)
	}
	status, _, h := w.get("", w.room+"/events")
	require.Equal(t, 401, status)
	require.Equal(t, "Bearer", h.Get("WWW-Authenticate"))
}

func TestWrongCodesRunOut(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{Guesses: transport.NewGuesses(3, 0, time.Minute), Operator: func(bearer string) bool { return bearer == "operator" }})
	for range 3 {
		w.refused(401, gatewayfront.CodeUnauthorized, "a replaced key", w.room+"/events")
		w.refused(401, gatewayfront.CodeUnauthorized, "hc_guess", w.room+"/events")
	}
	for _, bearer := range []string{humanCode, "hc_guess"} {
		w.refused(429, gatewayfront.CodeTooMany, bearer, w.room+"/events")
	}
	w.refused(401, gatewayfront.CodeUnauthorized, "a replaced key", w.room+"/events")
	for _, bearer := range []string{w.ada.key, "operator"} {
		status, body, _ := w.get(bearer, w.room+"/events")
		require.Equal(t, 200, status, "whoever shares the address: %s", body)
	}
}

// TestSelfIsOneself: an agent sees what its own stream would mark, and no other one's.
func TestSelfIsOneself(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{Operator: func(bearer string) bool { return bearer == "operator" }})
	w.post(w.ada, "hello @bob")
	asked := func(bearer, query string) string {
		var page gatewayfront.Page
		w.into(&page, bearer, w.room+"/events?format=switch&after=3"+query)
		require.Len(t, page.Items, 1)
		return strings.Join(page.Items[0].Frames["switch"], "")
	}
	require.Contains(t, asked(w.bob.key, ""), `"addressed":true`)
	require.Contains(t, asked(w.bob.key, "&self=bob"), `"addressed":true`)
	require.Contains(t, asked(w.bob.key, "&self="), `"addressed":false`)
	require.Empty(t, asked(w.ada.key, ""), "nobody is shown what it said itself")
	require.Contains(t, asked(humanCode, ""), `"addressed":false`)
	require.Contains(t, asked("operator", "&self=bob"), `"addressed":true`)
	for _, bearer := range []string{w.ada.key, humanCode} {
		w.refused(403, gatewayfront.CodeForbidden, bearer, w.room+"/events?self=bob")
	}
	w.refused(400, gatewayfront.CodeInvalid, "operator", w.room+"/events?self=nobody")
}

// TestPrivateEventsShowTheirContentToTheirPartiesOnly in every script, with and without comments, on pages and streams.
func TestPrivateEventsShowTheirContentToTheirPartiesOnly(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{Operator: func(bearer string) bool { return bearer == "operator" }})
	require.NoError(t, w.node.JoinRoom(t.Context(), w.room, core.JoinRoom{Member: core.NewMember{Agent: w.eve.ID, Name: "eve", Handle: "eve"}}))
	step, _, err := w.node.DelegateTask(t.Context(), w.room, core.DelegateTask{
		Requester: w.ada.ID, Performer: w.bob.ID, Summary: "secret-summary", Description: "secret-description",
	}, nil)
	require.NoError(t, err)
	_, _, err = w.node.AcceptTask(t.Context(), w.room, core.AcceptTask{Performer: w.bob.ID, Task: step.Task}, nil)
	require.NoError(t, err)
	_, _, err = w.node.UpdateTask(t.Context(), w.room, core.UpdateTask{Performer: w.bob.ID, Task: step.Task, Note: "secret-note"}, nil)
	require.NoError(t, err)
	_, _, err = w.node.CancelTask(t.Context(), w.room, core.CancelTask{Requester: w.ada.ID, Task: step.Task, Reason: "secret-reason"}, nil)
	require.NoError(t, err)
	for _, bearer := range []string{w.eve.key, humanCode} {
		for _, query := range []string{"", "&comments=1"} {
			if query != "" && bearer == humanCode {
				w.refused(403, gatewayfront.CodeForbidden, bearer, w.room+"/events?format=edge"+query)
				continue
			}
			_, body, _ := w.get(bearer, w.room+"/events?format=all"+query)
			require.NotContains(t, body, "secret-")
			require.NotContains(t, body, step.Task)
			for _, format := range []string{"core", "switch", "areyouai", "edge"} {
				_, body, _ := w.get(bearer, w.room+"/events?format="+format+query, "Accept", "text/plain")
				require.NotContains(t, body, "secret-")
			}
		}
		var page gatewayfront.Page
		w.into(&page, bearer, w.room+"/events?format=all&after=4")
		require.Len(t, page.Items, 4)
		s := w.follow(bearer, "&format=all&after=4")
		for _, item := range page.Items {
			require.True(t, item.Private)
			require.Equal(t, item, s.next())
		}
		s.stop()
	}
	for _, bearer := range []string{w.ada.key, w.bob.key, "operator"} {
		_, body, _ := w.get(bearer, w.room+"/events")
		for _, text := range []string{"summary", "description", "note", "reason"} {
			require.Contains(t, body, "secret-"+text)
		}
		require.NotContains(t, body, `"private":true`)
	}
}

// TestPeopleAreShownTheConversation and not what members work by, which the log's own words hold.
func TestPeopleAreShownTheConversation(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	_, err := w.node.CreateDocument(t.Context(), w.room, core.CreateDocument{Agent: w.ada.ID, Name: "plan", Content: "secret-plan"}, nil)
	require.NoError(t, err)
	w.post(w.ada, "hello")
	for bearer, sees := range map[string]bool{w.bob.key: true, humanCode: false} {
		_, body, _ := w.get(bearer, w.room+"/events?format=core")
		require.Equal(t, sees, strings.Contains(body, "secret-plan"))
		require.Contains(t, body, "document.created")
		require.Contains(t, body, "hello")
		_, body, _ = w.get(bearer, w.room+"/events?format=core", "Accept", "text/plain")
		require.Equal(t, sees, strings.Contains(body, "secret-plan"))
	}
}

// TestNothingIsLeftOfAPurgedRoom: its events are gone for everybody, and a stream on it ends with the purge.
func TestNothingIsLeftOfAPurgedRoom(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	w.room = w.newRoom(core.RoomFacts{Name: "duel", Creator: w.ada.ID, Listing: &core.Listing{ID: "lst_1", Agent: w.ada.ID, Topic: "duel"}}, w.ada)
	w.post(w.ada, "one")
	s := w.follow(w.ada.key, "")
	_, _, err := w.node.CloseRoom(t.Context(), w.room, core.CloseRoom{Actor: w.ada.ID}, nil)
	require.NoError(t, err)
	w.into(new(gatewayfront.Page), w.ada.key, w.room+"/events")
	w.passes(3 * core.DefaultPurgeGrace)
	_, err = w.node.Purge(t.Context(), w.room)
	require.NoError(t, err)
	s.ends()
	for _, path := range []string{"/events", "/events/1", "/cursor?switch=0", "/events?follow=1"} {
		w.refused(410, gatewayfront.CodeGone, w.ada.key, w.room+path)
	}
}

// TestAPurgeShowsWhatIsLeft: as at a socket, also on a stream that began in the middle.
func TestAPurgeShowsWhatIsLeft(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	w.room = w.newRoom(core.RoomFacts{Name: "duel", Creator: w.ada.ID, Listing: &core.Listing{ID: "lst_1", Agent: w.ada.ID, Topic: "duel"}}, w.ada)
	w.post(w.ada, "one")
	begun, middle := w.follow(w.ada.key, "&format=edge"), w.follow(w.ada.key, "&format=edge&after=2")
	_, _, err := w.node.CloseRoom(t.Context(), w.room, core.CloseRoom{Actor: w.ada.ID}, nil)
	require.NoError(t, err)
	w.passes(3 * core.DefaultPurgeGrace)
	_, err = w.node.Purge(t.Context(), w.room)
	require.NoError(t, err)
	purge := func(s *stream) gatewayfront.Item {
		for {
			if item := s.next(); item.Kind == core.RoomPurged {
				return item
			}
		}
	}
	shown := purge(middle)
	require.Contains(t, shown.Frames[scripts.Edge][0], `"kind":"state","snapshot":{"id":"`+w.room)
	require.Contains(t, shown.Frames[scripts.Edge][0], `"turn":1,`)
	require.Equal(t, purge(begun), shown)
}

// TestUsersSeeWhatIsTheirs: a token of a person opens the rooms that the console shows to it, and no session of a browser does.
func TestUsersSeeWhatIsTheirs(t *testing.T) {
	w := newWorld(t, gatewayfront.Options{})
	token := func(u core.User) string {
		secret, _, err := w.node.NewUserToken(t.Context(), u.ID, "test", time.Time{})
		require.NoError(t, err)
		return secret
	}
	user := func(name string, admin bool) core.User {
		u, err := w.node.CreateUser(t.Context(), core.NewUser{Name: name, Admin: admin})
		require.NoError(t, err)
		return u
	}
	olga, karl := user("olga", true), user("karl", false)
	mine, err := w.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "karla", Handle: "karla", Owner: "karl"}})
	require.NoError(t, err)
	his := member{mine.Agent, mine.Key}
	room := w.newRoom(core.RoomFacts{Name: "shared", Creator: w.ada.ID}, w.ada, w.bob, his)
	for _, to := range []core.Agent{w.bob.Agent, his.Agent} {
		_, _, err := w.node.DelegateTask(t.Context(), room, core.DelegateTask{Requester: w.ada.ID, Performer: to.ID, Summary: "for " + to.Handle}, nil)
		require.NoError(t, err)
	}
	all, part := token(olga), token(karl)
	for bearer, reads := range map[string][]bool{all: {true, true}, part: {false, true}} {
		status, body, _ := w.get(bearer, room+"/events?format=core")
		require.Equal(t, 200, status, body)
		require.Equal(t, reads, []bool{strings.Contains(body, "for bob"), strings.Contains(body, "for karla")})
	}
	status, _, _ := w.get(all, w.room+"/events")
	require.Equal(t, 200, status)
	w.refused(404, gatewayfront.CodeNoRoom, part, w.room+"/events")
	status, body, _ := w.get(part, room+"/events?format=switch&self=karla")
	require.Equal(t, 200, status, body)
	w.refused(403, gatewayfront.CodeForbidden, part, room+"/events?format=switch&self=ada")

	session, _, err := w.node.OpenUserSession(t.Context(), olga.ID, "a browser", time.Time{})
	require.NoError(t, err)
	w.refused(401, gatewayfront.CodeUnauthorized, session, w.room+"/events")
	require.NoError(t, w.node.SetAdmin(t.Context(), karl.ID, true))
	require.NoError(t, w.node.SetAdmin(t.Context(), olga.ID, false))
	w.refused(404, gatewayfront.CodeNoRoom, all, w.room+"/events")
}
