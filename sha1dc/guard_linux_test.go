package sha1dc

import (
	"os"
	"syscall"
	"testing"
)

// guarded returns a copy of data that can be read and not written, between pages
// that cannot be read either. The length must be a multiple of the page size.
func guarded(t *testing.T, data []byte) []byte {
	page, n := os.Getpagesize(), len(data)
	all, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	p := all[page : page+n : page+n]
	copy(p, data)
	for _, part := range []struct {
		pages []byte
		prot  int
	}{
		{all[:page], syscall.PROT_NONE},
		{p, syscall.PROT_READ},
		{all[page+n:], syscall.PROT_NONE},
	} {
		if err := syscall.Mprotect(part.pages, part.prot); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Reading one byte too much, or writing to the message, ends the test program.
// Messages of every length end where memory ends, and begin up to 63 bytes
// behind where it begins.
func TestGuardPages(t *testing.T) {
	data := random(max(os.Getpagesize(), 4096), 50)
	p := guarded(t, data)
	backends := suited()
	for _, b := range backends {
		use(t, b) // for the record
	}
	digest := func(b backend, before, message []byte) [Size]byte {
		active = b
		var d Digest
		d.Write(before)
		d.Write(message)
		digest := sum(&d)
		if once, _ := Sum(message); len(before) == 0 && once != digest {
			t.Fatalf("%v, %d bytes: %x at once, %x written", b, len(message), once, digest)
		}
		return digest
	}
	stride := 1
	if testing.Short() {
		stride = 13
	}
	for n := 0; n <= 2048; n += stride {
		for offset := range BlockSize {
			tail := len(data) - n
			head := digest(generic, nil, data[offset:offset+n])
			end := digest(generic, data[:offset], data[tail:])
			for _, b := range backends {
				if got := digest(b, nil, p[offset:offset+n]); got != head {
					t.Fatalf("%v, %d bytes from offset %d: %x, want %x", b, n, offset, got, head)
				}
				if got := digest(b, data[:offset], p[tail:]); got != end {
					t.Fatalf("%v, %d bytes behind %d others: %x, want %x", b, n, offset, got, end)
				}
			}
		}
	}
	for _, b := range kernels() {
		for n := 1; n <= len(p)/BlockSize; n++ {
			first, last := initial, initial
			tail := len(p) - n*BlockSize
			if b.kernel(&first, &p[0], n) != n || b.kernel(&last, &p[tail], n) != n {
				t.Errorf("%v: not all of %d blocks added", b, n)
			}
		}
	}
}
