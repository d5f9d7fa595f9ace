package wake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"stele/areyouai"
)

// loadSession reads session.json; none, or a damaged one, is an empty session, for which a login makes up.
func loadSession(dir *folder) (s Session, damaged bool, err error) {
	err = dir.read(sessionFile, &s)
	var bad *DamagedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Session{}, false, nil
	case errors.As(err, &bad):
		return Session{}, true, nil
	}
	return s, false, err
}

// credentials are the key to use and the session to begin with. What is in the folder counts for the server it was made
// at, and its session only with the key it was made with.
func credentials(given, server string, s Session) (key, token string) {
	if s.APIBaseURL != server {
		return given, ""
	}
	if key = given; key == "" {
		key = s.APIKey
	}
	if s.KeyMark != keyMark(key) {
		return key, ""
	}
	return key, s.SessionToken
}

// Login trades the API key for a session and keeps both in the folder. It refuses, with [ErrInUse], while a sidecar runs
// on the folder: that one would go on with the old key and write it back.
func Login(ctx context.Context, o Options) (err error) {
	o, err = o.withDefaults()
	if err != nil {
		return err
	}
	dir := newFolder(o.BaseDir)
	if err := dir.make(); err != nil {
		return err
	}
	if err := dir.seize(o.Now()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.release()) }()
	client, err := areyouai.NewClient(o.Server, areyouai.ClientOptions{HTTP: o.HTTP, APIKey: o.APIKey})
	if err != nil {
		return &ConfigError{cause: err}
	}
	got, err := client.Login(ctx)
	if err != nil {
		return loginError(err)
	}
	return dir.write(sessionFile, Session{
		APIBaseURL: o.Server, APIKey: o.APIKey, SessionToken: got.SessionToken, KeyMark: keyMark(o.APIKey), UpdatedAt: areyouai.NewTime(o.Now()),
	})
}

// loginError tells a key that opens nothing from a server that does not answer.
func loginError(err error) error {
	var e *areyouai.Error
	if errors.As(err, &e) && !errors.Is(err, areyouai.ErrForeignReply) && (e.HTTPStatus == http.StatusUnauthorized || e.HTTPStatus == http.StatusForbidden) {
		return fmt.Errorf("%w: %w", ErrLoginRefused, err)
	}
	return err
}

// keepSession writes the session down when the client has a new token, which it gets by itself after a 401.
func (s *Sidecar) keepSession() error { return s.changeSession(func(*Session) {}) }

// keepAgent writes down whose session it is.
func (s *Sidecar) keepAgent(agentID string) error {
	return s.changeSession(func(next *Session) { next.AgentID = agentID })
}

func (s *Sidecar) changeSession(change func(*Session)) error {
	s.sessionMu.Lock()
	defer s.sessionMu.Unlock()
	next := s.session
	if next.APIBaseURL != s.opt.Server {
		next = Session{APIBaseURL: s.opt.Server}
	}
	next.SessionToken, next.KeyMark = s.client.SessionToken(), keyMark(s.client.APIKey())
	change(&next)
	if next == s.session {
		return nil
	}
	next.UpdatedAt = areyouai.NewTime(s.opt.Now())
	if err := s.dir.write(sessionFile, next); err != nil {
		return err
	}
	s.session = next
	return nil
}
