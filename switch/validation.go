package agentswitch

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"stele/internal/strictjson"
)

// The types of issues that this package reports; they are those of the
// reference server's framework.
const (
	IssueMissing       = "missing"
	IssueStringType    = "string_type"
	IssueStringUnicode = "string_unicode"
	IssueBoolType      = "bool_type"
	IssueBoolParsing   = "bool_parsing"
	IssueIntType       = "int_type"
	IssueIntParsing    = "int_parsing"
	IssueIntFromFloat  = "int_from_float"
	IssueFloatType     = "float_type"
	IssueFloatParsing  = "float_parsing"
	IssueDictType      = "dict_type"
	IssueObjectType    = "model_attributes_type"
	IssueListType      = "list_type"
	IssueLiteralError  = "literal_error"
	IssueJSONInvalid   = "json_invalid"
	locBody            = "body"
	locQuery           = "query"
	msgFieldRequired   = "Field required"
	msgStringType      = "Input should be a valid string"
	msgStringUnicode   = "Input should be a valid string, unable to parse raw data as a unicode string"
	msgDictType        = "Input should be a valid dictionary"
	msgListType        = "Input should be a valid list"
	msgObjectType      = "Input should be a valid dictionary or object to extract fields from"
	msgBoolType        = "Input should be a valid boolean"
	msgBoolParsing     = "Input should be a valid boolean, unable to interpret input"
	msgIntType         = "Input should be a valid integer"
	msgIntParsing      = "Input should be a valid integer, unable to parse string as an integer"
	msgIntFromFloat    = "Input should be a valid integer, got a number with a fractional part"
	msgFloatType       = "Input should be a valid number"
	msgFloatParsing    = "Input should be a valid number, unable to parse string as a number"
	msgJSONInvalid     = "JSON decode error"
	knownOptionsDocURL = "https://errors.pydantic.dev/2.13/v/"
)

// Issue is one fault of a request.
type Issue struct {
	Type string `json:"type"`
	// Loc is the path to the fault: strings and, for places in a list or a
	// text, ints. It begins with body or query.
	Loc []any  `json:"loc"`
	Msg string `json:"msg"`
	// Input is the offending value, as JSON.
	Input json.RawMessage `json:"input"`
	Ctx   map[string]any  `json:"ctx,omitempty"`
	// URL is set for known-agent options only.
	URL string `json:"url,omitempty"`
}

// ValidationError lists every fault of a request: 422, or 400 for the options
// of a known agent.
type ValidationError struct {
	Code   int
	Issues []Issue
}

// Error implements error. It names places and faults, not inputs, which may
// be secret.
func (e *ValidationError) Error() string {
	parts := make([]string, 0, len(e.Issues))
	for _, issue := range e.Issues {
		var place strings.Builder
		for i, step := range issue.Loc {
			if i > 0 {
				place.WriteByte('.')
			}
			switch step := step.(type) {
			case string:
				place.WriteString(step)
			case int:
				place.WriteString(strconv.Itoa(step))
			}
		}
		parts = append(parts, place.String()+": "+issue.Msg)
	}
	return strconv.Itoa(e.Code) + ": " + strings.Join(parts, "; ")
}

// Status implements Error.
func (e *ValidationError) Status() int { return e.Code }

// ContentType implements Error.
func (*ValidationError) ContentType() string { return ContentTypeJSON }

// AppendBody implements Error. An input that is no JSON is written as null.
func (e *ValidationError) AppendBody(dst []byte) []byte {
	issues := make(List[Issue], len(e.Issues))
	for i, issue := range e.Issues {
		if len(issue.Input) == 0 || strictjson.Check(issue.Input, frameLimits()) != nil {
			issue.Input = json.RawMessage("null")
		}
		issues[i] = issue
	}
	out, err := strictjson.Append(dst, struct {
		Detail List[Issue] `json:"detail"`
	}{issues})
	if err != nil {
		return append(dst, `{"detail":[]}`...)
	}
	return out
}

// unprocessable returns nil for no issues.
func unprocessable(issues []Issue) error {
	if len(issues) == 0 {
		return nil
	}
	return &ValidationError{Code: http.StatusUnprocessableEntity, Issues: issues}
}

// bodyObject reads a request body that must be an object.
func bodyObject(body []byte) (map[string]json.RawMessage, error) {
	return bodyObjectLimits(body, strictjson.DefaultLimits())
}

func bodyObjectLimits(body []byte, limits strictjson.Limits) (map[string]json.RawMessage, error) {
	if len(body) == 0 {
		return nil, unprocessable([]Issue{{Type: IssueMissing, Loc: []any{locBody}, Msg: msgFieldRequired}})
	}
	fields, err := strictjson.DecodeObjectLimits(body, limits)
	var syntax *strictjson.SyntaxError
	var wrong *strictjson.TypeError
	switch {
	case err == nil:
		return fields, nil
	case errors.Is(err, strictjson.ErrTooLarge):
		return nil, BodyTooLarge()
	case errors.As(err, &wrong):
		return nil, unprocessable([]Issue{{Type: IssueObjectType, Loc: []any{locBody}, Msg: msgObjectType, Input: body}})
	case errors.As(err, &syntax):
		return nil, invalidJSON(syntax.Offset, syntax.Msg)
	default:
		return nil, invalidJSON(0, strings.TrimPrefix(err.Error(), "strictjson: "))
	}
}

func invalidJSON(offset int, cause string) error {
	return unprocessable([]Issue{{
		Type: IssueJSONInvalid, Loc: []any{locBody, offset}, Msg: msgJSONInvalid,
		Input: json.RawMessage("{}"), Ctx: map[string]any{"error": cause},
	}})
}
