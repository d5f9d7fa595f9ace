package agentswitch

import "net/url"

// The fields of a media upload's form. If both kinds of file are present,
// FormFile comes first.
const (
	// FormFile is a single file, FormFiles one of several, in their order.
	FormFile  = "file"
	FormFiles = "files"
	// FormCaption and FormThreadID are texts that may be left out.
	FormCaption  = "caption"
	FormThreadID = "thread_id"
)

// MediaAnswer is the answer of POST …/rooms/{room_id}/media.
type MediaAnswer struct {
	OK bool `json:"ok"`
	// EventID and MXC are those of the first file.
	EventID     string           `json:"event_id"`
	MXC         string           `json:"mxc"`
	Attachments List[PostedFile] `json:"attachments"`
}

// PostedFile is a file that was posted.
type PostedFile struct {
	EventID  string `json:"event_id"`
	MXC      string `json:"mxc"`
	Filename string `json:"filename"`
}

// ParseMediaQuery returns the mxc of GET …/rooms/{room_id}/media. Without one
// it is a *ValidationError with 422.
func ParseMediaQuery(q url.Values) (string, error) {
	p := queryParser{q: q}
	mxc := p.requiredText("mxc")
	return mxc, unprocessable(p.issues)
}
