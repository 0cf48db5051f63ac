package main

import (
	"bytes"
	"io"
)

// A headReader keeps the first bytes that it reads.
type headReader struct {
	r    io.Reader
	head []byte
}

// headSize is enough for every magic number.
const headSize = 16

func (h *headReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.head = append(h.head, p[:min(n, headSize-len(h.head))]...)
	return n, err
}

// magics are the first bytes of files that are worth an attack.
var magics = []struct {
	at    int
	bytes string
	name  string
}{
	{0, "%PDF-", "PDF document"},
	{0, "\xff\xd8\xff", "JPEG image"},
	{0, "\x89PNG\r\n\x1a\n", "PNG image"},
	{0, "GIF8", "GIF image"},
	{4, "ftyp", "MP4 or HEIF media"},
	{0, "PK\x03\x04", "ZIP archive"},
	{0, "\x1f\x8b", "gzip data"},
	{0, "\xfd7zXZ\x00", "xz data"},
	{0, "BZh", "bzip2 data"},
	{0, "\x28\xb5\x2f\xfd", "Zstandard data"},
	{0, "7z\xbc\xaf\x27\x1c", "7-Zip archive"},
	{0, "!<arch>\n", "ar archive"},
	{0, "\x7fELF", "ELF program"},
	{0, "MZ", "DOS or Windows program"},
	{0, "\xcf\xfa\xed\xfe", "Mach-O program"},
	{0, "#!", "script"},
	{0, "PACK", "git pack"},
	{0, "blob ", "git object"},
	{0, "tree ", "git object"},
	{0, "commit ", "git object"},
	{0, "\x99", "OpenPGP key or signature"},
	{0, "-----BEGIN ", "PEM text"},
	{0, "\x30\x82", "DER data, as certificates are"},
	{0, "<?xml", "XML text"},
	{0, "<!DOCTYPE", "HTML text"},
}

// fileType names the type of file that starts with head, or returns "".
func fileType(head []byte) string {
	for _, m := range magics {
		if m.at < len(head) && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return m.name
		}
	}
	return ""
}
