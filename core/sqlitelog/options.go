package sqlitelog

import (
	"cmp"
	"time"

	"stele/core"
)

// Options tune a log. The zero value is right for a gateway; every field that is 0 means the default named there.
type Options struct {
	// QueueSize is how many appends may wait for the writer; one more waits outside until there is room. 0 means 1024.
	QueueSize int
	// MaxBatch is how many events the writer puts into one transaction before it commits. A single append of more is
	// still one transaction. 0 means 2048.
	MaxBatch int
	// Readers is how many connections serve reads and history at a time. 0 means 4.
	Readers int
	// CacheKiB is the page cache of the writer's connection; a reader gets an eighth of it. 0 means 32 MiB.
	CacheKiB int
	// Streams is how many streams' last positions the writer remembers before it asks the index again. 0 means 65536.
	Streams int
	// RecentEvents bounds the committed events kept in memory for tails that follow closely. A tail that falls behind
	// them reads from the file. 0 means 8192.
	RecentEvents int
	// RecentBytes bounds the same by the length of bodies, contents and receipts. 0 means 16 MiB.
	RecentBytes int
	// MaxPages bounds the file to so many pages of 4 KiB, as a full disk would. 0 means no bound.
	MaxPages int
	// IDs makes the log's identity; the zero value draws from the operating system.
	IDs core.IDs
	// Now is the clock the identity is stamped with; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.QueueSize = cmp.Or(o.QueueSize, 1024)
	o.MaxBatch = cmp.Or(o.MaxBatch, 2048)
	o.Readers = cmp.Or(o.Readers, 4)
	o.CacheKiB = cmp.Or(o.CacheKiB, 32<<10)
	o.Streams = cmp.Or(o.Streams, 1<<16)
	o.RecentEvents = cmp.Or(o.RecentEvents, 8192)
	o.RecentBytes = cmp.Or(o.RecentBytes, 16<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func (o Options) newIdentity() string { return o.IDs.New(logPrefix, o.Now()) }
