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
	"time"

	"go.uber.org/zap"

	"stele/core"
	"stele/internal/strictjson"
)

// The controls whose request or answer is a file and passes through piece by piece.
const (
	exportName = "export-room"
	importName = "import-room"
)

// errorTrailer ends an answer that passes through: empty when it is whole.
const errorTrailer = "Stele-Error"

// maxImportHead bounds the line that says how a file is to be taken.
const maxImportHead = 1 << 20

// serveExport answers with the file as it is written.
func serveExport(node *core.Node, logger *zap.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req exportWanted
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxImportHead))
		if err == nil {
			err = strictjson.Unmarshal(body, &req)
		}
		if err != nil {
			writeControl(w, http.StatusBadRequest, refusal{Error: "the request could not be read"}, logger)
			return
		}
		w.Header().Set("Trailer", errorTrailer)
		buffered := bufio.NewWriterSize(w, 64<<10)
		if _, err = exportTo(r.Context(), node, req, buffered); err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			w.Header().Set(errorTrailer, fmt.Sprintf("%.2000q", err.Error()))
		}
	})
}

// serveImport reads the line that says how the file is to be taken, and then the file.
func serveImport(node *core.Node, logger *zap.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Whoever sends the file may have to wait for it.
		err := http.NewResponseController(w).SetReadDeadline(time.Time{})
		from := bufio.NewReaderSize(r.Body, maxImportHead)
		var req importWanted
		var head []byte
		if err == nil {
			head, err = from.ReadSlice('\n')
		}
		if err == nil {
			err = strictjson.Unmarshal(head, &req)
		}
		if err != nil {
			writeControl(w, http.StatusBadRequest, refusal{Error: "the request could not be read"}, logger)
			return
		}
		done, err := importFrom(r.Context(), node, req, from)
		if err != nil {
			writeControl(w, http.StatusUnprocessableEntity, refusal{Error: err.Error()}, logger)
			return
		}
		writeControl(w, http.StatusOK, done, logger)
	})
}

// askExport writes a room of a data folder to where it is wanted, whether a gateway runs there or not.
func askExport(ctx context.Context, dir string, req exportWanted, to io.Writer) error {
	local := control[exportWanted, struct{}]{run: func(ctx context.Context, node *core.Node, req exportWanted) (struct{}, error) {
		_, err := exportTo(ctx, node, req, to)
		return struct{}{}, err
	}}
	return patiently(ctx, func() (again bool, err error) {
		conn, err := dialGateway(ctx, dir)
		if err != nil {
			return false, fmt.Errorf("reach the gateway on %s: %w", dir, err)
		}
		if conn != nil {
			return false, exportRemotely(ctx, conn, req, to)
		}
		_, err = local.locally(ctx, dir, req)
		return errors.Is(err, core.ErrLocked), err
	})
}

func exportRemotely(ctx context.Context, conn net.Conn, req exportWanted, to io.Writer) error {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	body, err := strictjson.Marshal(req)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gateway/"+exportName, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if err := r.Write(conn); err != nil {
		return fmt.Errorf("ask the gateway: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 64<<10), r)
	if err != nil {
		return fmt.Errorf("the gateway ended before it answered: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		var ignored struct{}
		return readControl(answer, &ignored)
	}
	if _, err := io.Copy(to, answer.Body); err != nil {
		return fmt.Errorf("the export broke off: %w", err)
	}
	if why := answer.Trailer.Get(errorTrailer); why != "" {
		return errors.New(unquoted(why))
	}
	return nil
}

// askImport makes a room in a data folder of a file, whether a gateway runs there or not.
func askImport(ctx context.Context, dir string, req importWanted, from io.Reader) (done importDone, err error) {
	local := control[importWanted, importDone]{
		begins: true,
		run: func(ctx context.Context, node *core.Node, req importWanted) (importDone, error) {
			return importFrom(ctx, node, req, from)
		},
	}
	err = patiently(ctx, func() (again bool, err error) {
		conn, err := dialGateway(ctx, dir)
		if err != nil {
			return false, fmt.Errorf("reach the gateway on %s: %w", dir, err)
		}
		if conn != nil {
			done, err = importRemotely(ctx, conn, req, from)
			return false, err
		}
		done, err = local.locally(ctx, dir, req)
		return errors.Is(err, core.ErrLocked), err
	})
	return done, err
}

// importRemotely sends the file while it waits for the answer: a gateway that refuses it does not read it to its end.
func importRemotely(ctx context.Context, conn net.Conn, req importWanted, from io.Reader) (done importDone, err error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	head, err := strictjson.Marshal(req)
	if err != nil {
		return done, errors.Join(err, conn.Close())
	}
	body := io.MultiReader(bytes.NewReader(append(head, '\n')), from)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gateway/"+importName, body)
	if err != nil {
		return done, errors.Join(err, conn.Close())
	}
	sent := make(chan error, 1)
	go func() {
		err := r.Write(conn)
		if err != nil {
			// The answer tells more, if there is one.
			err = fmt.Errorf("send the file: %w", err)
		}
		sent <- err
	}()
	answer, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		_ = conn.Close()
		return done, errors.Join(fmt.Errorf("the gateway ended before it answered, and may or may not have done it: %w", err), <-sent)
	}
	err = readControl(answer, &done)
	_ = answer.Body.Close()
	_ = conn.Close()
	<-sent
	return done, err
}
