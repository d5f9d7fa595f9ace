//go:build !unix

package main

import "os"

// terminalColumns is how wide a terminal is now, 0 when it does not say.
func terminalColumns(*os.File) int { return 0 }
