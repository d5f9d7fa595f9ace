package core

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/strictjson"
)

// MediaPath is where the gateway serves an attachment, by its id, to every member of the room that it was posted in. It is a
// path and no whole URL: what a client is shown of a message must not change when the gateway is reached by another name.
const MediaPath = "/gateway/media/"

// Parts of a line that shows a file:
//
//	[file] "plan.pdf" (application/pdf, 48213 bytes) /gateway/media/med_…
//
// Name and type are written as JSON writes a text, so that nothing in them can end the line or look like another part.
const (
	fileMark  = "[file] "
	fileOpen  = " ("
	fileUnit  = " bytes) "
	fileComma = ", "
)

// maxFileLine is more than such a line of a file that came through a door is long, in bytes.
const maxFileLine = 1 << 10

// AppendAttachmentLines returns a text as a client is shown it that knows only text: the text itself, and one line at its end
// for each file. Without files it is the text.
func AppendAttachmentLines(text string, files []Attachment) string {
	if len(files) == 0 {
		return text
	}
	b := []byte(text)
	for i, f := range files {
		if i > 0 || text != "" {
			b = append(b, '\n')
		}
		b = append(b, fileMark...)
		b = strictjson.AppendString(b, f.Filename)
		b = append(b, fileOpen...)
		b = append(b, unquoted(f.Type)...)
		b = append(b, fileComma...)
		b = strconv.AppendInt(b, f.Size, 10)
		b = append(b, fileUnit...)
		b = append(append(b, MediaPath...), f.Media...)
	}
	return string(b)
}

// unquoted is a text as JSON writes it, without the quotes around it.
func unquoted(s string) []byte {
	b := strictjson.AppendString(nil, s)
	return b[1 : len(b)-1]
}

// SplitAttachmentLines takes apart what [AppendAttachmentLines] put together. Put together again the parts are always the
// text that was given. A message whose own words end with such a line shows one file more than it has: it is text, and no
// text can be told from it.
func SplitAttachmentLines(shown string) (text string, files []Attachment) {
	rest := shown
	for len(files) < MaxAttachments {
		start := strings.LastIndexByte(rest, '\n') + 1
		f, ok := parseAttachmentLine(rest[start:])
		if !ok {
			break
		}
		files = append(files, f)
		if start == 0 {
			rest = ""
			break
		}
		rest = rest[:start-1]
		if rest == "" {
			// A line break alone before the first file is what no text and its files ever make.
			return shown, nil
		}
	}
	slices.Reverse(files)
	return rest, files
}

// parseAttachmentLine reads one line; only one that is written exactly as it would be written here is one.
func parseAttachmentLine(line string) (f Attachment, ok bool) {
	rest, ok := strings.CutPrefix(line, fileMark)
	if !ok {
		return f, false
	}
	link := strings.LastIndex(rest, fileUnit+MediaPath)
	if link < 0 {
		return f, false
	}
	f.Media = rest[link+len(fileUnit)+len(MediaPath):]
	rest = rest[:link]
	comma := strings.LastIndex(rest, fileComma)
	if comma < 0 {
		return f, false
	}
	size, err := strconv.ParseInt(rest[comma+len(fileComma):], 10, 64)
	if err != nil || size < 0 || !isMediaID(f.Media) {
		return f, false
	}
	f.Size, rest = size, rest[:comma]
	end := closingQuote(rest)
	if end < 0 || !strings.HasPrefix(rest[end:], fileOpen) {
		return f, false
	}
	if strictjson.Unmarshal([]byte(rest[:end]), &f.Filename) != nil ||
		strictjson.Unmarshal([]byte(`"`+rest[end+len(fileOpen):]+`"`), &f.Type) != nil {
		return f, false
	}
	return f, AppendAttachmentLines("", []Attachment{f}) == line
}

// closingQuote is the place after the JSON text at the beginning of s, -1 if there is none.
func closingQuote(s string) int {
	if s == "" || s[0] != '"' {
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// isMediaID tells whether a text can be the id of stored content.
func isMediaID(s string) bool {
	rest, ok := strings.CutPrefix(s, mediaPrefix)
	return ok && rest != "" && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
