package edgefront

import (
	"slices"
	"sync"
	"time"
)

const (
	// quotaSpan is the time over which new conversations are counted.
	quotaSpan = time.Hour
	// quotaCallers bounds how many callers are remembered. When there are more at a time, all begin anew.
	quotaCallers = 64 << 10
)

// quota counts the conversations that each caller makes by opening their addresses, over the hour that ends now. It is
// safe for concurrent use.
type quota struct {
	// limit is the most in an hour; negative: any number.
	limit int

	mu sync.Mutex
	// made is what each caller made, oldest first.
	made map[string][]making
}

// making is a conversation that was made, or is about to be.
type making struct {
	at   time.Time
	what address
}

func newQuota(limit int) *quota { return &quota{limit: limit, made: map[string][]making{}} }

// take counts a conversation, one that is counted already not again: several first uses at once make one. When there were
// as many as are allowed it does not, and tells how long it takes until there is a place again.
func (q *quota) take(caller string, what address, now time.Time) (wait time.Duration, ok bool) {
	if q.limit < 0 {
		return 0, true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	list := recent(q.made[caller], now)
	if slices.ContainsFunc(list, func(m making) bool { return m.what == what }) {
		return 0, true
	}
	if len(list) >= q.limit {
		return list[len(list)-q.limit].at.Add(quotaSpan).Sub(now), false
	}
	if len(q.made) >= quotaCallers && list == nil {
		q.forget(now)
	}
	q.made[caller] = append(list, making{now, what})
	return 0, true
}

// giveBack takes back what was counted: it was not made.
func (q *quota) giveBack(caller string, what address) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := slices.DeleteFunc(q.made[caller], func(m making) bool { return m.what == what })
	if len(list) == 0 {
		delete(q.made, caller)
		return
	}
	q.made[caller] = list
}

// recent drops what is an hour ago.
func recent(list []making, now time.Time) []making {
	old := 0
	for old < len(list) && now.Sub(list[old].at) >= quotaSpan {
		old++
	}
	return slices.Delete(list, 0, old)
}

// forget drops the callers who made nothing in the last hour, and all when there are none.
func (q *quota) forget(now time.Time) {
	for caller, list := range q.made {
		if list = recent(list, now); len(list) == 0 {
			delete(q.made, caller)
		} else {
			q.made[caller] = list
		}
	}
	if len(q.made) >= quotaCallers {
		clear(q.made)
	}
}
