package edgefront

import (
	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

// Logged returns a value of a frame as the log has it, bounded as for values that sockets send. It is for those who read a
// captured socket. Errors: of a value that the log cannot hold.
func Logged(v superjson.Value) (typedjson.Value, error) { return logged(v) }
