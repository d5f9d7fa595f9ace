package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// ErrUndescribed: the document knows no such route, status or media type.
var ErrUndescribed = errors.New("not described")

// Checker checks what a server answers against a document. It is safe for concurrent use.
type Checker struct {
	endpoints []Endpoint
	compiler  *jsonschema.Compiler

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
}

// documentURL is the name of the document within the checker; nothing is fetched.
const documentURL = "stele:///openapi.json"

// NewChecker prepares the checks of a document, as it is when written and read again.
func NewChecker(d Document) (*Checker, error) {
	text, err := d.YAML()
	if err != nil {
		return nil, err
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read OpenAPI document: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(documentURL, doc); err != nil {
		return nil, fmt.Errorf("read OpenAPI document: %w", err)
	}
	return &Checker{endpoints: d.Endpoints, compiler: c, compiled: map[string]*jsonschema.Schema{}}, nil
}

// Find returns the endpoint that a request belongs to. A path with fewer variables wins.
func (c *Checker) Find(method, path string) (Endpoint, bool) {
	best, found := Endpoint{}, false
	for _, e := range c.endpoints {
		if e.Method == method && matches(e.Path, path) && (!found || strings.Count(e.Path, "{") < strings.Count(best.Path, "{")) {
			best, found = e, true
		}
	}
	return best, found
}

// Knows tells whether the path has an endpoint of any method.
func (c *Checker) Knows(path string) bool {
	for _, e := range c.endpoints {
		if matches(e.Path, path) {
			return true
		}
	}
	return false
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (!strings.HasPrefix(want[i], "{") || got[i] == "") {
			return false
		}
	}
	return true
}

// Check compares an answer with what the document says of it. Errors: [ErrUndescribed], or what is wrong with the body.
func (c *Checker) Check(method, path string, status int, contentType string, body []byte) error {
	e, ok := c.Find(method, path)
	if !ok {
		return fmt.Errorf("%s %s is %w", method, path, ErrUndescribed)
	}
	where := fmt.Sprintf("%s %s, status %d", method, e.Path, status)
	a, ok := e.Answers[status]
	if !ok {
		return fmt.Errorf("%s is %w", where, ErrUndescribed)
	}
	if len(a.Contents) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("%s should have no body but has %q", where, body)
		}
		return nil
	}
	media := contentType
	if media == "" {
		// Without a type it is text: what describes it has no better word.
		media = typeText
	}
	if parsed, _, err := mime.ParseMediaType(contentType); err == nil {
		media = parsed
	}
	if _, ok := a.Contents[media]; !ok {
		if _, any := a.Contents["*/*"]; any {
			return nil
		}
		return fmt.Errorf("%s with media type %q is %w", where, contentType, ErrUndescribed)
	}
	if media != typeJSON {
		return nil
	}
	return c.checkBody(where, e, status, body)
}

func (c *Checker) checkBody(where string, e Endpoint, status int, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: body %q: %w", where, body, err)
	}
	schema, err := c.schema(e, status)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s: body %s: %w", where, body, err)
	}
	return nil
}

// schema compiles the schema of an answer once.
func (c *Checker) schema(e Endpoint, status int) (*jsonschema.Schema, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	at := documentURL + "#/paths/" + escape.Replace(e.Path) + "/" + strings.ToLower(e.Method) + "/responses/" +
		strconv.Itoa(status) + "/content/" + escape.Replace(typeJSON) + "/schema"
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.compiled[at]; s != nil {
		return s, nil
	}
	s, err := c.compiler.Compile(at)
	if err != nil {
		return nil, err
	}
	c.compiled[at] = s
	return s, nil
}
