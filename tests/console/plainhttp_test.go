package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFormsOverPlainHTTP: forms work by any name that reaches the gateway. Over plain http browsers do not say from which site a
// form comes, unless they know that they talk to their own machine, and what they say of its origin is all there is.
func TestFormsOverPlainHTTP(t *testing.T) {
	w := newWorld(t)
	p := w.newPair("which berth for the Aurora?", 4)
	w.url = strings.Replace(w.url, "127.0.0.1", otherName, 1)
	b := w.tab(t)
	w.signIn(b)
	require.False(t, value[bool](b, "isSecureContext"), "the browser must not know where it is")
	b.open("/watch/" + p.listing.RoomID)
	b.fill(`input[name="code"]`, p.listing.HumanCode)
	b.submit(`input[name="code"]`)
	b.await(`document.querySelector(".watched")?.dataset.state === "live"`)
}
