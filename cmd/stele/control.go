package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"stele/core"
	"stele/internal/strictjson"
)

// control is something that an operator asks of a node. It runs in the gateway when one runs on the data folder, and in
// the command's own process otherwise, with the same outcome.
type control[Req, Res any] struct {
	name string
	// begins: it may be the first thing that happens in a data folder, which is made if it is missing.
	begins bool
	run    func(ctx context.Context, node *core.Node, req Req) (Res, error)
}

const (
	// lockPatience bounds how long a process waits for a data folder that another one holds without being a gateway at
	// work: one that is starting or ending, or a command, which takes a moment.
	lockPatience = 20 * time.Second
	lockPace     = 20 * time.Millisecond
	// closeTimeout bounds the end of a node that a command opened for itself.
	closeTimeout = 10 * time.Second
	// maxControlBytes bounds a request or an answer at the socket.
	maxControlBytes = 64 << 20
)

var errNoData = errors.New("there is no log here")

// ask runs a control where the data of a folder is.
func ask[Req, Res any](ctx context.Context, dir string, c control[Req, Res], req Req) (res Res, err error) {
	err = patiently(ctx, func() (again bool, err error) {
		conn, err := dialGateway(ctx, dir)
		if err != nil {
			return false, fmt.Errorf("reach the gateway on %s: %w", dir, err)
		}
		if conn != nil {
			res, err = c.remotely(ctx, conn, req)
			return false, err
		}
		res, err = c.locally(ctx, dir, req)
		return errors.Is(err, core.ErrLocked), err
	})
	return res, err
}

// patiently tries until it need not be tried again, or lockPatience is over.
func patiently(ctx context.Context, try func() (again bool, err error)) error {
	limit := time.NewTimer(lockPatience)
	defer limit.Stop()
	pace := time.NewTicker(lockPace)
	defer pace.Stop()
	for {
		again, err := try()
		if !again {
			return err
		}
		select {
		case <-pace.C:
		case <-limit.C:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

// locally runs the control on a node of this process.
func (c control[Req, Res]) locally(ctx context.Context, dir string, req Req) (res Res, err error) {
	if !c.begins {
		if _, err := os.Stat(filepath.Join(dir, logFile)); errors.Is(err, os.ErrNotExist) {
			return res, fmt.Errorf("%w: %s; is --%s right?", errNoData, dir, flagData)
		}
	}
	logger, err := newLogger("warn")
	if err != nil {
		return res, err
	}
	st, err := openStore(ctx, dir, logger, core.Options{}, 0)
	if err != nil {
		return res, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		err = errors.Join(err, st.close(end))
	}()
	return c.run(ctx, st.node, req)
}

// refusal is how a gateway answers what it does not do.
type refusal struct {
	Error string `json:"error"`
}

// remotely runs the control in the gateway at the other end, and closes the connection.
func (c control[Req, Res]) remotely(ctx context.Context, conn net.Conn, req Req) (res Res, err error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	body, err := strictjson.Marshal(req)
	if err != nil {
		return res, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gateway/"+c.name, bytes.NewReader(body))
	if err != nil {
		return res, err
	}
	if err := r.Write(conn); err != nil {
		return res, fmt.Errorf("ask the gateway: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		return res, fmt.Errorf("the gateway ended before it answered, and may or may not have done it: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxControlBytes))
	if err != nil {
		return res, fmt.Errorf("read the gateway's answer: %w", err)
	}
	limits := strictjson.Limits{MaxBytes: maxControlBytes}
	if answer.StatusCode != http.StatusOK {
		var refused refusal
		if err := strictjson.UnmarshalLimits(data, &refused, limits); err != nil {
			return res, fmt.Errorf("the gateway answered %s", answer.Status)
		}
		return res, errors.New(refused.Error)
	}
	return res, strictjson.UnmarshalLimits(data, &res, limits)
}
