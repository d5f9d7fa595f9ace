//go:build !unix

package sqlitelog

import (
	"errors"
	"fmt"
	"os"
)

// tryLock refuses, because two processes on one log would each believe they are alone.
func tryLock(*os.File) (locked bool, err error) {
	return false, fmt.Errorf("locking the log's directory: %w", errors.ErrUnsupported)
}
