//go:build !linux

package adapters

import "net"

// boundUnsent leaves connections as they are.
func boundUnsent(net.Conn) {}
