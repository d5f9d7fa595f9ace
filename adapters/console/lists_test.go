package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
)

// pageBytes is what a page may have, so that its first load stays below 100 KB with the files that it loads.
const pageBytes = 78_000

// quotes is a name that is five times as long in a page.
func quotes(i, n int) string { return fmt.Sprintf("%03d", i) + strings.Repeat("'", n-3) }

// TestListsStaySmall: whatever names things have, and however many there are, a page that lists them stays small, and says how
// many it leaves out.
func TestListsStaySmall(t *testing.T) {
	h := newHouse(t, console.Options{})
	const many = 230
	ada := h.agent("ada", "olga")
	crowd := []core.Agent{ada}
	for i := range many {
		made, err := h.node.Register(t.Context(), core.Registration{Agent: core.Agent{
			Name: quotes(i, 256), Handle: fmt.Sprintf("a%03d-%s", i, strings.Repeat("x", 240)), Owner: quotes(i, 256),
		}})
		require.NoError(t, err)
		crowd = append(crowd, made.Agent)
		h.room(quotes(i, 1000), quotes(i, 256), ada)
		_, err = h.node.NewRegistrationToken(t.Context(), quotes(i, 256))
		require.NoError(t, err)
		_, err = h.node.CreateUser(t.Context(), core.NewUser{Name: "p" + quotes(i, 200)})
		require.NoError(t, err)
	}
	for i := range 32 {
		_, _, err := h.node.NewUserToken(t.Context(), h.olga.ID, quotes(i, 100), time.Time{})
		require.NoError(t, err)
		_, _, err = h.node.OpenUserSession(t.Context(), h.olga.ID, quotes(i, 120), time.Time{})
		require.NoError(t, err)
	}
	full := h.room("full", "olga", crowd...)
	h.says(full, ada, "hello")
	b := h.signedIn("olga")
	for path, left := range map[string]string{
		"/gateway/rooms":                            `(\d+) older rooms are not shown`,
		"/gateway/agents":                           `(\d+) more are not shown`,
		"/gateway/tokens":                           `(\d+) older ones are not shown`,
		"/gateway/people":                           `(\d+) more are not shown`,
		"/gateway/account":                          `(\d+) older ones are not shown`,
		"/gateway/agents/" + ada.ID:                 `and (\d+) more`,
		"/gateway/rooms/" + full:                    `and (\d+) more`,
		"/gateway/rooms/" + full + "/at/2":          "",
		"/gateway/agents/" + ada.ID + "/trace":      "",
		"/gateway/rooms?q=" + url.QueryEscape("''"): `(\d+) older rooms are not shown`,
	} {
		a := b.get(path)
		require.Equal(t, http.StatusOK, a.status, path)
		require.Less(t, len(a.body), pageBytes, path)
		if left != "" {
			require.Regexp(t, regexp.MustCompile(left), a.body, path)
		}
	}
	// What is left out can be found.
	require.Contains(t, b.get("/gateway/people?q=229").body, "p229")
	require.NotContains(t, b.get("/gateway/people?q=229").body, "p228")
	require.Contains(t, b.get("/gateway/account").body, "this one", "the session that looks is on its page")
}
