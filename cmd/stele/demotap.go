package main

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"

	"stele/internal/strictjson"
)

// maxTapped bounds the answers that a wiretap keeps, in bytes.
const maxTapped = 1 << 20

// wiretap shows the book what a client sends over HTTP, and keeps its calls.
type wiretap struct {
	book *book
	next http.RoundTripper

	mu sync.Mutex
	// calls are the last calls that sent a body, by the last part of their path.
	calls map[string]exchange
}

// exchange is a call and, if that is JSON, its answer.
type exchange struct{ request, answer string }

func newWiretap(b *book) *wiretap {
	return &wiretap{book: b, next: http.DefaultTransport, calls: map[string]exchange{}}
}

// client returns an HTTP client that is listened to.
func (t *wiretap) client() *http.Client { return &http.Client{Transport: t} }

// call returns the last call of a name.
func (t *wiretap) call(name string) exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[name]
}

// RoundTrip implements [http.RoundTripper].
func (t *wiretap) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.Body == nil {
		return t.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := r.Body.Close(); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	made := exchange{request: r.Method + " " + r.URL.Path + "\n" + string(body)}
	if text := saidIn(body); text != "" {
		t.book.sent(text, made.request)
	}
	res, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if made.answer, err = overheard(res); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[path.Base(r.URL.Path)] = made
	return res, nil
}

// overheard reads an answer of JSON and leaves it to be read again.
func overheard(res *http.Response) (string, error) {
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		return "", nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxTapped))
	if err != nil {
		return "", err
	}
	// What lies beyond the bound follows, and the connection goes back to the pool with the original's Close.
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), res.Body), res.Body}
	return string(body), nil
}

// saidIn finds the text of a message in a request's body, whichever of the two protocols over HTTP it is.
func saidIn(body []byte) string {
	var fields struct {
		Body       string `json:"body"`
		Ciphertext string `json:"ciphertext"`
	}
	if err := strictjson.Unmarshal(body, &fields); err != nil {
		return ""
	}
	return fields.Body + fields.Ciphertext
}
