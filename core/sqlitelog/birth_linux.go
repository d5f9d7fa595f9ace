package sqlitelog

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// birthOf names one life of a file: its inode and when that was made. A copy has another one, a renamed file the same.
// It is empty where the file system does not tell; the device is left out, because its number may change at a reboot.
func birthOf(path string) string {
	var st unix.Statx_t
	const mask = unix.STATX_INO | unix.STATX_BTIME
	if err := unix.Statx(unix.AT_FDCWD, path, 0, mask, &st); err != nil || st.Mask&mask != mask {
		return ""
	}
	return fmt.Sprintf("%d@%d.%09d", st.Ino, st.Btime.Sec, st.Btime.Nsec)
}
