package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"

	"stele/core"
	"stele/internal/strictjson"
)

// handled is a control as the server sees it.
type handled struct {
	name   string
	handle func(ctx context.Context, node *core.Node, body []byte) (answer any, err error)
}

func (c control[Req, Res]) handled() handled {
	return handled{name: c.name, handle: func(ctx context.Context, node *core.Node, body []byte) (any, error) {
		var req Req
		if err := strictjson.UnmarshalLimits(body, &req, strictjson.Limits{MaxBytes: maxControlBytes}); err != nil {
			return nil, err
		}
		return c.run(ctx, node, req)
	}}
}

// controlServer takes an operator's commands while a gateway runs.
type controlServer struct {
	http   *http.Server
	remove func() error
	ended  chan error
	stop   context.CancelFunc
	zap    *zap.Logger
}

// startControl listens at the control socket of a data folder. A folder on a file system without sockets is no reason
// not to serve: the operator is told, and the result is nil.
func startControl(ctx context.Context, dir string, node *core.Node, logger *zap.Logger) *controlServer {
	ln, remove, err := listenSocket(dir)
	if err != nil {
		logger.Warn("no control socket: the commands for tokens and agents do not reach this gateway while it runs", zap.Error(err))
		return nil
	}
	mux := http.NewServeMux()
	for _, c := range controls() {
		mux.Handle("POST /"+c.name, serveControl(node, c, logger))
	}
	mux.Handle("POST /"+exportName, serveExport(node, logger))
	mux.Handle("POST /"+importName, serveImport(node, logger))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeControl(w, http.StatusNotFound, refusal{Error: fmt.Sprintf("the gateway that runs is of another version and does not know %q", r.URL.Path)}, logger)
	})
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &controlServer{
		http: &http.Server{
			Handler: mux, ReadTimeout: 10 * time.Second, ErrorLog: zap.NewStdLog(logger),
			BaseContext: func(net.Listener) context.Context { return base },
		},
		remove: remove, ended: make(chan error, 1), stop: stop, zap: logger,
	}
	go func() { s.ended <- s.http.Serve(ln) }()
	return s
}

// close takes no more commands, lets those at work finish until ctx ends, and removes the socket.
func (s *controlServer) close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	defer s.stop()
	// The socket goes first, so that a command that comes now waits for the folder instead of being cut off.
	err := s.remove()
	if serr := s.http.Shutdown(ctx); serr != nil {
		s.zap.Warn("a command at the control socket did not end in time and was cut", zap.Error(serr))
		s.stop()
		err = errors.Join(err, s.http.Close())
	}
	if serr := <-s.ended; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// serveControl answers one control. What is asked and answered may hold secrets, so none of it is logged.
func serveControl(node *core.Node, c handled, logger *zap.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxControlBytes))
		if err != nil {
			writeControl(w, http.StatusBadRequest, refusal{Error: "the request could not be read"}, logger)
			return
		}
		answer, err := c.handle(r.Context(), node, body)
		if err != nil {
			writeControl(w, http.StatusUnprocessableEntity, refusal{Error: err.Error()}, logger)
			return
		}
		writeControl(w, http.StatusOK, answer, logger)
	})
}

func writeControl(w http.ResponseWriter, status int, answer any, logger *zap.Logger) {
	body, err := strictjson.Marshal(answer)
	if err != nil {
		logger.Error("answer at the control socket", zap.Error(err))
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Who went away is not told.
	_, _ = w.Write(body)
}
