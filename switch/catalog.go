package agentswitch

import (
	"bytes"
	"encoding/json"
	"fmt"

	"stele/internal/strictjson"
)

// Operation describes one operation to clients, which make a tool of it.
type Operation struct {
	Name string
	// Description is what a model reads.
	Description string
	// InputSchema is a JSON Schema with "type":"object".
	InputSchema json.RawMessage
}

// Catalog is the answer of GET …/ops: an object of operations by name. Its
// order, which clients show their models, is that of the list.
type Catalog []Operation

type operationBody struct {
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// MarshalJSON implements json.Marshaler.
func (c Catalog) MarshalJSON() ([]byte, error) {
	out := []byte(`{"operations":{`)
	for i, op := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(strictjson.AppendString(out, op.Name), ':')
		var err error
		if out, err = strictjson.Append(out, operationBody{op.Description, op.InputSchema}); err != nil {
			return nil, fmt.Errorf("agentswitch: operation %s: %w", op.Name, err)
		}
	}
	return append(out, "}}"...), nil
}

// UnmarshalJSON implements json.Unmarshaler. It keeps the order.
func (c *Catalog) UnmarshalJSON(data []byte) error {
	fields, err := strictjson.DecodeObjectLimits(data, catalogLimits())
	if err != nil {
		return err
	}
	bodies, err := strictjson.DecodeObjectLimits(fields["operations"], catalogLimits())
	if err != nil {
		return err
	}
	names, err := fieldOrder(fields["operations"])
	if err != nil {
		return err
	}
	list := make(Catalog, 0, len(names))
	for _, name := range names {
		var body operationBody
		if err := strictjson.UnmarshalLimits(bodies[name], &body, catalogLimits()); err != nil {
			return fmt.Errorf("operation %q: %w", name, err)
		}
		list = append(list, Operation{Name: name, Description: body.Description, InputSchema: body.InputSchema})
	}
	*c = list
	return nil
}

// Find returns the operation of that name.
func (c Catalog) Find(name string) (Operation, bool) {
	for _, op := range c {
		if op.Name == name {
			return op, true
		}
	}
	return Operation{}, false
}

func catalogLimits() strictjson.Limits { return strictjson.Limits{MaxBytes: DefaultMaxAnswerBytes} }

// fieldOrder returns the names of a checked object, each once, in order.
func fieldOrder(object []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var names []string
	seen := make(map[string]bool)
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if name, ok := token.(string); ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return nil, err
		}
	}
	return names, nil
}
