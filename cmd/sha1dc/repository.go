package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/sha1dc/go/gitpack"
)

// A repository gives objects of the git repository that a directory is in, or that
// GIT_DIR names. It asks git for them.
type repository struct {
	dir string

	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
}

// start starts git, which is killed when ctx ends.
func (r *repository) start(ctx context.Context) error {
	// An object is asked for by its hash, so another must not take its place.
	args := []string{"--no-replace-objects"}
	if _, ok := os.LookupEnv("GIT_DIR"); !ok { // which may be relative, as it is in hooks
		args = append(args, "-C", r.dir)
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "git", append(args, "cat-file", "--batch")...)
	cmd.Stderr = &r.stderr
	cmd.WaitDelay = time.Second
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	cmd.Cancel = func() error {
		out.Close() // git may have given it to others
		return cmd.Process.Kill()
	}
	if err := cmp.Or(inErr, outErr); err != nil {
		cancel()
		return err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return err
	}
	r.cmd, r.cancel, r.in, r.out = cmd, cancel, in, bufio.NewReader(out)
	return nil
}

// object is a gitpack.BaseFunc.
func (r *repository) object(ctx context.Context, id gitpack.ID) (gitpack.ObjectType, []byte, error) {
	if r.cmd == nil {
		if err := r.start(ctx); err != nil {
			return 0, nil, err
		}
	}
	t, content, err := r.ask(id)
	switch {
	case err == nil || err == fs.ErrNotExist:
		return t, content, err
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	default:
		r.close()
		if said := strings.TrimSpace(r.stderr.String()); said != "" {
			err = errors.New(said)
		}
	}
	return 0, nil, fmt.Errorf("git cat-file: %w", err)
}

// ask asks git for an object.
func (r *repository) ask(id gitpack.ID) (gitpack.ObjectType, []byte, error) {
	if _, err := fmt.Fprintln(r.in, id); err != nil {
		return 0, nil, err
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		return 0, nil, err
	}
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return 0, nil, fs.ErrNotExist
	}
	if len(fields) != 3 {
		return 0, nil, fmt.Errorf("it says %q", line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 0)
	if err != nil || size < 0 {
		return 0, nil, fmt.Errorf("it says %q", line)
	}
	content := make([]byte, size+1) // a newline follows
	if _, err := io.ReadFull(r.out, content); err != nil {
		return 0, nil, err
	}
	for t := gitpack.Commit; t <= gitpack.Tag; t++ {
		if t.String() == fields[1] {
			return t, content[:size], nil
		}
	}
	return 0, nil, fmt.Errorf("it says %q", line)
}

// close ends git, which may be waiting to say more.
func (r *repository) close() {
	if r.cmd != nil {
		r.cancel()
		r.cmd.Wait()
	}
}
