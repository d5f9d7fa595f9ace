package adapters

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsentBytes is about how much of what was written to a connection waits in the kernel until its client has room for it.
const unsentBytes = 32 << 10

// boundUnsent lets writes to a connection go on as its client takes what was written. A send buffer, which the kernel lets
// grow to megabytes, takes nothing from when it is full until a third of it is free: for so long a client that reads slowly
// but steadily looks like one that does not read at all.
func boundUnsent(c net.Conn) {
	conn, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	// What is no TCP has no such option, and what is closed is not written to.
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBytes)
	})
}
