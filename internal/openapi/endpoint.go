package openapi

import "reflect"

// Endpoint is one route.
type Endpoint struct {
	// Method in capitals; Path with its variables in braces, such as "/agents/{agent_id}/ops".
	Method, Path string
	// Summary is one line, Description may be more.
	Summary, Description string
	// Tag groups routes.
	Tag string
	// Security names the schemes of Document.Security of which one is needed; empty: none.
	Security []string
	// Params are those of the query and the header. Those of the path are taken from Path.
	Params []Param
	// Body is what the request carries, nil for nothing.
	Body *Body
	// Answers are all that the route gives by itself, by status.
	Answers map[int]Answer
}

// Param is a parameter of the query or the header.
type Param struct {
	// In is "query" or "header".
	In, Name, Description string
	Required              bool
	// Schema is a JSON Schema; nil: a string.
	Schema map[string]any
}

// Body is what a request carries.
type Body struct {
	Required bool
	// Type is the media type; empty: application/json.
	Type string
	// Of is the Go type of a JSON body; Schema is used instead if it is set.
	Of     reflect.Type
	Schema map[string]any
}

// Answer is what a route answers with one status.
type Answer struct {
	Description string
	// Contents are the bodies it may have by media type; empty: it has none.
	Contents map[string]Content
}

// Content is one form of an answer's body: that of a Go type, or a schema. With neither it is not looked into.
type Content struct {
	Of     reflect.Type
	Schema map[string]any
}

// JSON is an answer with a body of a Go type.
func JSON(description string, of reflect.Type) Answer {
	return Answer{Description: description, Contents: map[string]Content{typeJSON: {Of: of}}}
}

// Of is a shorthand for the type of T.
func Of[T any]() reflect.Type { return reflect.TypeFor[T]() }

const (
	typeJSON = "application/json"
	typeText = "text/plain"
)
