package chaos_test

import (
	"os"
	"runtime/pprof"
)

func dumpStacks() { pprof.Lookup("goroutine").WriteTo(os.Stdout, 1) }
