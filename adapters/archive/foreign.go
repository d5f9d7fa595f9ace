package archive

import (
	"bytes"
	"fmt"

	"stele/internal/strictjson"
)

var foreignLimits = strictjson.Limits{MaxBytes: MaxForeign, MaxDepth: 256}

// wholeLimits refuse what foreignLimits would read as U+FFFD, half of a surrogate pair: no text is altered.
var wholeLimits = strictjson.Limits{MaxBytes: MaxForeign, MaxDepth: 256, WholeText: true}

// noName is what a room is called whose form has no name for it.
const noName = "Imported conversation"

// readForeign reads a file of another form than this package's.
func readForeign(whole []byte, o ReadOptions) (*Archive, error) {
	whole = bytes.TrimSpace(whole)
	form := o.Form
	if form == "" {
		form = formOf(whole)
	}
	switch form {
	case Areyouai:
		return readTranscript(whole)
	case Switch:
		return readContext(whole)
	case Edge:
		return readFrames(whole)
	case "":
		return nil, ErrUnknownForm
	}
	return nil, fmt.Errorf("there is no form %q: it must be one of %v", form, Forms())
}

// formOf finds out what a file is by the names of its fields; empty if they are of no form.
func formOf(whole []byte) Form {
	fields, err := strictjson.DecodeObjectLimits(whole, foreignLimits)
	if err != nil {
		// Frames are one document per line.
		first, _, _ := bytes.Cut(whole, []byte{'\n'})
		if fields, err = strictjson.DecodeObjectLimits(bytes.TrimSpace(first), foreignLimits); err != nil || fields["json"] == nil {
			return ""
		}
		return Edge
	}
	switch {
	case fields["json"] != nil:
		return Edge
	case fields["messages"] != nil && fields["room_topic"] != nil:
		return Areyouai
	case fields["threads"] != nil || strictjson.KindOf(fields["result"]) == "object":
		return Switch
	}
	return ""
}
