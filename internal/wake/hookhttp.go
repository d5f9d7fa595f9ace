package wake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"stele/internal/strictjson"
)

// httpHook posts the job to a URL.
type httpHook struct {
	url, token string
	client     *http.Client
	dial       func(ctx context.Context, network, address string) (net.Conn, error)
}

func newHTTPHook(o Options) *httpHook {
	client := *o.HookHTTP
	// A redirect would turn the POST into a GET and could carry the token to another host (CWE-601).
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &httpHook{url: o.HookURL, token: o.HookToken, client: &client, dial: (&net.Dialer{}).DialContext}
}

func (h *httpHook) call(ctx context.Context, job Job) error {
	body, err := strictjson.Marshal(job)
	if err != nil {
		return &HookError{Reason: "the job cannot be encoded", cause: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return &HookError{Reason: "the URL cannot be used", cause: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", job.WakeID)
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return withoutURL(err)
	}
	defer resp.Body.Close()
	// The status alone counts; an answer that breaks off after it changes nothing.
	_, _ = io.CopyN(io.Discard, resp.Body, maxHookReply)
	if resp.StatusCode/100 != 2 {
		return &HookError{Reason: fmt.Sprintf("answered %d", resp.StatusCode)}
	}
	return nil
}

// withoutURL drops the URL from a transport error: its path or query may be a secret.
func withoutURL(err error) *HookError {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &HookError{Reason: fmt.Sprintf("not reached: %v", err), cause: err}
}

// reachable opens a connection and sends nothing.
func (h *httpHook) reachable(ctx context.Context) error {
	u, err := url.Parse(h.url)
	if err != nil {
		return &HookError{Reason: "the URL cannot be used", cause: err}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := h.dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return &HookError{Reason: fmt.Sprintf("not reached: %v", err), cause: err}
	}
	return conn.Close()
}
