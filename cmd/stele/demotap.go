package main

import (
	"bytes"
	"io"
	"net/http"

	"stele/internal/strictjson"
)

// wiretap shows the book what a client sends over HTTP.
type wiretap struct {
	script string
	book   *book
	next   http.RoundTripper
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
	if text := saidIn(body); text != "" {
		t.book.sent(t.script, text, r.Method+" "+r.URL.Path+"\n"+string(body))
	}
	return t.next.RoundTrip(r)
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
