package logtest_test

import (
	"context"
	"errors"
	"iter"
	"time"

	"stele/core"
	"stele/core/memlog"
)

// mutant is a log that breaks one promise. Which one is said by the field that is set.
type mutant struct {
	core.Log
	appends func(ctx context.Context, stream core.Stream, last core.Position, events []core.Event) ([]core.Position, error)
	read    func(ctx context.Context, stream core.Stream, after core.Position) iter.Seq2[core.Recorded, error]
	back    func(ctx context.Context, stream core.Stream, before core.Position) iter.Seq2[core.Recorded, error]
	tail    tailFunc
	erase   func(ctx context.Context, stream core.Stream, upTo core.Position) error
	head    func(ctx context.Context) (core.Position, error)
	lives   func() []core.Position
	close   func() error
}

func (m *mutant) Append(
	ctx context.Context, stream core.Stream, last core.Position, events []core.Event,
) ([]core.Position, error) {
	if m.appends != nil {
		return m.appends(ctx, stream, last, events)
	}
	return m.Log.Append(ctx, stream, last, events)
}

func (m *mutant) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	if m.read != nil {
		return m.read(ctx, s, after)
	}
	return m.Log.Read(ctx, s, after)
}

func (m *mutant) ReadBack(ctx context.Context, s core.Stream, before core.Position) iter.Seq2[core.Recorded, error] {
	if m.back != nil {
		return m.back(ctx, s, before)
	}
	return m.Log.ReadBack(ctx, s, before)
}

func (m *mutant) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	if m.tail != nil {
		return m.tail(ctx, after)
	}
	return m.Log.Tail(ctx, after)
}

func (m *mutant) Erase(ctx context.Context, stream core.Stream, upTo core.Position) error {
	if m.erase != nil {
		return m.erase(ctx, stream, upTo)
	}
	return m.Log.Erase(ctx, stream, upTo)
}

func (m *mutant) Head(ctx context.Context) (core.Position, error) {
	if m.head != nil {
		return m.head(ctx)
	}
	return m.Log.Head(ctx)
}

func (m *mutant) Lives() []core.Position {
	if m.lives != nil {
		return m.lives()
	}
	return m.Log.Lives()
}

func (m *mutant) Close() error {
	if m.close != nil {
		return m.close()
	}
	return m.Log.Close()
}

// tailFunc is the method Tail of a log.
type tailFunc func(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error]

// eachBatch changes what a tail yields.
func eachBatch(l core.Log, change func([]core.Recorded) [][]core.Recorded) tailFunc {
	return func(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
		return func(yield func([]core.Recorded, error) bool) {
			for batch, err := range l.Tail(ctx, after) {
				if err != nil {
					yield(nil, err)
					return
				}
				for _, b := range change(batch) {
					if len(b) > 0 && !yield(b, nil) {
						return
					}
				}
			}
		}
	}
}

// eachRecord changes the events that a tail yields.
func eachRecord(l core.Log, change func(*core.Recorded)) tailFunc {
	return eachBatch(l, func(batch []core.Recorded) [][]core.Recorded {
		changed := append([]core.Recorded(nil), batch...)
		for i := range changed {
			change(&changed[i])
		}
		return [][]core.Recorded{changed}
	})
}

// mutants are the broken logs, by what is wrong with them, with the check that must notice.
var mutants = map[string]struct {
	check  string
	mutate func(m *mutant, l *memlog.Log)
}{
	"after includes its position in a read": {"Read", func(m *mutant, l *memlog.Log) {
		m.read = func(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
			return l.Read(ctx, s, max(after, 1)-1)
		}
	}},
	"before includes its position": {"ReadBack", func(m *mutant, l *memlog.Log) {
		m.back = func(ctx context.Context, s core.Stream, before core.Position) iter.Seq2[core.Recorded, error] {
			if before == 0 {
				return l.ReadBack(ctx, s, 0)
			}
			return l.ReadBack(ctx, s, before+1)
		}
	}},
	"after includes its position in a tail": {"Tail", func(m *mutant, l *memlog.Log) {
		m.tail = func(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
			return l.Tail(ctx, max(after, 1)-1)
		}
	}},
	"the swap does not compare": {"Race", func(m *mutant, l *memlog.Log) {
		m.appends = func(ctx context.Context, s core.Stream, _ core.Position, e []core.Event) ([]core.Position, error) {
			for {
				last, err := l.Last(ctx, s)
				if err != nil {
					return nil, err
				}
				if p, err := l.Append(ctx, s, last, e); !errors.Is(err, core.ErrConflict) {
					return p, err
				}
			}
		}
	}},
	"a conflict does not say where": {"Conflict", func(m *mutant, l *memlog.Log) {
		m.appends = func(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
			p, err := l.Append(ctx, s, last, e)
			if errors.Is(err, core.ErrConflict) {
				err = core.ErrConflict
			}
			return p, err
		}
	}},
	"a conflict writes all the same": {"Conflict", func(m *mutant, l *memlog.Log) {
		m.appends = func(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
			p, err := l.Append(ctx, s, last, e)
			var c *core.ConflictError
			if errors.As(err, &c) {
				_, _ = l.Append(ctx, s, c.Last, e)
			}
			return p, err
		}
	}},
	"a unit is written in pieces": {"Tail", func(m *mutant, l *memlog.Log) {
		m.appends = func(ctx context.Context, s core.Stream, last core.Position, e []core.Event) (all []core.Position, err error) {
			for i := range e {
				p, err := l.Append(ctx, s, last, e[i:i+1])
				if err != nil {
					return nil, err
				}
				all, last = append(all, p...), p[0]
				time.Sleep(time.Microsecond)
			}
			return all, nil
		}
	}},
	"batches split units": {"Tail", func(m *mutant, l *memlog.Log) {
		m.tail = eachBatch(l, func(b []core.Recorded) [][]core.Recorded { return [][]core.Recorded{b[:1], b[1:]} })
	}},
	"a tail repeats": {"TailUnderLoad", func(m *mutant, l *memlog.Log) {
		m.tail = eachBatch(l, func(b []core.Recorded) [][]core.Recorded { return [][]core.Recorded{b, b} })
	}},
	"a tail leaves out": {"TailUnderLoad", func(m *mutant, l *memlog.Log) {
		m.tail = eachBatch(l, func(b []core.Recorded) [][]core.Recorded {
			if b[len(b)-1].Stream == "end" {
				return [][]core.Recorded{b}
			}
			return [][]core.Recorded{b[:len(b)-1]}
		})
	}},
	"a tail starts at the head": {"TailUnderLoad", func(m *mutant, l *memlog.Log) {
		m.tail = func(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
			if head, _ := l.Head(ctx); head > after {
				after = head
			}
			return l.Tail(ctx, after)
		}
	}},
	"the payload gets lost": {"Tail", func(m *mutant, l *memlog.Log) {
		m.tail = eachRecord(l, func(r *core.Recorded) { r.Payload = nil })
	}},
	"the payload is another": {"Tail", func(m *mutant, l *memlog.Log) {
		m.tail = eachRecord(l, func(r *core.Recorded) { r.Payload = "another" })
	}},
	"times are local": {"Append", func(m *mutant, l *memlog.Log) {
		m.tail = eachRecord(l, func(r *core.Recorded) { r.At = r.At.In(time.FixedZone("here", 3600)) })
	}},
	"erase leaves it": {"Erase", func(m *mutant, _ *memlog.Log) {
		m.erase = func(context.Context, core.Stream, core.Position) error { return nil }
	}},
	"erase leaves the last one": {"Erase", func(m *mutant, l *memlog.Log) {
		m.erase = func(ctx context.Context, s core.Stream, upTo core.Position) error {
			return l.Erase(ctx, s, max(upTo, 1)-1)
		}
	}},
	"erase takes one more": {"Model", func(m *mutant, l *memlog.Log) {
		m.erase = func(ctx context.Context, s core.Stream, upTo core.Position) error { return l.Erase(ctx, s, upTo+1) }
	}},
	"the head lags behind": {"Model", func(m *mutant, l *memlog.Log) {
		m.head = func(ctx context.Context) (core.Position, error) {
			head, err := l.Head(ctx)
			return head - head%2, err
		}
	}},
	"the end of a context is an error": {"Context", func(m *mutant, l *memlog.Log) {
		m.tail = func(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
			return func(yield func([]core.Recorded, error) bool) {
				for batch, err := range l.Tail(ctx, after) {
					if !yield(batch, err) {
						return
					}
				}
				yield(nil, ctx.Err())
			}
		}
	}},
	"an ended context writes": {"Context", func(m *mutant, l *memlog.Log) {
		m.appends = func(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
			p, err := l.Append(context.WithoutCancel(ctx), s, last, e)
			return p, errors.Join(err, ctx.Err())
		}
	}},
	"a new log has lived before": {"Lives", func(m *mutant, _ *memlog.Log) {
		m.lives = func() []core.Position { return []core.Position{0} }
	}},
	"a new log begins in its second life": {"Lives", func(m *mutant, l *memlog.Log) {
		m.appends = func(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
			p, err := l.Append(ctx, s, min(last, last-core.FirstOf(1)), e)
			for i := range p {
				p[i] += core.FirstOf(1)
			}
			return p, err
		}
	}},
	"close closes nothing": {"Close", func(m *mutant, _ *memlog.Log) {
		m.close = func() error { return nil }
		m.tail = func(context.Context, core.Position) iter.Seq2[[]core.Recorded, error] {
			return func(func([]core.Recorded, error) bool) {}
		}
	}},
}
