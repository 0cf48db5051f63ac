package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/sha1dc/go/internal/cli"
)

// checkNew reports why a file cannot be created under a name.
func checkNew(name string) error {
	if name == "" || name == cli.StdinName {
		return fmt.Errorf("%s is not the name of a file", cli.QuoteAlways(name))
	}
	_, nameErr := os.Lstat(name)
	if nameErr == nil {
		return fmt.Errorf("%s exists, and is not overwritten", cli.QuoteAlways(name))
	}
	dir := filepath.Dir(name)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return fmt.Errorf("%s: %s", cli.QuoteAlways(dir), cli.Reason(err))
	}
	if !errors.Is(nameErr, fs.ErrNotExist) {
		return fmt.Errorf("%s: %s", cli.QuoteAlways(name), cli.Reason(nameErr))
	}
	return nil
}

// create creates a file with what write writes, or nothing: it has a temporary
// name in its directory until write has succeeded. No file is replaced, and none
// is left behind on an error, nor when the program is interrupted.
func create(name string, write func(w io.Writer) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), interruptions()...)
	defer stop()
	f, err := createTemporary(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(&interruptedWriter{f, ctx})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return moveNew(f.Name(), name)
}

// interruptions returns the signals that end the program, without those that it
// was started to ignore, as nohup does: listening would undo that.
func interruptions() []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range append(hangup, os.Interrupt) {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

// createTemporary creates a file that is not there, with the permissions of any
// new file, which those of os.CreateTemp are not.
func createTemporary(dir string) (f *os.File, err error) {
	for n := range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".sha1dc-%d-%d.tmp", os.Getpid(), n))
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// moveNew gives a file another name, which must be free. Where hard links do not
// work, there is a moment between the check and the move.
func moveNew(from, to string) error {
	if os.Link(from, to) == nil {
		return nil // the old name is removed by create
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// errInterrupted is what ends the writing of a file.
var errInterrupted = errors.New("interrupted")

// An interruptedWriter fails once its context ends.
type interruptedWriter struct {
	w   io.Writer
	ctx context.Context
}

func (i *interruptedWriter) Write(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, errInterrupted
	}
	return i.w.Write(p)
}
