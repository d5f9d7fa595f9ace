package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stele/adapters/gatewayfront"
	"stele/adapters/scripts"
	"stele/core/operations"
	"stele/internal/sse"
	"stele/internal/strictjson"
)

const (
	// tailPatience is how long an answer may take to begin, tailSilence how long a stream may be silent: three times what the
	// gateway lets pass between two comments.
	tailPatience = 15 * time.Second
	tailSilence  = 45 * time.Second
	// The first and the longest wait before a broken stream is opened again; up to half of it is added at random.
	tailBackoffMin = 250 * time.Millisecond
	tailBackoffMax = 10 * time.Second
	// maxTailFrame bounds one event in all scripts, maxTailAnswer every other answer.
	maxTailFrame  = 64 << 20
	maxTailAnswer = 1 << 20
)

// tailing follows one room of a gateway. It remembers the last event that it showed, so that a new stream goes on there.
type tailing struct {
	url, room, token, agent string
	formats                 []scripts.Script
	show                    func(gatewayfront.Item) error
	// note is told of breaks.
	note io.Writer
	last uint64
	// failures counts the attempts since the last event or comment.
	failures int
}

// refusedError is an answer that another attempt does not change.
type refusedError struct {
	status  int
	message string
}

func (e *refusedError) Error() string { return "the gateway refused: " + e.message }

// run follows until ctx ends, the gateway refuses, or the output fails. The first attempt must succeed.
func (t *tailing) run(ctx context.Context, since int64) error {
	if since < 0 {
		var at operations.TranslatedCursor
		if err := t.ask(ctx, "/cursor?areyouai=0", &at); err != nil {
			return err
		}
		since = int64(at.Head.Areyouai)
	}
	t.last = uint64(since)
	opened := false
	for {
		err := t.once(ctx, &opened)
		var refused *refusedError
		var mendable *brokenError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &refused) && refused.status == http.StatusGone && opened:
			fmt.Fprintln(t.note, "the room's content was destroyed; there is nothing more to follow")
			return nil
		case !errors.As(err, &mendable), !opened:
			return err
		}
		wait := t.backoff()
		fmt.Fprintf(t.note, "%s; trying again in %s\n", err, wait.Round(time.Millisecond))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *tailing) backoff() time.Duration {
	wait := min(tailBackoffMin<<min(t.failures, 10), tailBackoffMax)
	t.failures++
	return wait + rand.N(wait/2+1)
}

// brokenError is what another attempt may mend.
type brokenError struct{ cause error }

func (e *brokenError) Error() string { return "the connection broke: " + e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }

// errSilent: nothing came for too long, not even a comment.
var errSilent = errors.New("the gateway is silent")

func broken(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
		err = cause
	}
	return &brokenError{err}
}

// once opens the stream and shows what it brings until it ends.
func (t *tailing) once(ctx context.Context, opened *bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	query := url.Values{"follow": {"1"}, "after": {strconv.FormatUint(t.last, 10)}}
	names := make([]string, len(t.formats))
	for i, s := range t.formats {
		names[i] = string(s)
	}
	query.Set("format", strings.Join(names, ","))
	if t.agent != "" {
		query.Set("agent", t.agent)
	}
	watchdog := time.AfterFunc(tailPatience, func() { cancel(errSilent) })
	defer watchdog.Stop()
	res, err := t.get(ctx, "/events?"+query.Encode())
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	*opened = true
	in := sse.NewReader(res.Body, maxTailFrame)
	for {
		watchdog.Reset(tailSilence)
		ev, err := in.Next()
		if errors.Is(err, io.EOF) {
			err = errors.New("the gateway ended the stream")
		}
		if err != nil {
			return broken(ctx, err)
		}
		t.failures = 0
		if ev.Comment {
			continue
		}
		if err := t.take(ev); err != nil {
			return err
		}
	}
}

// take shows an event that is newer than the last one.
func (t *tailing) take(ev sse.Event) error {
	var item gatewayfront.Item
	if err := strictjson.UnmarshalLimits(ev.Data, &item, strictjson.Limits{MaxBytes: maxTailFrame}); err != nil {
		return fmt.Errorf("the gateway sent what is no event: %w", err)
	}
	if item.Version <= t.last {
		return nil
	}
	if err := t.show(item); err != nil {
		return err
	}
	t.last = item.Version
	return nil
}

// ask gets a JSON answer.
func (t *tailing) ask(ctx context.Context, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, tailPatience)
	defer cancel()
	res, err := t.get(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxTailAnswer))
	if err != nil {
		return &brokenError{err}
	}
	return strictjson.Unmarshal(body, into)
}

// get asks for something of the room. An answer that is none is an error.
func (t *tailing) get(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url+"/gateway/rooms/"+url.PathEscape(t.room)+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+t.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, broken(ctx, err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxTailAnswer))
	var refusal gatewayfront.Refusal
	if strictjson.Unmarshal(body, &refusal) != nil || refusal.Error.Message == "" {
		refusal.Error.Message = res.Status
	}
	refused := &refusedError{status: res.StatusCode, message: refusal.Error.Message}
	if res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests {
		return nil, &brokenError{refused}
	}
	return nil, refused
}
