package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"

	"github.com/sha1dc/go/gitpack"
)

// A repository gives objects of the git repository that a directory is in. It
// asks git for them.
type repository struct {
	dir string

	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts git.
func (r *repository) start() error {
	cmd := exec.Command("git", "-C", r.dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd, r.in, r.out = cmd, in, bufio.NewReader(out)
	return nil
}

// object is a gitpack.BaseFunc.
func (r *repository) object(_ context.Context, id gitpack.ID) (gitpack.ObjectType, []byte, error) {
	if r.cmd == nil {
		if err := r.start(); err != nil {
			return 0, nil, err
		}
	}
	if _, err := fmt.Fprintln(r.in, id); err != nil {
		return 0, nil, fmt.Errorf("git cat-file in %s: %w", r.dir, err)
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		return 0, nil, fmt.Errorf("git cat-file in %s: %w", r.dir, err)
	}
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return 0, nil, fs.ErrNotExist
	}
	if len(fields) != 3 {
		return 0, nil, fmt.Errorf("git cat-file in %s says %q", r.dir, line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 0)
	if err != nil || size < 0 {
		return 0, nil, fmt.Errorf("git cat-file in %s says %q", r.dir, line)
	}
	content := make([]byte, size+1) // a newline follows
	if _, err := io.ReadFull(r.out, content); err != nil {
		return 0, nil, fmt.Errorf("git cat-file in %s: %w", r.dir, err)
	}
	for t := gitpack.Commit; t <= gitpack.Tag; t++ {
		if t.String() == fields[1] {
			return t, content[:size], nil
		}
	}
	return 0, nil, fmt.Errorf("git cat-file in %s says %q", r.dir, line)
}

// close ends git.
func (r *repository) close() {
	if r.cmd != nil {
		r.in.Close()
		r.cmd.Wait()
	}
}
