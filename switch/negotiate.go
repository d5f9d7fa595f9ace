package agentswitch

import (
	"fmt"
	"net/http"
	"strconv"
)

// RangeError refuses a client whose range of revisions does not overlap with
// the server's. Its detail is an object, not a text.
type RangeError struct {
	Message string
	// ServerVersion is nil when unknown.
	ServerVersion *string
	Server        Range
	Client        Range
	// Remedy is RemedyUpdateRuntime or RemedyUpdateServer.
	Remedy string
}

// Error implements error.
func (e *RangeError) Error() string { return strconv.Itoa(e.Status()) + ": " + e.Message }

// Status implements Error; it is always 409.
func (*RangeError) Status() int { return http.StatusConflict }

// ContentType implements Error.
func (*RangeError) ContentType() string { return ContentTypeJSON }

// AppendBody implements Error.
func (e *RangeError) AppendBody(dst []byte) []byte {
	o := openObject(dst)
	o.name("detail")
	detail := openObject(o.buf)
	detail.str("message", e.Message)
	detail.str("contract", ContractName)
	detail.name("server")
	server := openObject(detail.buf)
	server.optional("version", e.ServerVersion)
	server.int("speaks", int64(e.Server.Speaks))
	server.int("accepts", int64(e.Server.Accepts))
	detail.buf = server.close()
	detail.name("client")
	client := openObject(detail.buf)
	client.int("speaks", int64(e.Client.Speaks))
	client.int("accepts", int64(e.Client.Accepts))
	detail.buf = client.close()
	detail.str("remedy", e.Remedy)
	o.buf = detail.close()
	return o.close()
}

// Declaration is what a client says about itself in the query of an open; nil
// is what it left out.
type Declaration struct {
	// Protocol is the newest revision it speaks, ProtocolAccepts the oldest it
	// still understands.
	Protocol        *int
	ProtocolAccepts *int
	// Client and ClientVersion name the program. They are never judged.
	Client        *string
	ClientVersion *string
}

// DefaultDeclaration is what this package's client says about itself.
func DefaultDeclaration() Declaration {
	speaks, accepts, name, version := ProtocolSpeaks, ProtocolAccepts, ClientArtifact, ClientVersion
	return Declaration{Protocol: &speaks, ProtocolAccepts: &accepts, Client: &name, ClientVersion: &version}
}

// Range returns the declared range, and false for a client that declared
// none. Without ProtocolAccepts it is one revision wide.
func (d Declaration) Range() (Range, bool) {
	if d.Protocol == nil {
		return Range{}, false
	}
	r := Range{Speaks: *d.Protocol, Accepts: *d.Protocol}
	if d.ProtocolAccepts != nil {
		r.Accepts = *d.ProtocolAccepts
	}
	return r, true
}

// Info returns the declaration as connection_state echoes it.
func (d Declaration) Info() ClientInfo {
	info := ClientInfo{Artifact: d.Client, Version: d.ClientVersion}
	if r, ok := d.Range(); ok {
		info.Speaks, info.Accepts = &r.Speaks, &r.Accepts
	}
	return info
}

// Negotiate decides whether a client may open a stream. It returns nil when
// the ranges overlap or the client declared none: silence is not taken for the
// server's own revision, but it is accepted.
func Negotiate(version *string, server Range, d Declaration) *RangeError {
	client, declared := d.Range()
	if !declared || client.Accepts <= server.Speaks && server.Accepts <= client.Speaks {
		return nil
	}
	remedy := RemedyUpdateServer
	if client.Speaks < server.Accepts {
		remedy = RemedyUpdateRuntime
	}
	return &RangeError{
		Message: fmt.Sprintf("the client speaks %s revision %d and accepts %d and later, the server speaks %d and accepts %d and later: %s",
			ContractName, client.Speaks, client.Accepts, server.Speaks, server.Accepts, remedy),
		ServerVersion: version, Server: server, Client: client, Remedy: remedy,
	}
}
