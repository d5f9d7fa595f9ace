// Package openapi writes down a front's routes as an OpenAPI document, from the types that the front really reads and
// writes, and checks what a server answers against that document. So the document cannot say one thing and the server do
// another.
//
// # Main types
//
//   - [Endpoint] is one route: where it is, who may call it, what it takes and what it answers.
//   - [Document] turns endpoints into YAML with [Document.YAML].
//   - [Checker] finds the endpoint that a request belongs to and checks an answer against it.
//
// # How Go types become schemas
//
// A field without omitempty is required, since it is always written. A pointer is its type or null. A json.RawMessage is
// anything. A named struct becomes a component, with its package's name left out. A type that encodes itself needs an
// entry in Document.Schemas: a guess would be a lie.
//
// # Example
//
//	doc := openapi.Document{Title: "Switch agent protocol", Endpoints: endpoints}
//	text, err := doc.YAML()
//	checker, err := openapi.NewChecker(doc)
//	err = checker.Check("GET", "/health", 200, "application/json", []byte(`{"status":"ok"}`))
package openapi
