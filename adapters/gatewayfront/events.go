package gatewayfront

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"stele/adapters/scripts"
	"stele/core"
)

const (
	typeText        = "text/plain"
	typeEventStream = "text/event-stream"
	// HeaderNextAfter is, on a page in a raw script, the version to go on after.
	HeaderNextAfter = "X-Next-After"
	headerLastEvent = "Last-Event-ID"
)

// events shows a part of the room's events, or all of them and those to come.
func (f *Front) events(c echo.Context) error {
	l, err := f.look(c)
	if err != nil {
		return err
	}
	if err := checkNames(c, "format", "after", "limit", "self", "agent", "comments", "follow"); err != nil {
		return err
	}
	format := c.QueryParam("format")
	if format == "" {
		format = string(scripts.Core)
	}
	v, err := f.viewOf(c, l, format)
	if err != nil {
		return err
	}
	follow, err := flagOf(c, "follow")
	if err != nil {
		return err
	}
	after, err := f.after(c, l.room.ID, follow)
	if err != nil {
		return err
	}
	if follow {
		return f.follow(c, v, after)
	}
	limit, err := numberOf(c, "limit", DefaultLimit)
	if err != nil || limit < 1 || limit > MaxLimit {
		return refuse(CodeInvalid, "parameter limit must be a whole number from 1 to %d", MaxLimit)
	}
	w, err := newWriter(v)
	if err != nil {
		return err
	}
	raw, stream := accepts(c.Request(), typeText), accepts(c.Request(), typeEventStream)
	if !raw && !stream {
		return f.page(c, w, after, int(limit))
	}
	if len(v.formats) != 1 || stream && endOf(v.formats[0]) == "\n" {
		return refuse(CodeInvalid, "as %s there is one script, as %s one that is a stream of server-sent events", typeText, typeEventStream)
	}
	mediaType := typeText + "; charset=utf-8"
	if stream {
		mediaType = typeEventStream
	}
	return f.text(c, w, mediaType, after, int(limit))
}

// after is the version that the caller has seen. A stream that comes back says so in a header, which counts more than the
// parameter that it began with. Errors: *[core.PlaceError].
func (f *Front) after(c echo.Context, room string, follow bool) (uint64, error) {
	after, err := numberOf(c, "after", 0)
	if err != nil {
		return 0, err
	}
	if last := c.Request().Header.Get(headerLastEvent); follow && last != "" {
		if after, err = strconv.ParseUint(last, 10, 53); err != nil {
			return 0, refuse(CodeInvalid, "header %s must be the id of an event of this stream", headerLastEvent)
		}
	}
	_, err = f.node.Place(c.Request().Context(), room, core.Cursor{By: core.ByVersion, Number: after})
	return after, err
}

// page answers with items.
func (f *Front) page(c echo.Context, w *writer, after uint64, limit int) error {
	out, size := Page{RoomID: w.room.ID, Items: []Item{}, NextAfter: after}, 0
	for e, err := range f.node.HistoryOf(w.room.ID).After(c.Request().Context(), after) {
		if err != nil {
			return err
		}
		if len(out.Items) == limit || size >= maxPageBytes {
			out.More = true
			break
		}
		item, bytes, err := w.item(e)
		if err != nil {
			return err
		}
		size += bytes
		out.Items, out.NextAfter = append(out.Items, item), e.Version
	}
	return writeJSON(c, http.StatusOK, out)
}

// text answers with the script as it is.
func (f *Front) text(c echo.Context, w *writer, mediaType string, after uint64, limit int) error {
	var text []byte
	count := 0
	for e, err := range f.node.HistoryOf(w.room.ID).After(c.Request().Context(), after) {
		if err != nil {
			return err
		}
		if count == limit || len(text) >= maxPageBytes {
			break
		}
		if text, err = w.raw(text, e); err != nil {
			return err
		}
		count, after = count+1, e.Version
	}
	c.Response().Header().Set(HeaderNextAfter, strconv.FormatUint(after, 10))
	return c.Blob(http.StatusOK, mediaType, text)
}

// event shows one event, in every script unless fewer are asked for.
func (f *Front) event(c echo.Context) error {
	l, err := f.look(c)
	if err != nil {
		return err
	}
	if err := checkNames(c, "format", "self", "agent", "comments"); err != nil {
		return err
	}
	format := c.QueryParam("format")
	if format == "" {
		format = formatAll
	}
	v, err := f.viewOf(c, l, format)
	if err != nil {
		return err
	}
	version, err := strconv.ParseUint(c.Param("version"), 10, 53)
	if err != nil || version == 0 {
		return refuse(CodeInvalid, "the version in the path must be a whole number from 1 on")
	}
	w, err := newWriter(v)
	if err != nil {
		return err
	}
	for e, err := range f.node.HistoryOf(l.room.ID).After(c.Request().Context(), version-1) {
		if err != nil {
			return err
		}
		if e.Version != version {
			break
		}
		item, _, err := w.item(e)
		if err != nil {
			return err
		}
		return writeJSON(c, http.StatusOK, item)
	}
	return refuse(CodeNoEvent, "the room has no event %d", version)
}
