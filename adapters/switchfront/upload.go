package switchfront

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/core"
	agentswitch "stele/switch"
)

// Bounds on an upload beside the size of a file, which the media store bounds.
const (
	// maxParts is how many parts a form may have.
	maxParts = core.MaxAttachments + 32
	// maxPartText is the length in bytes of the longest text field.
	maxPartText = core.MaxMessageBytes
	// maxPartHead is the length in bytes of the longest head of a part.
	maxPartHead = 64 << 10
	// maxFilename is the length in bytes of the longest file name that is kept.
	maxFilename = 255
	// uploadPause is how long an upload may bring nothing, uploadLimit how long it may take.
	uploadPause = 30 * time.Second
	uploadLimit = 30 * time.Minute
	// discardTime bounds the removal of what was stored for nothing.
	discardTime = 10 * time.Second
)

// upload is a form on its way into the media store. Files are stored one by one as they arrive, and belong to nobody
// until a message carries them.
type upload struct {
	front *Front
	// files are in the order of the message: the single file first, wherever in the form it stood.
	files           []core.Attachment
	sums            []byte
	single          bool
	caption, thread string
}

// receive reads a whole form.
func (u *upload) receive(c echo.Context) error {
	r := c.Request()
	control := http.NewResponseController(c.Response())
	r.Body = &progressReader{ReadCloser: r.Body, control: control, timeout: uploadPause, last: time.Now().Add(uploadLimit)}
	head := &headReader{ReadCloser: r.Body}
	r.Body = head
	form, err := r.MultipartReader()
	if err != nil {
		return agentswitch.Refuse(http.StatusBadRequest, "The body must be multipart/form-data: %s", err)
	}
	for range maxParts {
		head.begin()
		part, err := form.NextPart()
		head.end()
		if errors.Is(err, io.EOF) {
			return u.complete()
		}
		if err != nil {
			return &bodyError{cause: err}
		}
		if err := u.take(r.Context(), part); err != nil {
			return err
		}
	}
	return agentswitch.Refuse(http.StatusBadRequest, "The form has more than %d parts", maxParts)
}

// headReader bounds what is read while the head of a part is looked for: the multipart reader keeps a head of up to 10 MiB
// in memory, and so would every upload that stops in the middle of one.
type headReader struct {
	io.ReadCloser
	bounded bool
	left    int
}

func (r *headReader) begin() { r.bounded, r.left = true, maxPartHead }
func (r *headReader) end()   { r.bounded = false }

// Read implements [io.Reader].
func (r *headReader) Read(p []byte) (int, error) {
	if !r.bounded {
		return r.ReadCloser.Read(p)
	}
	if r.left == 0 {
		return 0, errPartHead
	}
	n, err := r.ReadCloser.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

var errPartHead = agentswitch.Refuse(http.StatusBadRequest, "The head of a part is longer than %d bytes", maxPartHead)

func (u *upload) complete() error {
	if len(u.files) == 0 {
		return agentswitch.Refuse(http.StatusBadRequest, `Send at least one file, as part %q or as parts %q`,
			agentswitch.FormFile, agentswitch.FormFiles)
	}
	return nil
}

// take reads one part. Fields that nobody asked for are ignored.
func (u *upload) take(ctx context.Context, part *multipart.Part) (err error) {
	switch part.FormName() {
	case agentswitch.FormFile:
		if u.single {
			return agentswitch.Refuse(http.StatusBadRequest, "Send one part %q, or several %q",
				agentswitch.FormFile, agentswitch.FormFiles)
		}
		u.single = true
		return u.store(ctx, part, true)
	case agentswitch.FormFiles:
		return u.store(ctx, part, false)
	case agentswitch.FormCaption:
		u.caption, err = text(part)
	case agentswitch.FormThreadID:
		u.thread, err = text(part)
	default:
		_, err = text(part)
	}
	return err
}

// text reads a field of bounded length.
func text(part *multipart.Part) (string, error) {
	b, err := io.ReadAll(io.LimitReader(part, maxPartText+1))
	switch {
	case err != nil:
		return "", &bodyError{cause: err}
	case len(b) > maxPartText:
		return "", agentswitch.Refuse(http.StatusBadRequest, "Part %q is longer than %d bytes", part.FormName(), maxPartText)
	case !utf8.Valid(b):
		return "", agentswitch.Refuse(http.StatusBadRequest, "Part %q must be valid UTF-8", part.FormName())
	}
	return string(b), nil
}

func (u *upload) store(ctx context.Context, part *multipart.Part, first bool) error {
	if len(u.files) == core.MaxAttachments {
		return agentswitch.Refuse(http.StatusBadRequest, "At most %d files go with a message", core.MaxAttachments)
	}
	name := filename(part.FileName())
	sum, content := sha256.New(), &partReader{from: part}
	m, err := u.front.node.PutMedia(ctx, io.TeeReader(content, sum))
	switch {
	case content.err != nil:
		return &bodyError{cause: content.err}
	case err != nil:
		return fmt.Errorf("file %q: %w", name, err)
	}
	file := core.Attachment{Media: m.ID, Filename: name, Type: refined(m.Type, part.Header.Get("Content-Type")), Size: m.Size}
	if first {
		u.files = append([]core.Attachment{file}, u.files...)
		u.sums = append(described(sum, name), u.sums...)
	} else {
		u.files = append(u.files, file)
		u.sums = append(u.sums, described(sum, name)...)
	}
	if m.Size == 0 {
		return agentswitch.Refuse(http.StatusBadRequest, "File %q is empty", name)
	}
	return nil
}

// partReader remembers that the form could not be read, which is not the media store's fault.
type partReader struct {
	from io.Reader
	err  error
}

// Read implements [io.Reader].
func (r *partReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// described is a digest of a file and its name.
func described(content hash.Hash, name string) []byte {
	whole := sha256.New()
	whole.Write(content.Sum(nil))
	whole.Write([]byte(name))
	return whole.Sum(nil)
}

// digest stands for the form where its bytes would: boundaries differ between two sendings of the same form.
func (u *upload) digest() []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(len(u.files)))
	out = append(out, u.sums...)
	out = binary.BigEndian.AppendUint64(out, uint64(len(u.caption)))
	out = append(out, u.caption...)
	return append(out, u.thread...)
}

// discard destroys what was stored for a message that will not be.
func (u *upload) discard(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	ids := make([]string, len(u.files))
	for i, a := range u.files {
		ids[i] = a.Media
	}
	if err := u.front.node.DropMedia(ctx, ids...); err != nil {
		u.front.opts.Logger.Warn("media of a failed upload was not destroyed", zap.Strings("media", ids), zap.Error(err))
	}
}

// filename makes a name that is safe to show and to save under: the last element of a path, without control characters,
// of bounded length, and never empty.
func filename(given string) string {
	name := strings.ToValidUTF8(path.Base(strings.ReplaceAll(given, `\`, "/")), "_")
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, name)
	for len(name) > maxFilename {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if strings.Trim(name, ". /") == "" {
		return "file"
	}
	return name
}
