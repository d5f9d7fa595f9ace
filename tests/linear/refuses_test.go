package linear

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// TestModelRefuses gives the checker histories that no room may have, so that the silence of the other test means
// something.
func TestModelRefuses(t *testing.T) {
	ok := answer{status: 201}
	join := operation(0, 1, call{side: 1, kind: connect}, ok)
	read := func(from, to int64, side int, turn int64, hash string) porcupine.Operation {
		return operation(from, to, call{side: side, kind: context}, answer{status: 200, turn: turn, hash: hash, state: areyouai.StateActive})
	}
	say := func(from, to int64, side int, turn int64, hash string, out answer) porcupine.Operation {
		return operation(from, to, call{side: side, kind: send, turn: turn, hash: hash}, out)
	}
	gone := answer{status: 410, code: areyouai.CodeGone}
	ended := operation(10, 20, call{kind: closing}, answer{status: 200})
	for name, h := range map[string][]porcupine.Operation{
		"two winners":               {join, say(2, 9, 0, 0, "h", ok), say(3, 8, 0, 0, "h", ok)},
		"sent after a close":        {join, ended, say(21, 22, 0, 0, "h", ok)},
		"gone before a close":       {join, say(2, 3, 0, 0, "h", gone), ended},
		"a read from the past":      {join, say(2, 3, 0, 0, "h", ok), read(4, 5, 1, 0, "g")},
		"a stale hash was accepted": {join, read(2, 3, 0, 0, "new"), say(4, 5, 0, 0, "old", ok)},
		"two hashes of one state":   {join, read(2, 3, 0, 0, "x"), read(4, 5, 0, 0, "y")},
		"connected twice":           {join, operation(2, 3, call{side: 1, kind: connect}, ok)},
		"a stranger spoke":          {say(0, 1, 1, 0, "h", ok)},
	} {
		require.False(t, porcupine.CheckOperations(roomModel, h), name)
	}
	require.True(t, porcupine.CheckOperations(roomModel, []porcupine.Operation{
		join, read(2, 3, 0, 0, "x"), say(4, 9, 0, 0, "x", ok),
		say(5, 8, 0, 0, "x", answer{status: 409, code: areyouai.CodeTurnMismatch}), ended, say(21, 22, 1, 1, "y", gone),
	}))
}

func operation(from, to int64, in call, out answer) porcupine.Operation {
	out.turn = max(out.turn, in.turn)
	return porcupine.Operation{Input: in, Call: from, Output: out, Return: to}
}
