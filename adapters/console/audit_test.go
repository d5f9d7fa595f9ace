package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/memlog"
)

// TestTheLogSaysWhoDidIt: whatever somebody changes outside of rooms stands in the log with who it was.
func TestTheLogSaysWhoDidIt(t *testing.T) {
	log := memlog.New()
	h := newHouseIn(t, log, core.Options{}, console.Options{})
	ada := h.agent("ada", "olga")
	b := h.signedIn("olga")
	var last core.Position
	news := func() (found []core.Recorded) {
		for rec, err := range log.Read(t.Context(), core.DirectoryStream, last) {
			require.NoError(t, err)
			last = rec.Position
			found = append(found, rec)
		}
		return found
	}
	done := news()
	require.Equal(t, core.UserKeyAdded, done[len(done)-1].Kind)
	require.Contains(t, string(done[len(done)-1].Body), `"by":"user olga"`, "signing in")
	tokenOf := func() string {
		if all := h.node.RegistrationTokens(); len(all) > 0 {
			return all[0].ID
		}
		return ""
	}
	keyOf := func() string {
		for _, k := range h.node.UserKeys(h.olga.ID) {
			if k.What == core.UserToken {
				return k.ID
			}
		}
		return ""
	}
	for _, act := range []struct {
		path string
		form url.Values
	}{
		{"/agents", url.Values{"name": {"bert"}}},
		{"/agents/" + ada.ID + "/rotate", nil},
		{"/agents/" + ada.ID + "/delete", nil},
		{"/tokens", nil},
		{"/tokens/TOKEN/revoke", nil},
		{"/start/token", nil},
		{"/account/tokens", url.Values{"label": {"script"}, "lives": {"hour"}}},
		{"/account/keys/KEY/revoke", nil},
		{"/account/password", url.Values{"present": {secretWord}, "password": {"another word of olga"}}},
		{"/people", url.Values{"name": {"nora"}}},
		{"/people/" + h.karl.ID + "/password", nil},
		{"/people/" + h.karl.ID + "/admin", url.Values{"admin": {"yes"}}},
		{"/people/" + h.karl.ID + "/delete", nil},
		{"/sign-out", nil},
	} {
		path := strings.NewReplacer("TOKEN", tokenOf(), "KEY", keyOf()).Replace(act.path)
		a := b.post("/gateway"+path, act.form)
		require.Contains(t, []int{http.StatusOK, http.StatusSeeOther}, a.status, "%s: %s", path, a.body)
		events := news()
		require.NotEmpty(t, events, path)
		for _, rec := range events {
			require.Contains(t, string(rec.Body), `"by":"user olga"`, "%s: %s", path, rec.Kind)
		}
	}
}

// TestTheRoomSaysWhoDidIt: whatever somebody does in a room stands in it with the participant that the person is.
func TestTheRoomSaysWhoDidIt(t *testing.T) {
	h := newHouse(t, console.Options{})
	room := h.room("ops", "acme", h.agent("ada", "acme"))
	h.agent("bob", "acme")
	b := h.signedIn("olga")
	for _, act := range []struct {
		action string
		form   url.Values
	}{
		{"join", nil},
		{"say", url.Values{"body": {"hello"}}},
		{"invite", url.Values{"agent": {"bob"}}},
		{"list", url.Values{"topic": {"cranes"}}},
		{"archive", nil},
		{"unarchive", nil},
		{"close", nil},
	} {
		before, _ := h.node.Room(room)
		a := b.post("/gateway/rooms/"+room+"/"+act.action, act.form)
		require.Equal(t, http.StatusSeeOther, a.status, "%s: %s", act.action, a.body)
		olga, _ := h.node.User(h.olga.ID)
		named := false
		for e, err := range h.node.HistoryOf(room).After(t.Context(), before.Version) {
			require.NoError(t, err)
			named = named || strings.Contains(string(e.Body), `"`+olga.Agent+`"`)
		}
		require.True(t, named, act.action)
	}
}
