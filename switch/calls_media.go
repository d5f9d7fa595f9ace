package agentswitch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"sync"
)

// Upload is files that are posted in a room as one message.
type Upload struct {
	// Files are posted in this order, all or none. There must be one.
	Files []UploadFile
	// Caption is the message's text; without one it is the first file's name.
	Caption string
	// ThreadID is a message of the thread that the files belong to.
	ThreadID string
}

// UploadFile is one file of an Upload.
type UploadFile struct {
	Name string
	// ContentType is a MIME type; empty means that of the name's ending, or
	// application/octet-stream.
	ContentType string
	// Content is read once, while it is sent.
	Content io.Reader
}

// UploadMedia posts files in a room. They are read as they are sent and never
// held in memory. When it returns no Content is read any more: it waits for a
// Read in progress.
func (c *Client) UploadMedia(ctx context.Context, roomID string, up Upload) (MediaAnswer, error) {
	form, err := newUploadForm(up)
	if err != nil {
		return MediaAnswer{}, fmt.Errorf("agentswitch: upload media: %w", err)
	}
	defer form.stop()
	var answer MediaAnswer
	err = c.do(ctx, request{
		op: "upload media", method: http.MethodPost, path: c.agentPath(roomPath(roomID, "/media")), token: c.opts.APIKey,
		form: form, formType: form.contentType, result: &answer,
	})
	return answer, err
}

// uploadForm is a multipart body that is made while it is read.
type uploadForm struct {
	contentType string

	mu      sync.Mutex
	rest    io.Reader
	stopped bool
}

var errUploadOver = errors.New("the upload is over")

// newUploadForm lines up the fields, each file's header and content, and the
// end.
func newUploadForm(up Upload) (*uploadForm, error) {
	if len(up.Files) == 0 {
		return nil, errors.New("no files")
	}
	var made bytes.Buffer
	w := multipart.NewWriter(&made)
	var parts []io.Reader
	cut := func() {
		parts = append(parts, bytes.NewReader(bytes.Clone(made.Bytes())))
		made.Reset()
	}
	for _, field := range []struct{ name, value string }{{FormCaption, up.Caption}, {FormThreadID, up.ThreadID}} {
		if field.value == "" {
			continue
		}
		if err := w.WriteField(field.name, field.value); err != nil {
			return nil, err
		}
	}
	for _, file := range up.Files {
		header := textproto.MIMEHeader{
			"Content-Disposition": {multipart.FileContentDisposition(FormFiles, file.Name)},
			"Content-Type":        {file.contentType()},
		}
		if _, err := w.CreatePart(header); err != nil {
			return nil, err
		}
		cut()
		parts = append(parts, file.Content)
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	cut()
	return &uploadForm{contentType: w.FormDataContentType(), rest: io.MultiReader(parts...)}, nil
}

func (f UploadFile) contentType() string {
	if f.ContentType != "" {
		return f.ContentType
	}
	if byName := mime.TypeByExtension(path.Ext(f.Name)); byName != "" {
		return byName
	}
	return "application/octet-stream"
}

// Read implements io.Reader.
func (f *uploadForm) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return 0, errUploadOver
	}
	return f.rest.Read(p)
}

// stop ends reading. An HTTP transport may otherwise go on with it in the
// background after the answer, or after a failure, has come back.
func (f *uploadForm) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
}

// Download is a file on its way. The caller reads and closes it.
type Download struct {
	io.ReadCloser
	ContentType string
	// Filename is empty when it is not known. It is what somebody chose:
	// nothing to make a path of.
	Filename string
	// Size is in bytes, -1 when it is not known.
	Size int64
}

// DownloadMedia fetches a file that was posted in a room. It is streamed;
// cancelling ctx ends it.
func (c *Client) DownloadMedia(ctx context.Context, roomID, mxc string) (*Download, error) {
	download, err := c.download(ctx, withQuery(roomPath(roomID, "/media"), url.Values{"mxc": {mxc}}))
	if err != nil {
		return nil, fmt.Errorf("agentswitch: download media: %w", err)
	}
	return download, nil
}

func (c *Client) download(ctx context.Context, route string) (*Download, error) {
	req, err := c.newRequest(ctx, request{method: http.MethodGet, path: c.agentPath(route), token: c.opts.APIKey})
	if err != nil {
		return nil, err
	}
	resp, err := c.opts.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	if !success(resp) {
		defer func() { _ = resp.Body.Close() }()
		return nil, c.refusal(resp)
	}
	download := &Download{ReadCloser: resp.Body, ContentType: resp.Header.Get("Content-Type"), Size: resp.ContentLength}
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil {
		download.Filename = params["filename"]
	}
	return download, nil
}
