package chaos

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"stele/internal/strictjson"
)

// Recorder takes records of many clients and puts them in one order. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	records []Record
}

// NewRecorder makes an empty recorder.
func NewRecorder() *Recorder { return &Recorder{} }

// Add takes a record and gives it its place.
func (r *Recorder) Add(rec Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.Wall, rec.At = len(r.records)+1, time.Now().UTC()
	r.records = append(r.records, rec)
}

// Records returns what was recorded so far.
func (r *Recorder) Records() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.records)
}

// Dump writes the history as JSON lines: the records, and then the entries of the log.
func (h History) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, rec := range h.Records {
		if err := dumpLine(out, rec); err != nil {
			return err
		}
	}
	for _, e := range h.Log {
		if err := dumpLine(out, e); err != nil {
			return err
		}
	}
	return out.Flush()
}

func dumpLine(w io.Writer, v any) error {
	data, err := strictjson.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a record: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
