//go:build !unix

package wake

import "os/exec"

// ownGroup has no group to make: the command alone is killed when its time is over.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
