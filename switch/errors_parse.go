package agentswitch

import (
	"encoding/json"
	"strconv"

	"stele/internal/strictjson"
)

// maxErrorText bounds what is kept of an answer that is no JSON, such as the
// page of a proxy.
const maxErrorText = 4 << 10

// ParseError turns an answer that is not a success into the type that wrote
// it. What does not look like the protocol's errors becomes a *PlainError.
func ParseError(status int, contentType string, body []byte) Error {
	if parsed := parseDetail(status, body); parsed != nil {
		return parsed
	}
	return &PlainError{Code: status, Text: string(body[:min(len(body), maxErrorText)]), Type: contentType}
}

func parseDetail(status int, body []byte) Error {
	fields, err := strictjson.DecodeObject(body)
	if err != nil {
		return nil
	}
	detail := fields["detail"]
	switch strictjson.KindOf(detail) {
	case "string":
		parsed := DetailError{Code: status}
		if strictjson.Unmarshal(detail, &parsed.Detail) == nil {
			return &parsed
		}
	case "array":
		parsed := ValidationError{Code: status}
		if strictjson.Unmarshal(detail, &parsed.Issues) == nil {
			for _, issue := range parsed.Issues {
				restoreInts(issue.Loc)
			}
			return &parsed
		}
	case "object":
		if parsed := parseRangeError(detail); parsed != nil {
			return parsed
		}
	}
	return nil
}

func parseRangeError(detail []byte) Error {
	var body struct {
		Message  string `json:"message"`
		Contract string `json:"contract"`
		Server   struct {
			Version *string `json:"version"`
			Range
		} `json:"server"`
		Client Range  `json:"client"`
		Remedy string `json:"remedy"`
	}
	if strictjson.Unmarshal(detail, &body) != nil || body.Contract != ContractName {
		return nil
	}
	return &RangeError{
		Message: body.Message, ServerVersion: body.Server.Version,
		Server: body.Server.Range, Client: body.Client, Remedy: body.Remedy,
	}
}

// restoreInts turns the numbers of a Loc back into ints.
func restoreInts(loc []any) {
	for i, step := range loc {
		if number, ok := step.(json.Number); ok {
			if n, err := strconv.Atoi(number.String()); err == nil {
				loc[i] = n
			}
		}
	}
}
