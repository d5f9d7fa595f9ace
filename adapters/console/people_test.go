package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
)

func TestAdministratorsLetPeopleIn(t *testing.T) {
	h := newHouse(t, console.Options{})
	olga, karl := h.signedIn("olga"), h.signedIn("karl")
	require.Equal(t, http.StatusForbidden, karl.get("/gateway/people").status)
	require.Equal(t, http.StatusForbidden, karl.post("/gateway/people", url.Values{"name": {"mallory"}, "admin": {"yes"}}).status)
	require.NotContains(t, karl.get("/gateway").body, `href="/gateway/people"`)

	a := olga.post("/gateway/people", url.Values{"name": {" nora "}})
	require.Equal(t, http.StatusOK, a.status)
	word := shown(t, a)
	require.NotContains(t, olga.get("/gateway/people").body, word, "shown once")
	in := func(word string) (*browser, int) {
		b := h.browser()
		return b, b.post("/gateway/sign-in", url.Values{"name": {"nora"}, "password": {word}}).status
	}
	nora, status := in(word)
	require.Equal(t, http.StatusSeeOther, status)
	a = olga.post("/gateway/people", url.Values{"name": {"nora"}})
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.body, "Not done: ")

	user, _ := h.node.UserByName("nora")
	require.False(t, user.Admin)
	path := "/gateway/people/" + user.ID
	again := shown(t, olga.post(path+"/password", nil))
	require.Equal(t, http.StatusSeeOther, nora.get("/gateway").status, "who had the old password is signed out")
	_, status = in(word)
	require.Equal(t, http.StatusUnauthorized, status)
	nora, status = in(again)
	require.Equal(t, http.StatusSeeOther, status)

	require.Equal(t, http.StatusSeeOther, olga.post(path+"/admin", url.Values{"admin": {"yes"}}).status)
	require.Equal(t, http.StatusOK, nora.get("/gateway/people").status)
	require.Equal(t, http.StatusSeeOther, olga.post(path+"/admin", nil).status)
	require.Equal(t, http.StatusForbidden, nora.get("/gateway/people").status)

	require.Equal(t, http.StatusSeeOther, olga.post(path+"/delete", nil).status)
	require.Equal(t, http.StatusSeeOther, nora.get("/gateway").status)
	for _, what := range []string{"password", "admin", "delete"} {
		require.Equal(t, http.StatusNotFound, olga.post(path+"/"+what, nil).status, what)
	}
}

func TestTheLastAdministratorStays(t *testing.T) {
	h := newHouse(t, console.Options{})
	olga := h.signedIn("olga")
	for _, what := range []string{"admin", "delete"} {
		a := olga.post("/gateway/people/"+h.olga.ID+"/"+what, nil)
		require.Equal(t, http.StatusConflict, a.status)
		require.Contains(t, a.body, "This is the last administrator")
	}
	require.Equal(t, http.StatusSeeOther, olga.post("/gateway/people/"+h.karl.ID+"/admin", url.Values{"admin": {"yes"}}).status)
	a := olga.post("/gateway/people/"+h.olga.ID+"/admin", nil)
	require.Equal(t, "/gateway", a.header.Get("Location"), "not to a page that is no longer theirs to see")
	require.Equal(t, http.StatusForbidden, olga.get("/gateway/people").status)
}

func TestNamesAreText(t *testing.T) {
	h := newHouse(t, console.Options{})
	olga := h.signedIn("olga")
	for _, name := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "\u202Egnp.exe", strings.Repeat("w", 256)} {
		a := olga.post("/gateway/people", url.Values{"name": {name}})
		require.Equal(t, http.StatusOK, a.status, name)
		b := h.browser()
		require.Equal(t, http.StatusSeeOther, b.post("/gateway/sign-in", url.Values{"name": {name}, "password": {shown(t, a)}}).status)
		for _, page := range []string{a.body, olga.get("/gateway/people").body, b.get("/gateway/account").body} {
			require.NotContains(t, page, "<script>alert")
			require.NotContains(t, page, "<img src=x")
		}
	}
	for _, name := range []string{"", "  ", "a\x00b", "a\nb", strings.Repeat("w", 257)} {
		a := olga.post("/gateway/people", url.Values{"name": {name}})
		require.Equal(t, http.StatusBadRequest, a.status, "%q", name)
		require.Contains(t, a.body, "Not done: ")
	}
	require.Len(t, h.node.Users(), 6)
}
