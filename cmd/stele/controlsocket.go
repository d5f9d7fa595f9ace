package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// socketName is the Unix socket in the data folder at which a gateway takes an operator's commands. Whoever may write to
// it may do anything, so it is for the gateway's own user alone.
const socketName = "control.sock"

// nestPrefix begins the names of the folders in which control sockets come to be.
const nestPrefix = ".control-"

// maxSocketPath is the length of the longest address that every system takes for a Unix socket: the shortest limit, that
// of macOS, is 104 bytes with the zero at the end.
const maxSocketPath = 103

// socketFolder gives the sockets in a folder addresses that are short enough, however deep the folder lies.
type socketFolder struct {
	dir string
	// open stands for the folder where its own path is too long.
	open *os.File
}

// socketsIn prepares a folder for the socket with the longest name of those given.
func socketsIn(dir string, longest string) (*socketFolder, error) {
	f := &socketFolder{dir: dir}
	path := filepath.Join(dir, longest)
	if len(path) <= maxSocketPath {
		return f, nil
	}
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("the path %s is longer than the %d bytes that the address of a Unix socket may have: "+
			"use a shorter --%s, such as a relative one", path, maxSocketPath, flagData)
	}
	open, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	f.open = open
	return f, nil
}

// address is what the system takes for a socket of the folder.
func (f *socketFolder) address(name string) string {
	if f.open == nil {
		return filepath.Join(f.dir, name)
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", f.open.Fd(), name)
}

func (f *socketFolder) close() error {
	if f.open == nil {
		return nil
	}
	return f.open.Close()
}

// listenSocket makes the control socket of a data folder that this process has locked; one of a gateway that was killed
// is replaced. The socket comes to be in a folder that nobody else can enter and is moved to its place when nobody else
// can connect to it any more. Remove takes it away.
func listenSocket(dir string) (ln net.Listener, remove func() error, err error) {
	place := filepath.Join(dir, socketName)
	if is, err := os.Lstat(place); err == nil && is.Mode().Type() != os.ModeSocket {
		return nil, nil, fmt.Errorf("%s is in the way: it is no socket", place)
	}
	if err := removeNests(dir); err != nil {
		return nil, nil, err
	}
	nest, err := os.MkdirTemp(dir, nestPrefix)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(nest)) }()
	folder, err := socketsIn(nest, socketName)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: folder.address(socketName)})
	if err != nil {
		return nil, nil, err
	}
	listener.SetUnlinkOnClose(false)
	born := filepath.Join(nest, socketName)
	if err := errors.Join(os.Chmod(born, 0o600), os.Rename(born, place)); err != nil {
		return nil, nil, errors.Join(err, listener.Close())
	}
	return listener, func() error { return os.Remove(place) }, nil
}

// removeNests clears away what a gateway left that was killed while it made its socket.
func removeNests(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), nestPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// dialGateway connects to the gateway that runs on a data folder; nil without an error when none does.
func dialGateway(ctx context.Context, dir string) (net.Conn, error) {
	folder, err := socketsIn(dir, socketName)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", folder.address(socketName))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, folder.close()
	}
	return conn, errors.Join(err, folder.close())
}
