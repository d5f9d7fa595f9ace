package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"go.uber.org/zap"

	"stele/core"
	"stele/core/mediadir"
	"stele/core/sqlitelog"
)

// store is the embedded log with its snapshots and the node on it.
type store struct {
	log       *sqlitelog.Log
	snapshots *sqlitelog.Snapshots
	media     *mediadir.Store
	node      *core.Node
}

// logFile is where the embedded log lies, within the data folder.
const logFile = "log.db"

// mediaFolder holds the attachments, within the data folder.
const mediaFolder = "media"

// openStore opens what lies in a data folder, made if it is missing. Attachments have at most maxAttachment bytes; 0 means
// the media store's default.
func openStore(ctx context.Context, dir string, logger *zap.Logger, opts core.Options, maxAttachment int64) (*store, error) {
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	if err != nil {
		return nil, explain(dir, err)
	}
	if why := log.Renewed(); why != "" {
		logger.Warn("the log has a new identity: cursors from before are answered as from another life",
			zap.String("reason", why), zap.String("log", log.ID()), zap.String("data", dir))
	}
	s := &store{log: log}
	if s.snapshots, err = sqlitelog.OpenSnapshots(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("open snapshots: %w", err), log.Close())
	}
	if s.media, err = mediadir.Open(filepath.Join(dir, mediaFolder), mediadir.Options{MaxBytes: maxAttachment}); err != nil {
		return nil, errors.Join(fmt.Errorf("open media: %w", err), s.snapshots.Close(), log.Close())
	}
	opts.Snapshots, opts.Media, opts.Logger = s.snapshots, s.media, logger
	if s.node, err = core.Open(ctx, log, opts); err != nil {
		return nil, errors.Join(explain(dir, err), s.media.Close(), s.snapshots.Close(), log.Close())
	}
	return s, nil
}

// close ends the node first, since it writes to the others.
func (s *store) close(ctx context.Context) error {
	return errors.Join(s.node.Close(ctx), s.media.Close(), s.snapshots.Close(), s.log.Close())
}

// explain says what an operator can do about a log that does not open.
func explain(dir string, err error) error {
	switch {
	case errors.Is(err, core.ErrLocked):
		return fmt.Errorf("%w: another gateway runs on %s; stop it, or give this one another --data folder", err, dir)
	case errors.Is(err, core.ErrNewerFormat):
		return fmt.Errorf("%w: start the newer version again, or give this one another --data folder", err)
	case errors.Is(err, core.ErrCorrupt):
		return fmt.Errorf("%w: nothing was changed; restore %s from a backup, or give another --data folder", err, dir)
	}
	return err
}
