package openapi

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document describes a front.
type Document struct {
	Title, Version, Description string
	// Security are the schemes by name, each an OpenAPI security scheme object.
	Security  map[string]any
	Endpoints []Endpoint
	// Schemas describe Go types that encode themselves.
	Schemas map[reflect.Type]map[string]any
}

// openapiVersion is the version of OpenAPI whose schemas are JSON Schema 2020-12.
const openapiVersion = "3.1.0"

// root is the document in the order in which people read it.
type root struct {
	OpenAPI    string         `yaml:"openapi"`
	Info       info           `yaml:"info"`
	Paths      map[string]any `yaml:"paths"`
	Components map[string]any `yaml:"components"`
}

type info struct {
	Title       string `yaml:"title"`
	Version     string `yaml:"version"`
	Description string `yaml:"description,omitempty"`
}

// YAML writes the document. The same endpoints give the same bytes.
func (d Document) YAML() ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(d.build()); err != nil {
		return nil, fmt.Errorf("write OpenAPI document: %w", err)
	}
	return b.Bytes(), enc.Close()
}

func (d Document) build() root {
	s := &schemas{given: d.Schemas, components: map[string]any{}, types: map[string]reflect.Type{}}
	paths := map[string]any{}
	for _, e := range d.Endpoints {
		item, ok := paths[e.Path].(map[string]any)
		if !ok {
			item = map[string]any{}
			if vars := variables(e.Path); len(vars) > 0 {
				item["parameters"] = vars
			}
			paths[e.Path] = item
		}
		method := strings.ToLower(e.Method)
		if _, twice := item[method]; twice {
			panic(fmt.Sprintf("openapi: %s %s is described twice", e.Method, e.Path))
		}
		item[method] = e.operation(s)
	}
	components := map[string]any{"schemas": s.components}
	if len(d.Security) > 0 {
		components["securitySchemes"] = d.Security
	}
	return root{
		OpenAPI: openapiVersion, Info: info{Title: d.Title, Version: d.Version, Description: d.Description},
		Paths: paths, Components: components,
	}
}

// variables are the parameters in a path.
func variables(path string) []any {
	var out []any
	for _, segment := range strings.Split(path, "/") {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		out = append(out, map[string]any{
			"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": map[string]any{"type": "string"},
		})
	}
	return out
}

func (e Endpoint) operation(s *schemas) map[string]any {
	out := map[string]any{"summary": e.Summary, "responses": e.responses(s)}
	if e.Description != "" {
		out["description"] = e.Description
	}
	if e.Tag != "" {
		out["tags"] = []string{e.Tag}
	}
	if len(e.Security) > 0 {
		var schemes []any
		for _, name := range e.Security {
			schemes = append(schemes, map[string]any{name: []string{}})
		}
		out["security"] = schemes
	}
	if len(e.Params) > 0 {
		out["parameters"] = e.parameters()
	}
	if e.Body != nil {
		out["requestBody"] = e.Body.object(s)
	}
	return out
}

func (e Endpoint) parameters() []any {
	var out []any
	for _, p := range e.Params {
		schema := p.Schema
		if schema == nil {
			schema = map[string]any{"type": "string"}
		}
		item := map[string]any{"name": p.Name, "in": p.In, "schema": schema}
		if p.Required {
			item["required"] = true
		}
		if p.Description != "" {
			item["description"] = p.Description
		}
		out = append(out, item)
	}
	return out
}

func (b *Body) object(s *schemas) map[string]any {
	media := b.Type
	if media == "" {
		media = typeJSON
	}
	out := map[string]any{"content": map[string]any{media: map[string]any{"schema": Content{Of: b.Of, Schema: b.Schema}.schema(s)}}}
	if b.Required {
		out["required"] = true
	}
	return out
}

func (e Endpoint) responses(s *schemas) map[string]any {
	out := map[string]any{}
	for status, a := range e.Answers {
		item := map[string]any{"description": a.Description}
		contents := map[string]any{}
		for media, c := range a.Contents {
			contents[media] = map[string]any{"schema": c.schema(s)}
		}
		if len(contents) > 0 {
			item["content"] = contents
		}
		out[strconv.Itoa(status)] = item
	}
	return out
}

func (c Content) schema(s *schemas) map[string]any {
	switch {
	case c.Schema != nil:
		return c.Schema
	case c.Of != nil:
		return s.of(c.Of)
	}
	return map[string]any{}
}
