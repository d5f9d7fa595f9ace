package conformance

import (
	"fmt"
	"sync/atomic"
	"time"
)

var counter atomic.Int64

// unique makes a name that no other test has, also on a server that was judged before.
func unique(base string) string {
	return fmt.Sprintf("%s-%s%d", base, runID, counter.Add(1))
}

// runID keeps the names of runs against the same server apart.
var runID = func() string {
	if outside() == "" {
		return ""
	}
	return fmt.Sprintf("%x-", time.Now().UnixMilli())
}()
