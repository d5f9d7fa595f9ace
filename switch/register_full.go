package agentswitch

import (
	"encoding/json"
	"net/http"

	"stele/internal/strictjson"
)

// FullRegistration is the body of POST /agents: an agent that describes itself
// instead of naming a known type.
type FullRegistration struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// ConnectorType is free text that names the kind of program.
	ConnectorType string             `json:"connector_type"`
	Profile       IntegrationProfile `json:"integration_profile"`
	Tools         List[Tool]         `json:"tools,omitempty"`
	Models        List[NamedText]    `json:"models,omitempty"`
	// Metadata is the agent's own; nil and empty are the same.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	// IconURL is an absolute https URL.
	IconURL *string `json:"icon_url,omitempty"`
	// Overwrite replaces an agent of the same name and invalidates its key.
	Overwrite bool `json:"overwrite,omitempty"`
}

// Tool is a tool that an agent registers. Mediation lets it call these.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is an object, or nil for none.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// ParseFullRegistration reads and validates the body of POST /agents. Faults
// of the body, the profile's among them, are a *ValidationError with 422; a
// bad name or icon is a 400 text.
func ParseFullRegistration(body []byte) (FullRegistration, error) {
	f, err := newFields(body)
	if err != nil {
		return FullRegistration{}, err
	}
	req := FullRegistration{
		Name:          f.requiredString("name"),
		Description:   f.requiredString("description"),
		ConnectorType: f.requiredString("connector_type"),
	}
	if raw, ok := f.required("integration_profile"); ok {
		req.Profile = f.profile("integration_profile", raw)
	}
	req.Tools = f.tools("tools")
	req.Models = f.namedTexts("models")
	req.Metadata = f.wholeObjectOr("metadata")
	req.IconURL = f.optionalString("icon_url")
	req.Overwrite = f.boolOr("overwrite", false)
	if err := f.err(); err != nil {
		return FullRegistration{}, err
	}
	if err := validateIdentity(req.Name, req.IconURL); err != nil {
		return FullRegistration{}, err
	}
	return req, nil
}

func (f *fields) tools(name string) (tools List[Tool]) {
	raw, ok := f.values[name]
	if !ok {
		return nil
	}
	f.elements(name, raw, func(list *fields, i int, element json.RawMessage) {
		list.nested(i, element, func(t *fields) {
			t.wholeText("parameters")
			tools = append(tools, Tool{
				Name: t.requiredString("name"), Description: t.requiredString("description"), Parameters: t.optionalObject("parameters"),
			})
		})
	})
	return tools
}

func (f *fields) namedTexts(name string) (texts List[NamedText]) {
	raw, ok := f.values[name]
	if !ok {
		return nil
	}
	f.elements(name, raw, func(list *fields, i int, element json.RawMessage) {
		list.nested(i, element, func(t *fields) {
			texts = append(texts, NamedText{Name: t.requiredString("name"), Description: t.requiredString("description")})
		})
	})
	return texts
}

// validateIdentity refuses what no registration accepts.
func validateIdentity(name string, iconURL *string) error {
	if !ValidAgentName(name) {
		return Refuse(http.StatusBadRequest,
			"Invalid agent name: use lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit")
	}
	if iconURL == nil {
		return nil
	}
	return validateIconURL(*iconURL)
}

// AgentPatch is the body of PATCH /agents/{agent_id}. What is nil stays as it
// is; an empty Metadata that is not nil clears it.
type AgentPatch struct {
	Description *string
	Profile     *IntegrationProfile
	Metadata    map[string]json.RawMessage
}

// MarshalJSON implements json.Marshaler. It writes only what is not nil.
func (p AgentPatch) MarshalJSON() ([]byte, error) {
	body := struct {
		Description *string               `json:"description,omitempty"`
		Profile     *IntegrationProfile   `json:"integration_profile,omitempty"`
		Metadata    *Map[json.RawMessage] `json:"metadata,omitempty"`
	}{Description: p.Description, Profile: p.Profile}
	if p.Metadata != nil {
		metadata := Map[json.RawMessage](p.Metadata)
		body.Metadata = &metadata
	}
	return strictjson.Marshal(body)
}

// ParseAgentPatch reads the body of a PATCH. Errors are an Error; a bad
// profile is 422.
func ParseAgentPatch(body []byte) (AgentPatch, error) {
	f, err := newFields(body)
	if err != nil {
		return AgentPatch{}, err
	}
	patch := AgentPatch{Description: f.optionalString("description")}
	if raw := f.optionalValue("integration_profile"); raw != nil {
		profile := f.profile("integration_profile", raw)
		patch.Profile = &profile
	}
	if f.optionalValue("metadata") != nil {
		patch.Metadata = f.wholeObjectOr("metadata")
	}
	if err := f.err(); err != nil {
		return AgentPatch{}, err
	}
	return patch, nil
}
