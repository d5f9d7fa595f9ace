package sse

import (
	"bytes"
	"strconv"
	"strings"
)

// Frame is one event to be written.
type Frame struct {
	// ID is what a client sends back as Last-Event-ID; empty means no id line.
	ID string
	// Event is the event's name; empty means no event line, which browsers
	// take as "message".
	Event string
	// Data is the payload. Line breaks in it become several data lines.
	Data []byte
	// Retry asks the client to wait that many milliseconds before it
	// reconnects; 0 or less means no retry line.
	Retry int
}

// Append appends f to dst.
func Append(dst []byte, f Frame) []byte {
	dst = appendField(dst, "id: ", f.ID)
	dst = appendField(dst, "event: ", f.Event)
	if f.Retry > 0 {
		dst = append(dst, "retry: "...)
		dst = strconv.AppendInt(dst, int64(f.Retry), 10)
		dst = append(dst, '\n')
	}
	dst = appendLines(dst, "data: ", f.Data)
	return append(dst, '\n')
}

// AppendComment appends text as a comment, which clients ignore. It keeps an
// idle connection alive.
func AppendComment(dst []byte, text string) []byte {
	dst = appendLines(dst, ": ", []byte(text))
	return append(dst, '\n')
}

func appendField(dst []byte, name, value string) []byte {
	if strings.ContainsAny(value, "\r\n\x00") {
		value = strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(value)
	}
	if value == "" {
		return dst
	}
	dst = append(dst, name...)
	dst = append(dst, value...)
	return append(dst, '\n')
}

// appendLines writes one line per line of text, at least one. CR, LF and CRLF
// all break lines for readers that follow the standard.
func appendLines(dst []byte, prefix string, text []byte) []byte {
	for {
		dst = append(dst, prefix...)
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			dst = append(dst, text...)
			return append(dst, '\n')
		}
		dst = append(dst, text[:end]...)
		dst = append(dst, '\n')
		if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
			end++
		}
		text = text[end+1:]
	}
}
