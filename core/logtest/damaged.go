package logtest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"stele/core"
)

// Damaged is a log of which some records can not be read any more, for tests of what is above a log: reading breaks off at
// each of them with a [core.CorruptError]. It is safe for concurrent use.
type Damaged struct {
	core.Log

	mu sync.Mutex
	at []core.Position
}

// Damage makes the records at some positions unreadable, beside those that are so already.
func (d *Damaged) Damage(at ...core.Position) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = append(d.at, at...)
}

// Read implements [core.Log].
func (d *Damaged) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	return d.upToDamage(d.Log.Read(ctx, s, after))
}

// ReadBack implements [core.Log].
func (d *Damaged) ReadBack(ctx context.Context, s core.Stream, before core.Position) iter.Seq2[core.Recorded, error] {
	return d.upToDamage(d.Log.ReadBack(ctx, s, before))
}

func (d *Damaged) upToDamage(whole iter.Seq2[core.Recorded, error]) iter.Seq2[core.Recorded, error] {
	return func(yield func(core.Recorded, error) bool) {
		for rec, err := range whole {
			if err == nil && d.isDamaged(rec.Position) {
				yield(core.Recorded{}, &core.CorruptError{
					File: "log", First: rec.Position, Last: rec.Position, Cause: errors.New("checksum mismatch"),
				})
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

func (d *Damaged) isDamaged(p core.Position) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.at, p)
}
