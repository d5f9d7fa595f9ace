package areyouaifront

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// TestEveryCoreErrorHasItsWord: each error that core declares is in the table, and none but damage is a failure of the
// program.
func TestEveryCoreErrorHasItsWord(t *testing.T) {
	cases := map[string]struct {
		err  error
		want string
	}{
		"ErrNoRoom":               {core.ErrNoRoom, "404 room_not_found"},
		"ErrNoAgent":              {core.ErrNoAgent, "404 not_found"},
		"ErrNoListing":            {core.ErrNoListing, "404 listing_not_found"},
		"ErrNoMessage":            {core.ErrNoMessage, "404 not_found"},
		"ErrNoDelivery":           {core.ErrNoDelivery, "404 not_found"},
		"ErrNotMember":            {core.ErrNotMember, "403 forbidden"},
		"ErrNotAllowed":           {core.ErrNotAllowed, "403 forbidden"},
		"ErrOwnListing":           {core.ErrOwnListing, "403 forbidden"},
		"ErrListingTaken":         {core.ErrListingTaken, "409 listing_already_connected"},
		"ErrRoomExists":           {core.ErrRoomExists, "409 conflict"},
		"ErrNotOwner":             {core.ErrNotOwner, "403 forbidden"},
		"ErrPerson":               {core.ErrPerson, "403 forbidden"},
		"ErrNoToken":              {core.ErrNoToken, "401 unauthorized"},
		"ErrKeyReused":            {core.ErrKeyReused, "409 conflict"},
		"ErrDraining":             {core.ErrDraining, "503 internal_error"},
		"NameTakenError":          {&core.NameTakenError{}, "409 conflict"},
		"NamesTakenError":         {&core.NamesTakenError{}, "409 conflict"},
		"RoomNotActiveError":      {&core.RoomNotActiveError{State: core.StateOpen}, "409 room_not_active"},
		"RoomExpiredError":        {&core.RoomExpiredError{}, "410 gone"},
		"TurnMismatchError":       {&core.TurnMismatchError{}, "409 turn_mismatch"},
		"NotYourTurnError":        {&core.NotYourTurnError{}, "409 turn_mismatch"},
		"TooLongError":            {&core.TooLongError{}, "413 payload_too_large"},
		"InvalidError":            {&core.InvalidError{Field: "name", Reason: "is odd"}, "400 invalid_request"},
		"NoConnectionError":       {&core.NoConnectionError{}, "409 conflict"},
		"NoStreamError":           {&core.NoStreamError{}, "409 conflict"},
		"ConnectionTakenError":    {&core.ConnectionTakenError{}, "409 conflict"},
		"TooManyConnectionsError": {&core.TooManyConnectionsError{}, "429 rate_limited"},
		"RoomClaimedError":        {&core.RoomClaimedError{}, "409 conflict"},
		"HoldsRoleError":          {&core.HoldsRoleError{}, "409 conflict"},
		"RoleHeldError":           {&core.RoleHeldError{}, "409 conflict"},
		"ErrConflict":             {core.ErrConflict, "409 conflict"},
		"ConflictError":           {&core.ConflictError{}, "409 conflict"},
		"ErrFull":                 {core.ErrFull, "503 internal_error"},
		"ErrReadOnly":             {core.ErrReadOnly, "503 internal_error"},
		"ErrClosed":               {core.ErrClosed, "503 internal_error"},
		"ErrLocked":               {core.ErrLocked, "503 internal_error"},
		"ErrNoSnapshot":           {core.ErrNoSnapshot, "503 internal_error"},
		"ErrNoPeer":               {core.ErrNoPeer, "503 internal_error"},
		"ErrTraces":               {core.ErrTraces, "503 internal_error"},
		"ErrNewerFormat":          {core.ErrNewerFormat, "500 internal_error"},
		"ErrCorrupt":              {core.ErrCorrupt, "500 internal_error"},
		"CorruptError":            {&core.CorruptError{Cause: core.ErrClosed}, "500 internal_error"},
	}
	for _, name := range declaredErrors(t) {
		require.Contains(t, cases, name, "the table does not know an error of core")
	}
	for name, tc := range cases {
		e := wireError(fmt.Errorf("wrapped: %w", tc.err))
		require.Equal(t, tc.want, fmt.Sprintf("%d %s", e.HTTPStatus, e.Code), name)
	}
	for _, state := range []core.RoomState{core.StateClosed, core.StatePurged} {
		require.EqualValues(t, "gone", wireError(&core.RoomNotActiveError{State: state}).Code)
	}
	require.Equal(t, 503, wireError(context.Canceled).HTTPStatus)
	require.Equal(t, "Field name: is odd.", wireError(cases["InvalidError"].err).Hint)
}

// declaredErrors lists the error values and types that core exports, by their names in its sources.
func declaredErrors(t *testing.T) (names []string) {
	for _, file := range []string{"errors.go", "logerrors.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), "../../core/"+file, nil, 0)
		require.NoError(t, err)
		for _, decl := range tree.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if strings.HasSuffix(s.Name.Name, "Error") && s.Name.IsExported() {
						names = append(names, s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if strings.HasPrefix(n.Name, "Err") {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	require.NotEmpty(t, names)
	return names
}
