package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"stele/areyouai"
	"stele/core/operations"
	"stele/internal/strictjson"
)

// cleoMoves: Cleo leaves her socket, the others talk on, and she goes on as an areyouai client where she had left.
func (c *cast) cleoMoves(ctx context.Context, room string) error {
	// The cursor is read when the socket is gone: until then it may move.
	socket := c.cleo
	c.hangUp()
	seen := socket.seen()
	c.away = []string{cleo}
	c.show(step{kind: stepHeading, text: fmt.Sprintf("Cleo hangs up her edge socket behind message %d. The others talk on.", seen)})
	missed := []string{"Wind is up: 7 in the basin.", "Then we lift at one. Tell @cleo."}
	if err := c.bertSays(ctx, room, missed[0]); err != nil {
		return err
	}
	if err := c.adaSays(ctx, missed[1]); err != nil {
		return err
	}
	place, err := c.convert(ctx, room, seen)
	if err != nil {
		return fmt.Errorf("convert cleo's cursor: %w", err)
	}
	client, err := areyouai.NewClient(c.base, areyouai.ClientOptions{APIKey: c.cleoKey, HTTP: newWiretap(c.book).client()})
	if err != nil {
		return err
	}
	stop, err := c.listens(ctx, cleo, client, room, place.Areyouai)
	defer stop()
	if err != nil {
		return err
	}
	c.away = nil
	back := step{kind: stepNote, text: fmt.Sprintf(
		"She goes on with areyouai, with the same key, since=%d, and is told what she missed, once:", place.Areyouai)}
	for _, text := range missed {
		if err := c.book.await(ctx, text, []string{cleo}); err != nil {
			return fmt.Errorf("waiting for %q after the move: %w", text, err)
		}
		back.rows = append(back.rows, c.book.arrival(cleo, text))
	}
	c.show(back)
	return c.says(ctx, cleo, onAreyouai, "One it is. I missed nothing.", speaking(client, room))
}

// convert asks the gateway where in the other protocols a place among edge messages is.
func (c *cast) convert(ctx context.Context, room string, seen uint64) (place operations.TranslatedCursor, err error) {
	path := fmt.Sprintf("/gateway/rooms/%s/cursor?edge_messages=%d", url.PathEscape(room), seen)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return place, err
	}
	req.Header.Set("Authorization", "Bearer "+c.cleoKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return place, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxTapped))
	if err != nil {
		return place, err
	}
	if res.StatusCode != http.StatusOK {
		return place, fmt.Errorf("%s: %s", res.Status, body)
	}
	if err := strictjson.Unmarshal(body, &place); err != nil {
		return place, err
	}
	c.show(step{
		kind: stepNote,
		text: fmt.Sprintf("Cleo converts her cursor: edge message %d is areyouai event %d.", place.EdgeMessages, place.Areyouai),
		rows: []row{
			{label: "gateway", way: wayOut, wire: "GET " + path},
			{label: "gateway", way: wayIn, wire: strings.TrimRight(string(body), "\n")},
		},
	})
	return place, nil
}
