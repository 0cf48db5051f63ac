package gitpack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// Verify checks all of the pack named in files, and that its index says the
// same, as git verify-pack does: signatures, checksums, every object and every
// field. The index may have version 1 or 2. If files.Reverse is set, the reverse
// index is checked too. It writes nothing. Errors are a *PackError,
// *IndexError, *LimitError or *CollisionError, or come from the file system.
func Verify(ctx context.Context, files Files, opt Options) (*Report, error) {
	opt = opt.withDefaults()
	indexName, reverseName, err := files.names(files.Pack)
	if err != nil {
		return nil, err
	}
	f, err := openFile(indexName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	x, err := openIndex(f, info.Size())
	if err != nil {
		return nil, err
	}
	j, ctx := newJob(ctx, opt)
	defer j.cancel(nil)
	if err := j.readFile(ctx, files.Pack); err != nil {
		return nil, err
	}
	if err := x.checkTrailer(ctx, j.checksum); err != nil {
		return nil, err
	}
	order, err := j.sorted()
	if err != nil {
		return nil, err
	}
	if err := x.compare(ctx, &j.table, order); err != nil {
		return nil, err
	}
	if reverseName != "" {
		if err := verifyReverse(reverseName, order, j.checksum); err != nil {
			return nil, err
		}
	}
	report := j.report()
	return report, x.read(report.IndexChecksum[:], x.size-trailerSize)
}

// verifyReverse compares a reverse index with what it must be.
func verifyReverse(name string, order []uint32, pack ID) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	c := &comparison{r: bufio.NewReader(f)}
	if err := writeReverseIndex(c, order, pack); err != nil {
		return err
	}
	if _, err := c.r.ReadByte(); err != io.EOF {
		return &IndexError{Reason: ErrReverseIndex, Offset: c.offset, Detail: errors.New("it is too long")}
	}
	return nil
}

// A comparison compares what is written to it with what can be read.
type comparison struct {
	r      *bufio.Reader
	offset uint64
}

func (c *comparison) Write(p []byte) (int, error) {
	got := make([]byte, len(p))
	n, err := io.ReadFull(c.r, got)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	if n < len(p) || !bytes.Equal(got, p) {
		same := 0
		for same < n && got[same] == p[same] {
			same++
		}
		return 0, &IndexError{Reason: ErrReverseIndex, Offset: c.offset + uint64(same)}
	}
	c.offset += uint64(n)
	return n, nil
}
