package edgeframes

import (
	"fmt"
	"sync"

	"stele/edgeframes/superjson"
)

// Parse reads a frame of version 1. The error is a *[ParseError]; for a well-formed
// frame of version 2 it carries version_mismatch.
func Parse(text []byte, lim superjson.Limits) (Frame, error) {
	f, v, err := parse(text, lim)
	if err != nil {
		return nil, err
	}
	if v != ProtocolV1 {
		return nil, &ParseError{Code: CodeVersionMismatch, Detail: fmt.Sprintf("v %d is not spoken here", v)}
	}
	return f, nil
}

// ParseKnown reads a frame of either version. The error is a *[ParseError].
func ParseKnown(text []byte, lim superjson.Limits) (Frame, error) {
	f, _, err := parse(text, lim)
	return f, err
}

// FrameOf reads a frame of either version from a decoded value.
func FrameOf(v superjson.Value) (Frame, error) {
	f, _, err := frameOf(v)
	return f, err
}

// IsFrame reports whether v is a frame of version 1.
func IsFrame(v superjson.Value) bool {
	_, version, err := frameOf(v)
	return err == nil && version == ProtocolV1
}

// IsKnownFrame reports whether v is a frame of either version.
func IsKnownFrame(v superjson.Value) bool {
	_, _, err := frameOf(v)
	return err == nil
}

// ParseError says why a text is no frame, in the words of an error frame.
type ParseError struct {
	// Code is protocol_error, or version_mismatch for a version not spoken.
	Code ErrorCode
	// ID is the call that was meant, if ForCall: a malformed call concerns that
	// call and not its connection.
	ID      string
	ForCall bool
	// Detail says what is wrong, without any value of the frame.
	Detail string
	// Err is superjson's error if the text did not decode.
	Err error
}

// Error implements error.
func (e *ParseError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("edge: %s: %v", e.Code, e.Err)
	}
	return fmt.Sprintf("edge: %s: %s", e.Code, e.Detail)
}

// Unwrap returns the decoder's error, if there is one.
func (e *ParseError) Unwrap() error { return e.Err }

// Frame is the error frame to answer with.
func (e *ParseError) Frame() Error {
	message := e.Detail
	if e.Err != nil {
		message = e.Err.Error()
	}
	return Error{ID: e.ID, ForCall: e.ForCall, Code: e.Code, Message: message}
}

func parse(text []byte, lim superjson.Limits) (Frame, int, error) {
	root := roots.Get().(*superjson.Object)
	defer release(root)
	ok, err := superjson.Codec{Limits: lim}.ParseObject(text, root)
	if err != nil {
		return nil, 0, &ParseError{Code: CodeProtocolError, Err: err}
	}
	if !ok {
		return nil, 0, noFrame()
	}
	return frameIn(root)
}

// roots are objects to parse frames into. A frame keeps what its fields hold and not the
// object they are in.
var roots = sync.Pool{New: func() any { return superjson.NewObject() }}

func release(root *superjson.Object) {
	const kept = 64
	if root.Len() > kept {
		return
	}
	root.Reset()
	roots.Put(root)
}

func frameOf(v superjson.Value) (Frame, int, error) {
	o, ok := v.(*superjson.Object)
	if !ok {
		return nil, 0, noFrame()
	}
	return frameIn(o)
}

func noFrame() *ParseError { return malformed("no frame in the envelope") }

// frameIn reads a frame from its object.
func frameIn(o *superjson.Object) (Frame, int, error) {
	r := &reader{object: o}
	version := r.integer("v", 0)
	kind := Kind(r.text("kind"))
	if r.detail != "" {
		return nil, 0, malformed(r.detail)
	}
	if version != ProtocolV1 && version != ProtocolV2 {
		return nil, 0, &ParseError{Code: CodeVersionMismatch, Detail: fmt.Sprintf("v %d is not spoken here", version)}
	}
	f := readFrame(kind, r)
	if f == nil {
		return nil, 0, malformed("unknown kind")
	}
	if r.detail != "" {
		return nil, 0, r.failure(kind)
	}
	if kind != KindError && f.Version() != int(version) {
		return nil, 0, malformed(fmt.Sprintf("%s is a frame of version %d, not %d", kind, f.Version(), version))
	}
	return f, int(version), nil
}

func malformed(detail string) *ParseError {
	return &ParseError{Code: CodeProtocolError, Detail: detail}
}

// readFrame returns nil for a kind of neither version.
func readFrame(kind Kind, r *reader) Frame {
	switch kind {
	case KindCall:
		return readCall(r)
	case KindPing:
		return Ping{}
	case KindHello:
		return Hello{}
	case KindState:
		return readState(r)
	case KindMessages:
		f := Messages{Snapshot: readMessages(r, "snapshot"), Appended: readMessages(r, "appended")}
		r.one(f.Snapshot != nil, f.Appended != nil, "snapshot", "appended")
		return f
	case KindResult:
		return Result{ID: r.text("id"), Value: r.any("value")}
	case KindError:
		return readError(r)
	case KindPong:
		return Pong{}
	case KindAttach:
		return Attach{Token: r.optionalText("token"), Subscribe: readTexts[Stream](r, "subscribe"), Cursors: readCursors(r)}
	case KindAttached:
		r.need("grants")
		r.need("accepted")
		return Attached{Grants: readTexts[string](r, "grants"), Accepted: readTexts[Stream](r, "accepted")}
	case KindEvent:
		return EventFrame{Seq: r.integer("seq", 1), Type: r.text("type"), Payload: r.any("payload"), At: r.date("at")}
	}
	return nil
}

func readCall(r *reader) Frame {
	args, _ := r.list("args")
	return Call{ID: r.text("id"), Method: r.text("method"), Args: args}
}

func readState(r *reader) Frame {
	f := State{Snapshot: r.plainObject("snapshot"), Patch: r.plainObject("patch")}
	r.one(f.Snapshot != nil, f.Patch != nil, "snapshot", "patch")
	return f
}

func readError(r *reader) Frame {
	f := Error{ForCall: r.has("id"), Code: ErrorCode(r.text("code")), Message: r.text("message")}
	if f.ForCall {
		f.ID = r.text("id")
	}
	return f
}

// readCursors leaves out what is no position of a known stream.
func readCursors(r *reader) map[Stream]uint64 {
	o := r.plainObject("cursors")
	if o == nil {
		return nil
	}
	cursors := make(map[Stream]uint64)
	for _, s := range Streams() {
		v, _ := o.Get(string(s))
		if at, ok := wholeNumber(v); ok {
			cursors[s] = at
		}
	}
	return cursors
}

func readTexts[S ~string](r *reader, key string) []S {
	list, ok := r.list(key)
	if !ok {
		return nil
	}
	texts := make([]S, len(list))
	for i, item := range list {
		s, ok := item.(superjson.String)
		if !ok {
			r.fault("%s holds %s where a string belongs", key, superjson.KindOf(item))
		}
		texts[i] = S(s)
	}
	return texts
}
