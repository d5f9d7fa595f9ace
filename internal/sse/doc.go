// Package sse writes and reads server-sent events.
//
// [Append] writes frames in the narrowest form that every reader takes: lines
// end with a single LF, exactly one space follows the colon, one empty line
// ends the frame. Nothing in a frame's fields can start a line of its own, so
// a value that somebody else chose can not inject an event.
//
// [Reader] takes what servers send: CRLF, missing spaces, comments, unknown
// fields, a byte order mark. It holds one frame at a time and no more of it
// than the caller allows.
//
//	buf = sse.Append(buf[:0], sse.Frame{ID: "7", Event: "message", Data: []byte(`{"n":1}`)})
//	// id: 7
//	// event: message
//	// data: {"n":1}
//	//
//
// Reading gives back what was written: for every frame, Next after Append
// returns the same id, event, data and retry. The exceptions are what the
// format can not carry: CR, LF and NUL in an id or event are dropped, and CR
// and CRLF in data become LF.
//
// The package knows no transport. Flushing, deadlines and reconnecting belong
// to those who own the connection.
package sse
