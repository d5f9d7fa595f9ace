package wake

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"stele/areyouai"
)

// Sidecar is one agent's sidecar on one folder, which it holds from [Open] to [Sidecar.Close].
type Sidecar struct {
	opt    Options
	log    *zap.Logger
	dir    *folder
	client *areyouai.Client
	hook   hook
	queue  *queue
	tokens *tokens

	// state belongs to the goroutine that follows the stream.
	state State

	// sessionMu guards session, which both the stream and the workers may renew.
	sessionMu sync.Mutex
	session   Session
}

// Open takes a folder and reads back what is in it. Its errors are a *ConfigError, [ErrInUse], [ErrLoginRefused] when
// there is no API key, or the disk's.
func Open(o Options) (s *Sidecar, err error) { return open(o, newFolder(o.BaseDir)) }

func open(o Options, dir *folder) (s *Sidecar, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	dir.root = o.BaseDir
	if err := dir.make(wakesDir, tokensDir); err != nil {
		return nil, err
	}
	if err := dir.seize(o.Now()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.release())
		}
	}()
	s = &Sidecar{opt: o, log: o.Logger, dir: dir, hook: newHook(o)}
	if err := s.restore(); err != nil {
		return nil, err
	}
	return s, nil
}

// restore reads the files. A damaged one is as good as none, and since a wake may have been in it, the server is asked
// what waits.
func (s *Sidecar) restore() (err error) {
	var damaged bool
	if s.session, damaged, err = loadSession(s.dir); err != nil {
		return err
	}
	key, token := credentials(s.opt.APIKey, s.opt.Server, s.session)
	if key == "" {
		return fmt.Errorf("%w: there is no API key for this server (damaged session file: %t)", ErrLoginRefused, damaged)
	}
	s.client, err = areyouai.NewClient(s.opt.Server, areyouai.ClientOptions{
		HTTP: s.opt.HTTP, APIKey: key, SessionToken: token, AgentID: s.session.AgentID, Rand: s.opt.Rand, Now: s.opt.Now,
		Sleep: s.betweenStreams,
	})
	if err != nil {
		return &ConfigError{cause: err}
	}
	s.tokens = &tokens{dir: s.dir, client: s.client, base: s.opt.Server, now: s.opt.Now}
	if err := s.restoreState(); err != nil {
		return err
	}
	var lost int
	if s.queue, lost, err = openQueue(s.dir, s.opt.Now); err != nil {
		return err
	}
	if lost > 0 {
		s.log.Error("wakes are damaged and set aside; asking the server what waits", zap.Int("files", lost))
		s.state.LastRecoveredAt = nil
	}
	if s.state.APIBaseURL != "" && s.state.APIBaseURL != s.opt.Server {
		s.log.Warn("the server is another one; what is in the folder no longer counts", zap.String("was", s.state.APIBaseURL))
		if err := s.startOver(); err != nil {
			return err
		}
	}
	s.state.APIBaseURL = s.opt.Server
	return nil
}

func (s *Sidecar) restoreState() error {
	err := s.dir.read(stateFile, &s.state)
	var bad *DamagedError
	switch {
	case errors.As(err, &bad):
		s.log.Error("state file is damaged and set aside; asking the server what waits")
		s.state = State{}
		return s.dir.setAside(stateFile)
	case isMissing(err):
		return nil
	}
	return err
}

// startOver forgets every room and the cursor: they are another server's or another agent's.
func (s *Sidecar) startOver() error {
	if err := s.queue.clear(); err != nil {
		return err
	}
	if err := s.tokens.clear(); err != nil {
		return err
	}
	s.state = State{APIBaseURL: s.opt.Server}
	return s.dir.write(stateFile, s.state)
}

// Close gives the folder back. It must not be called while Run runs.
func (s *Sidecar) Close() error { return s.dir.release() }

// Run follows the stream and wakes the agent until ctx ends, which is no error: then no new hook is called, running ones
// get Options.Drain to end, and the rest waits on the disk for the next start. It ends by itself with
// [ErrLoginRefused], or when the disk fails.
//
// One goroutine reads the stream, one hands due wakes to workers, and there is one worker per room that is attended to,
// Options.Parallel at most. All have ended when it returns.
func (s *Sidecar) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.follow(ctx) })
	g.Go(func() error { return s.dispatch(ctx, g) })
	err := g.Wait()
	return errors.Join(err, s.setStatus(StreamStopped, err))
}

// setStatus writes down what the stream does.
func (s *Sidecar) setStatus(status StreamStatus, cause error) error {
	s.state.StreamStatus, s.state.LastError = status, ""
	if cause != nil {
		s.state.LastError = cause.Error()
	}
	if status == StreamConnected {
		now := areyouai.NewTime(s.opt.Now())
		s.state.LastConnectedAt = &now
	}
	return s.dir.write(stateFile, s.state)
}

// betweenStreams is the client's pause before it opens the stream again, in the goroutine that follows it.
func (s *Sidecar) betweenStreams(ctx context.Context, d time.Duration) error {
	s.log.Info("stream is not open", zap.Duration("again in", d))
	if err := s.setStatus(StreamWaiting, nil); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
