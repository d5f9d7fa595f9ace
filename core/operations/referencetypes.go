package operations

import (
	"context"
	"encoding/json"
)

// ReferenceType is a kind of thing outside that a reference can point at.
type ReferenceType struct {
	Type         string `json:"type"`
	DisplayName  string `json:"display_name"`
	Instructions string `json:"instructions"`
}

// ReferenceTypeRow is a type as list_reference_types shows it.
type ReferenceTypeRow struct {
	ReferenceType
	// ValueSchema is the JSON Schema of a reference's value.
	ValueSchema json.RawMessage `json:"value_schema"`
}

// urlsSchema describes a value that is one or more addresses (Switch protocol: list_reference_types).
const urlsSchema = `{"properties":{"urls":{"items":{"type":"string"},"minItems":1,"type":"array"}},"required":["urls"],"type":"object"}`

// referenceTypes tells agents of the types that [core.ReferenceTypes] names.
func referenceTypes() []ReferenceType {
	return []ReferenceType{
		{"google_drive", "Google Drive", "Each URL is a file or folder in Google Drive. Open it with a Google Drive tool if you have one."},
		{"confluence", "Confluence", "Each URL is a page or space in Confluence. Read it with a Confluence tool if you have one."},
		{"github", "GitHub", "Each URL is a repository, file, issue or pull request on GitHub. Read it with git or a GitHub tool."},
		{"jira", "Jira", "Each URL is an issue, board or project in Jira. Read it with a Jira tool if you have one."},
	}
}

func listReferenceTypes() *operation {
	return define("list_reference_types",
		"List the kinds of reference there are, that is, of pointers to material kept elsewhere: the type's name, how to "+
			"read what it points at (instructions), and the JSON Schema of the value that create_reference takes.",
		func(context.Context, *Registry, Caller, noArgs) (any, error) {
			var rows []ReferenceTypeRow
			for _, t := range referenceTypes() {
				rows = append(rows, ReferenceTypeRow{ReferenceType: t, ValueSchema: json.RawMessage(urlsSchema)})
			}
			return rows, nil
		})
}
