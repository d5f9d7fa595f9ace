package areyouai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// TestErrorTable pins the body of every code; the file is the contract's table
// read line by line.
func TestErrorTable(t *testing.T) {
	var b strings.Builder
	for _, code := range areyouai.Codes() {
		e := areyouai.NewError(code)
		require.Equal(t, e.HTTPStatus, e.Status())
		b.WriteString(reply(t, e))
	}
	golden(t, "errors.golden", []byte(b.String()))
}

func TestErrorBodies(t *testing.T) {
	cases := map[string]struct {
		err  *areyouai.Error
		want string
	}{
		"recoverable false stays": {
			areyouai.NewError(areyouai.CodeForbidden),
			`{"error":"forbidden","status":403,"recoverable":false}`,
		},
		"hint": {
			areyouai.InvalidRequest("Say <more>."),
			`{"error":"invalid_request","status":400,"recoverable":false,"hint":"Say <more>."}`,
		},
		"method with allow": {
			areyouai.MethodNotAllowed("GET"),
			`{"error":"method_not_allowed","status":405,"recoverable":false,"allow":["GET"]}`,
		},
		"other hint": {
			areyouai.NewError(areyouai.CodeGone).WithHint("The room is over."),
			`{"error":"gone","status":410,"recoverable":false,"hint":"The room is over."}`,
		},
		"unknown code": {
			areyouai.NewError("made_up"),
			`{"error":"internal_error","status":500,"recoverable":true}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want+"\n", reply(t, c.err)) })
	}
	leave := areyouai.EndpointNotSupported(areyouai.PathRoomLeave)
	require.Contains(t, reply(t, leave), `"endpoint":"/v1/rooms/{id}/leave"`)
	require.Contains(t, reply(t, areyouai.NewError(areyouai.CodePayloadTooLarge)), `"max_chars":8192`)
}

func TestErrorIs(t *testing.T) {
	err := fmt.Errorf("send: %w", areyouai.NewError(areyouai.CodeTurnMismatch))
	require.ErrorIs(t, err, areyouai.CodeTurnMismatch)
	require.ErrorIs(t, err, areyouai.NewError(areyouai.CodeTurnMismatch))
	require.NotErrorIs(t, err, areyouai.CodeConflict)
	require.Equal(t, areyouai.CodeTurnMismatch, areyouai.AsError(err).Code)
}

func TestAsErrorHidesTheCause(t *testing.T) {
	cause := errors.New("password in a path")
	e := areyouai.AsError(cause)
	require.Equal(t, 500, e.Status())
	require.ErrorIs(t, e, cause)
	require.NotContains(t, reply(t, e)+e.Error(), "password")
}

func TestWithHintCopies(t *testing.T) {
	e := areyouai.NewError(areyouai.CodeGone)
	_ = e.WithHint("x")
	require.Empty(t, e.Hint)
}

func TestParseError(t *testing.T) {
	cases := map[string]struct {
		status      int
		body        string
		code        areyouai.Code
		recoverable bool
	}{
		"shape":             {409, `{"error":"turn_mismatch","status":409,"recoverable":true,"hint":"h","turn":4}`, "turn_mismatch", true},
		"new code":          {422, `{"error":"brand_new","status":422,"recoverable":false}`, "brand_new", false},
		"status line wins":  {403, `{"error":"forbidden","status":200}`, "forbidden", false},
		"page of a proxy":   {502, `<html>`, "internal_error", true},
		"empty":             {401, ``, "unauthorized", true},
		"empty 400":         {400, ``, "invalid_request", false},
		"plain 404":         {404, "404 page not found\n", "not_found", false},
		"conflict unknown":  {409, `{}`, "conflict", true},
		"too many requests": {429, `null`, "rate_limited", true},
		"odd status":        {418, `[]`, "invalid_request", false},
		"redirect":          {302, ``, "invalid_request", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			e := areyouai.ParseError(c.status, []byte(c.body))
			require.Equal(t, c.code, e.Code)
			require.Equal(t, c.status, e.Status())
			require.Equal(t, c.recoverable, e.Recoverable)
		})
	}
}
