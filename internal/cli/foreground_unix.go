//go:build unix && !solaris && !aix

package cli

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// foreground reports whether the process may write to terminal f without
// disturbing another job: the shell may have it in the background, where
// writing can even stop it. If in doubt it may.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == syscall.Getpgrp()
}
