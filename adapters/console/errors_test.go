package console_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/operations"
)

// TestEveryCoreErrorHasItsPage: each error that core declares is in the table, and none but damage is a failure of the program.
func TestEveryCoreErrorHasItsPage(t *testing.T) {
	cases := map[string]struct {
		err  error
		want int
	}{
		"ErrWrongCode": {core.ErrWrongCode, 403}, "ErrMediaTooLarge": {core.ErrMediaTooLarge, 400},
		"ErrSeveralRooms": {operations.ErrSeveralRooms, 400}, "ErrOtherRoom": {operations.ErrOtherRoom, 400},
		"InvalidError": {&core.InvalidError{}, 400}, "TooLongError": {&core.TooLongError{}, 400},
		"PlaceError": {&core.PlaceError{}, 400}, "ImportError": {&core.ImportError{}, 400},
		"ArgumentError": {&operations.ArgumentError{}, 400}, "UnknownOperationError": {&operations.UnknownOperationError{}, 400},
		"ErrNotMember": {core.ErrNotMember, 403}, "ErrNotAllowed": {core.ErrNotAllowed, 403}, "ErrNotOwner": {core.ErrNotOwner, 403},
		"ErrNotInRoom": {core.ErrNotInRoom, 403}, "ErrNotPermitted": {core.ErrNotPermitted, 403},
		"ErrNotPerformer": {core.ErrNotPerformer, 403}, "ErrNotRequester": {core.ErrNotRequester, 403},
		"ErrNoViewer": {core.ErrNoViewer, 403}, "NotAllowedError": {&core.NotAllowedError{}, 403},
		"ErrNoRoom": {core.ErrNoRoom, 404}, "ErrNoAgent": {core.ErrNoAgent, 404}, "ErrNoListing": {core.ErrNoListing, 404},
		"ErrNoMessage": {core.ErrNoMessage, 404}, "ErrNoDelivery": {core.ErrNoDelivery, 404}, "ErrNoToken": {core.ErrNoToken, 404},
		"ErrNoUser": {core.ErrNoUser, 404}, "ErrNoUserKey": {core.ErrNoUserKey, 404}, "ErrNoMedia": {core.ErrNoMedia, 404},
		"ErrNoMediaStore": {core.ErrNoMediaStore, 404}, "ErrNoTask": {core.ErrNoTask, 404}, "ErrNoWebhook": {core.ErrNoWebhook, 404},
		"ErrConflict": {core.ErrConflict, 409}, "ConflictError": {&core.ConflictError{}, 409}, "ErrPollerMoved": {core.ErrPollerMoved, 409},
		"ErrPerson": {core.ErrPerson, 409}, "ErrLastAdmin": {core.ErrLastAdmin, 409}, "ErrOwnListing": {core.ErrOwnListing, 409},
		"ErrListingTaken": {core.ErrListingTaken, 409}, "ErrRoomExists": {core.ErrRoomExists, 409}, "ErrKeyReused": {core.ErrKeyReused, 409},
		"ErrNotConnected": {operations.ErrNotConnected, 409}, "ErrNoConnection": {operations.ErrNoConnection, 409},
		"NameTakenError": {&core.NameTakenError{}, 409}, "NamesTakenError": {&core.NamesTakenError{}, 409},
		"RoomNotActiveError": {&core.RoomNotActiveError{State: core.StateClosed}, 409}, "RoomExpiredError": {&core.RoomExpiredError{}, 409},
		"TurnMismatchError": {&core.TurnMismatchError{}, 409}, "NotYourTurnError": {&core.NotYourTurnError{}, 409},
		"NoConnectionError": {&core.NoConnectionError{}, 409}, "NoStreamError": {&core.NoStreamError{}, 409},
		"ConnectionTakenError": {&core.ConnectionTakenError{}, 409}, "RoomClaimedError": {&core.RoomClaimedError{}, 409},
		"HoldsRoleError": {&core.HoldsRoleError{}, 409}, "RoleHeldError": {&core.RoleHeldError{}, 409},
		"TaskStateError": {&core.TaskStateError{}, 409}, "AlreadyImportedError": {&core.AlreadyImportedError{}, 409},
		"CommandRefusedError":     {&core.CommandRefusedError{}, 409},
		"ErrViewerLeft":           {core.ErrViewerLeft, 410},
		"TooManyConnectionsError": {&core.TooManyConnectionsError{}, 429},
		"ErrFull":                 {core.ErrFull, 503}, "ErrReadOnly": {core.ErrReadOnly, 503}, "ErrClosed": {core.ErrClosed, 503},
		"ErrLocked": {core.ErrLocked, 503}, "ErrTraces": {core.ErrTraces, 503}, "ErrNoSnapshot": {core.ErrNoSnapshot, 503},
		"ErrNoPeer": {core.ErrNoPeer, 503}, "ErrDraining": {core.ErrDraining, 503}, "ErrDocumentTimeout": {core.ErrDocumentTimeout, 503},
		"ErrNewerFormat": {core.ErrNewerFormat, 500}, "ErrCorrupt": {core.ErrCorrupt, 500},
		"CorruptError": {&core.CorruptError{Cause: fmt.Errorf("damaged")}, 500},
	}
	for _, name := range declaredErrors(t, "../../core", "../../core/operations") {
		require.Contains(t, cases, name, "the table does not know an error of core")
	}
	for name, tc := range cases {
		status, text := console.StatusOf(fmt.Errorf("wrapped: %w", tc.err))
		require.Equal(t, tc.want, status, name)
		if status == http.StatusInternalServerError {
			require.NotContains(t, text, "wrapped", "what failed inside is for the log")
		}
	}
	status, _ := console.StatusOf(&core.RoomNotActiveError{State: core.StatePurged})
	require.Equal(t, http.StatusGone, status)
	status, _ = console.StatusOf(context.Canceled)
	require.Equal(t, http.StatusServiceUnavailable, status)
}

// declaredErrors lists the error values and types that packages export, by their names in the sources.
func declaredErrors(t *testing.T, dirs ...string) (names []string) {
	t.Helper()
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, decl := range tree.Decls {
				if gen, ok := decl.(*ast.GenDecl); ok {
					names = append(names, errorNames(gen)...)
				}
			}
		}
	}
	require.Greater(t, len(names), 40)
	return names
}

func errorNames(gen *ast.GenDecl) (names []string) {
	for _, spec := range gen.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && strings.HasSuffix(s.Name.Name, "Error") {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if gen.Tok == token.VAR && strings.HasPrefix(n.Name, "Err") {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}
