package areyouaifront

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"stele/areyouai"
	"stele/core"
)

// pathAdmin is the template of the pages for operators. Which page is meant is looked at last, so that nobody without the
// token learns which there are.
const pathAdmin = "/v1/admin/{id}"

// Names of the pages.
const (
	adminOverview = "overview"
	adminRooms    = "rooms"
	adminAudit    = "audit"
)

// admin serves a page for operators. The checks come in the protocol's order (areyouai: admin): path, method, whether a
// token is configured, a credential in the wrong place, the credential, the page.
func (f *Front) admin(r *request) (int, any, error) {
	if f.opts.AdminToken == "" {
		return 0, nil, areyouai.NewError(areyouai.CodeAdminNotConfigured)
	}
	query, err := r.query()
	if err != nil {
		return 0, nil, err
	}
	if err := areyouai.CheckAdminRequest(r.Request().Header, query); err != nil {
		return 0, nil, err
	}
	bearer, _ := areyouai.ParseBearer(r.Request().Header.Get(echo.HeaderAuthorization))
	if !sameSecret(bearer, f.opts.AdminToken) {
		return 0, nil, areyouai.NewError(areyouai.CodeUnauthorized).WithHint(hintAdmin)
	}
	switch r.id {
	case adminOverview:
		return http.StatusOK, f.overview(), nil
	case adminRooms:
		return http.StatusOK, areyouai.NewAdminRoomsReply(f.newestRooms()), nil
	case adminAudit:
		f.audit.notePurges(f.node.Rooms())
		return http.StatusOK, areyouai.NewAdminAuditReply(f.audit.newest()), nil
	}
	return 0, nil, areyouai.NewError(areyouai.CodeNotFound)
}

const hintAdmin = "Send the admin token of this gateway as Authorization: Bearer."

// sameSecret compares in a time that depends on neither secret (CWE-208).
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (f *Front) overview() areyouai.AdminOverview {
	out := areyouai.AdminOverview{
		AgentsTotal: int64(len(f.node.Agents())), SessionsActive: int64(f.node.ActiveSessions()),
		Purge: adminPurge(f.node.PurgeStanding()), GeneratedAt: areyouai.NewTime(f.node.Now()),
	}
	for _, s := range f.node.Rooms() {
		out.MessagesTotal += int64(s.Turn)
		switch s.State {
		case core.StateOpen:
			out.RoomsOpen++
		case core.StateActive:
			out.RoomsActive++
		case core.StateClosed:
			out.RoomsClosed++
		case core.StatePurged:
			out.RoomsPurged++
		}
	}
	return out
}

func adminPurge(s core.PurgeStanding) areyouai.AdminPurge {
	return areyouai.AdminPurge{
		Scanned: int64(s.Closed), ClosedRooms: int64(s.Closed), ReadyForPurge: int64(s.Ready), ViewerBlocked: int64(s.Watched),
		OverRetention: int64(s.OverRetention), OldestClosedAgeSeconds: int64(s.OldestClosed.Seconds()),
		OldestReadyAgeSeconds: int64(s.OldestReady.Seconds()), ClosedRoomGraceSeconds: int64(s.Policy.Grace.Seconds()),
		MaxClosedRetentionSeconds: int64(s.Policy.Retention.Seconds()),
	}
}

// newestRooms lists the rooms that were made last, newest first.
func (f *Front) newestRooms() []areyouai.AdminRoom {
	rooms := f.node.Rooms()
	rooms = rooms[max(0, len(rooms)-areyouai.MaxAdminRooms):]
	out := make([]areyouai.AdminRoom, 0, len(rooms))
	for _, s := range slices.Backward(rooms) {
		maxTurns, ttlAt := limitsOf(s.MaxTurns, s.TTLAt)
		out = append(out, areyouai.AdminRoom{
			ID: s.ID, AgentAID: s.Sides[0], AgentAName: f.nameOf(s.Sides[0]), AgentBID: s.Sides[1], AgentBName: f.nameOf(s.Sides[1]),
			State: areyouai.RoomState(s.State), TurnIndex: int64(s.Turn), MaxTurns: maxTurns,
			TTLAt: areyouai.NewTime(ttlAt), CreatedAt: areyouai.NewTime(s.CreatedAt),
			ClosedAt: areyouai.TimePtr(s.ClosedAt), PurgedAt: areyouai.TimePtr(s.PurgedAt),
		})
	}
	return out
}

// nameOf is an agent's name, "" when there is no such agent or none any more.
func (f *Front) nameOf(agent string) string {
	a, _ := f.node.Agent(agent)
	return a.Name
}
