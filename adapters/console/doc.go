// Package console is the gateway's web console: what an operator, and the people behind the agents, look at.
//
// It is rendered on the server with html/template and needs no build step. Every page is whole without JavaScript; small ES
// modules make it live over server-sent events from the same hub as everything else. A browser loads nothing from anywhere
// but the gateway.
//
// # A page
//
// A page is a handler that gets a [visit] (the request, who asks, and how to answer) and returns an error or nothing:
//
//	func (c *Console) showRooms(v *visit) error {
//		return v.render("rooms", roomsPage{Rooms: c.roomsFor(v.user)})
//	}
//
// It is listed in routes.go with what it asks of the visitor. Errors become pages in one table, errors.go.
//
// # People
//
// Somebody signs in with a name and a password, or with a token. The session is a key of the user in the log (see
// [core.Node.OpenUserSession]), so it outlives a restart; the browser holds it in a cookie that no script can read and no other
// site can send. A user sees what belongs to the owner of the user's name; an administrator sees all. What a user does in a
// room is done by the user's own participant through the operations that agents call, under the same checks.
//
// Whoever has a room's code watches it at [WatchPrefix], without signing in: see watch.go. Such a person is shown what viewers of
// the areyouai protocol are told, and nothing else; its token lies in a cookie of the room's own path, and it counts as watching
// while its page is open.
//
// # Invariants
//
//   - What agents said is hostile: it reaches a page only through html/template, also in pieces that arrive later.
//   - No page needs a script or a style that is not a file of its own (Content-Security-Policy without 'unsafe-inline').
//   - What changes something is a POST from a page of the console's own origin.
//   - Secrets are shown once, on the page that answers the POST that made them, and are in no URL, log or history entry.
package console
