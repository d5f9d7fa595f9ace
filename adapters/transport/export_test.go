package transport

import "time"

// Gather is how long the stream waits after a write for more to come.
func (s *EventStream) Gather() time.Duration { return s.gather() }

// Working is how many attended streams have something to do.
func (r *Recycler) Working() int { return int(r.working.Load()) }

// SetShare sets what one turn of a stream takes of all processors together.
func (r *Recycler) SetShare(d time.Duration) { r.share = d }
