package console

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"stele/core"
)

// watchLook bounds how many events are looked through for a piece of conversation, since people who watch are shown messages
// alone.
const watchLook = 2000

// maxWatchedWhole bounds a text that stands whole on the page of its message, in bytes of the page.
const maxWatchedWhole = 60 << 10

// watchPage is a room with its conversation, for people who watch.
type watchPage struct {
	watchView
	Talk watchTalk
	// Head is the version of the newest event that was looked at for the page, or of the room's newest when the page is an old
	// part of the conversation; the live stream goes on from it.
	Head uint64
}

// watchTalk is a part of a conversation, oldest first.
type watchTalk struct {
	Room  string
	Items []watchItem
	// Earlier is the version before which there may be more, 0 when there is not.
	Earlier uint64
	// Head is the version of the newest event that was looked at.
	Head uint64
	// Whole tells that the part reaches to the newest message.
	Whole bool
}

// watchItem is a message with who has read up to it.
type watchItem struct {
	item
	Seen []string
}

func (c *Console) watchPage(v *visit, w watchView) error {
	var before uint64
	if v.query("before") != "" {
		var err error
		if before, err = version(v.query("before")); err != nil {
			return err
		}
	}
	talk, err := c.watched(v.ctx(), w, before)
	if err != nil {
		return err
	}
	page := watchPage{watchView: w, Talk: talk, Head: talk.Head}
	if sum, ok := c.node.Room(w.Room); ok && !talk.Whole {
		page.Head = sum.Version
	}
	return v.render("watch", page)
}

// showWatchedEarlier answers with the part of a conversation before a version, as it stands in the page.
func (c *Console) showWatchedEarlier(v *visit) error {
	w, err := c.watchAs(v, v.param("room"))
	if err != nil {
		return hidden(err)
	}
	before, err := version(v.query("before"))
	if err != nil {
		return err
	}
	talk, err := c.watched(v.ctx(), w, before)
	if err != nil {
		return err
	}
	return v.renderPiece("watch", "watch-talk", talk)
}

// hidden answers somebody who does not watch.
func hidden(err error) error {
	if is[*watchRefusal](err) {
		return core.ErrNoViewer
	}
	return err
}

// watched reads what was said before a version, 0: the newest.
func (c *Console) watched(ctx context.Context, w watchView, before uint64) (watchTalk, error) {
	out := watchTalk{Room: w.Room, Whole: before == 0}
	size, looked, last := 0, 0, uint64(0)
	for e, err := range c.node.HistoryOf(w.Room).Before(ctx, before) {
		if err != nil {
			return watchTalk{}, err
		}
		if len(out.Items) == pieceEvents || size >= pieceBytes || looked == watchLook {
			out.Earlier = last
			break
		}
		if looked++; looked == 1 {
			out.Head = e.Version
		}
		last = e.Version
		if _, ok := e.Payload.(*core.MessagePostedEvent); !ok {
			continue
		}
		it := watchItem{item: itemOf(e, "")}
		for _, m := range w.Members {
			if m.Read == it.Turn {
				it.Seen = append(it.Seen, m.Name)
			}
		}
		// Hostile text grows when it is escaped.
		size += len(template.HTMLEscapeString(it.Text))
		out.Items = append(out.Items, it)
	}
	slices.Reverse(out.Items)
	return out, nil
}

// watchedMessage is one message, whole.
type watchedMessage struct {
	item
	Name string
	// Large: the text lies on a page of its own.
	Large      bool
	Characters int
}

// showWatchedMessage shows a message that is too long for the list.
func (c *Console) showWatchedMessage(v *visit) error {
	w, e, p, err := c.watchedAt(v)
	if err != nil {
		return err
	}
	page := watchedMessage{item: itemOf(e, ""), Name: w.Name, Characters: utf8.RuneCountInString(p.Text)}
	page.Text, page.Cut = p.Text, false
	if len(template.HTMLEscapeString(p.Text)) > maxWatchedWhole {
		page.Text, page.Large = "", true
	}
	return v.renderStatus(http.StatusOK, "watch-message", page)
}

// showWatchedText answers with the text of a message and nothing else, as plain text.
func (c *Console) showWatchedText(v *visit) error {
	_, _, p, err := c.watchedAt(v)
	if err != nil {
		return err
	}
	return v.echo.String(http.StatusOK, p.Text)
}

// watchedAt finds the message of the path for somebody who watches.
func (c *Console) watchedAt(v *visit) (watchView, *core.Entry, *core.MessagePostedEvent, error) {
	w, err := c.watchAs(v, v.param("room"))
	if err != nil {
		return w, nil, nil, hidden(err)
	}
	at, err := version(v.param("version"))
	if err != nil {
		return w, nil, nil, err
	}
	e, err := c.eventAt(v.ctx(), w.Room, at)
	if err != nil {
		return w, nil, nil, err
	}
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok {
		return w, nil, nil, core.ErrNoMessage
	}
	return w, e, p, nil
}

// sinceOf is the version from which a stream goes on: what the browser saw last, or what its page says.
func sinceOf(v *visit) (uint64, error) {
	since := v.request().Header.Get("Last-Event-ID")
	if since == "" {
		since = v.query("since")
	}
	if since == "" || since == "0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(since, 10, 64)
	if err != nil {
		return 0, &core.InvalidError{Field: "since", Reason: "must be the number of an event"}
	}
	return n, nil
}
