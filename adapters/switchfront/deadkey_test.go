package switchfront_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDeadKeyReadsNothing: a stream ends at once with the key that it was opened with, and a poll that waited takes nothing from whoever polls with the new key.
func TestDeadKeyReadsNothing(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	poll := func(key string) reply {
		return g.do("GET", b.path("/notifications?timeout=20"), key, "")
	}
	heard := b.open("c-b", "&rooms="+room).hello()
	waits := make(chan reply, 1)
	go func() { waits <- poll(b.key) }()
	require.Eventually(t, func() bool { return g.front.WaitingPolls(b.id) == 1 }, patience, time.Millisecond)

	old := b.key
	rotated, err := g.node.RotateKey(context.Background(), b.id)
	require.NoError(t, err)
	b.key = rotated.Key
	heard.ended()
	require.Equal(t, 409, b.beat("c-b", 0).status, "the connection lives on, without a stream")
	a.post(room, "@bob for the new key only")

	r := <-waits
	require.Equal(t, 401, r.status, r.body)
	require.Contains(t, poll(b.key).body, "for the new key only")
	require.Equal(t, 401, g.do("GET", b.path("/notifications?timeout=0"), old, "").status)
	again := b.open("c-b", "&start_from=0&rooms="+room).hello()
	for {
		if again.body() == "@bob for the new key only" {
			break
		}
	}
}

// TestHeadOfAPart: what stops in the middle of the head of a part holds little memory.
func TestHeadOfAPart(t *testing.T) {
	g, dir := withMedia(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\nX-Long: " + fmt.Sprintf("%0*d", 80<<10, 1) +
		"\r\n\r\nx\r\n--b--\r\n"
	r := g.do("POST", a.path("/rooms/"+room+"/media"), a.key, body, "Content-Type: multipart/form-data; boundary=b")
	require.Equal(t, 400, r.status, r.body)
	require.Equal(t, 0, stored(t, dir))
}
