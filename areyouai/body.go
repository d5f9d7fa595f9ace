package areyouai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/strictjson"
)

func bodyLimits(bytes int) strictjson.Limits {
	return strictjson.Limits{MaxBytes: bytes, MaxDepth: MaxBodyDepth}
}

// ReadBody reads a request body of at most BodyBytes. A longer one is
// payload_too_large, found after reading one byte too many and no more; a
// failing reader is invalid_request, because the body never arrived whole.
func (l Limits) ReadBody(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(l.BodyBytes)+1))
	if err != nil {
		e := InvalidRequest("The request body could not be read to its end.")
		e.cause = err
		return nil, e
	}
	if len(data) > l.BodyBytes {
		return nil, l.PayloadTooLarge()
	}
	return data, nil
}

// DrainBody reads and ignores the body of a POST that has none by contract
// (connect, join, close, access-token): clients send nothing, "{}" or an empty
// body with a JSON content type. Only the size limit of [Limits.ReadBody]
// applies.
func (l Limits) DrainBody(r io.Reader) error {
	_, err := l.ReadBody(r)
	return err
}

// AppendReply appends v as a reply body: one JSON object and a newline.
func AppendReply(dst []byte, v any) ([]byte, error) {
	dst, err := strictjson.Append(dst, v)
	if err != nil {
		return nil, fmt.Errorf("areyouai: encode %T: %w", v, err)
	}
	return append(dst, '\n'), nil
}

// decodeObject decodes a body that must be one JSON object into v, a pointer to
// a struct. Unknown fields are ignored, every failure is an invalid_request with
// a hint.
func (l Limits) decodeObject(body []byte, v any) error {
	if len(body) > l.BodyBytes {
		return l.PayloadTooLarge()
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return InvalidRequest("The request body must be a JSON object.")
	}
	if err := decodeFields(body, v); err != nil {
		return invalidJSON(err)
	}
	return nil
}

func invalidJSON(err error) *Error {
	var (
		syntax *strictjson.SyntaxError
		typ    *strictjson.TypeError
		e      *Error
	)
	switch {
	case errors.Is(err, strictjson.ErrTooDeep):
		e = InvalidRequest("The request body is nested too deeply.")
	case errors.Is(err, strictjson.ErrInvalidUTF8):
		e = InvalidRequest("The request body is not valid UTF-8.")
	case errors.Is(err, strictjson.ErrLoneSurrogate):
		e = InvalidRequest("A field of the request body holds half of a surrogate pair, which is not a character: send both halves or none.")
	case errors.As(err, &syntax):
		e = InvalidRequest(fmt.Sprintf("The request body is not valid JSON at byte %d.", syntax.Offset))
	case errors.As(err, &typ) && typ.Field != "":
		e = InvalidRequest(fmt.Sprintf("Field %s must be of type %s.", typ.Field, typ.Want))
	default:
		e = InvalidRequest("A field of the request body has the wrong type.")
	}
	e.cause = err
	return e
}

// requiredLine is requiredText for what clients of every protocol show in one
// line, names above all: nothing in it may break the line or steer a terminal.
func requiredLine(field, s string, max int) (string, error) {
	s, err := requiredText(field, s, max)
	if err != nil {
		return "", err
	}
	return s, checkLine("Field "+field, s)
}

func checkLine(what, s string) error {
	if strings.ContainsFunc(s, breaksLine) {
		return InvalidRequest(what + " must not contain line breaks or other control characters.")
	}
	return nil
}

// breaksLine knows the control characters and the two separators that Unicode
// keeps outside of them.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// requiredText trims s and checks that between 1 and max code points are left.
func requiredText(field, s string, max int) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", InvalidRequest(fmt.Sprintf("Field %s is required and must not be blank.", field))
	}
	if utf8.RuneCountInString(s) > max {
		return "", InvalidRequest(fmt.Sprintf("Field %s is limited to %d characters.", field, max))
	}
	return s, nil
}
