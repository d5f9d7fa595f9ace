//go:build !unix

package wake

import (
	"errors"
	"fmt"
	"os"
)

// tryLock refuses, because two sidecars on one folder would each wake the agent for every turn.
func tryLock(*os.File) (locked bool, err error) {
	return false, fmt.Errorf("locking the sidecar's folder: %w", errors.ErrUnsupported)
}
