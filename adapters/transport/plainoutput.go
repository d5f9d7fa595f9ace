package transport

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// plainOutput writes through the HTTP server, for connections that cannot be taken over.
type plainOutput struct {
	w  http.ResponseWriter
	rc *http.ResponseController
	// deadlines tells whether the connection has write deadlines at all; a recorder in a test has not.
	deadlines bool
}

func (o *plainOutput) write(p []byte, deadline time.Time) error {
	if err := o.renew(deadline); err != nil {
		return err
	}
	_, err := o.w.Write(p)
	return err
}

func (o *plainOutput) flush() error {
	if err := o.rc.Flush(); err != nil {
		return fmt.Errorf("flush event stream: %w", err)
	}
	return nil
}

// finish leaves the end of the response to the server.
func (o *plainOutput) finish(deadline time.Time) {
	// A connection that is gone has no end to be written.
	_ = o.renew(deadline)
}

// abort lets the server fail to write the end of the response, whereupon it closes the connection. Over HTTP/1.0 that is
// how a whole body ends as well.
func (o *plainOutput) abort() { _ = o.renew(time.Unix(1, 0)) }

// renew moves the write deadline away from now: bytes have moved, or are about to.
func (o *plainOutput) renew(deadline time.Time) error {
	if !o.deadlines {
		return nil
	}
	err := o.rc.SetWriteDeadline(deadline)
	if errors.Is(err, http.ErrNotSupported) {
		o.deadlines = false
		return nil
	}
	if err != nil {
		return fmt.Errorf("set write deadline: %w", err)
	}
	return nil
}
