package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"stele/core"
	"stele/internal/strictjson"
)

// maxPolicyFile bounds a file with an addressing policy.
const maxPolicyFile = core.MaxAgentBytes

// readPolicy reads an addressing policy from a file. A name that it does not know is refused: a rule that was misspelt
// would let in others than were meant.
func readPolicy(path string) (*core.AddressingPolicy, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxPolicyFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPolicyFile {
		return nil, fmt.Errorf("%s is longer than %d bytes", path, maxPolicyFile)
	}
	policy, err := parsePolicy(data)
	if err != nil {
		return nil, fmt.Errorf("%s is no addressing policy: %w", path, err)
	}
	return policy, nil
}

func parsePolicy(data []byte) (*core.AddressingPolicy, error) {
	fields, err := known(data, "rules")
	if err != nil {
		return nil, err
	}
	raw, ok := fields["rules"]
	if !ok {
		return nil, fmt.Errorf(`it has no "rules"`)
	}
	var rules []json.RawMessage
	if err := strictjson.Unmarshal(raw, &rules); err != nil {
		return nil, err
	}
	policy := &core.AddressingPolicy{Rules: make([]core.AddressingRule, len(rules))}
	for i, rule := range rules {
		if _, err := known(rule, "rooms", "groups", "users", "agents", "owner", "owner_agents"); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		if err := strictjson.Unmarshal(rule, &policy.Rules[i]); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		// On its way to a gateway an empty list would become none, which means the opposite.
		if groups := policy.Rules[i].Groups; groups != nil && len(groups) == 0 {
			return nil, fmt.Errorf("rule %d: groups must not be empty; leave it out for all", i+1)
		}
	}
	return policy, nil
}

// known returns the fields of an object that has none but those named.
func known(object []byte, names ...string) (map[string]json.RawMessage, error) {
	fields, err := strictjson.DecodeObject(object)
	if err != nil {
		return nil, err
	}
	for name := range fields {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("it has no field %q, only %q", name, names)
		}
	}
	return fields, nil
}
