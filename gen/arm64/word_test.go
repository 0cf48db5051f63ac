package arm64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/ir"
)

// assembled returns the words that the GNU assembler makes of lines.
func assembled(t *testing.T, assembler string, lines []string) []uint32 {
	t.Helper()
	object := filepath.Join(t.TempDir(), "words.o")
	cmd := exec.Command(assembler, "-march=armv8-a", "-o", object, "-")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", assembler, err, out)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(code)/4)
	if err := binary.Read(bytes.NewReader(code), binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	return words
}

var wordLine = regexp.MustCompile(`WORD\s+\$0x([0-9a-f]{8}) // (.+)$`)

// TestWords compares what is encoded here, with any registers and in the
// generated files, with what the GNU assembler makes of the comments. If SHA1DC_AS
// names an assembler, it must be there.
func TestWords(t *testing.T) {
	assembler, demanded := os.LookupEnv("SHA1DC_AS")
	if !demanded {
		assembler = "aarch64-linux-gnu-as"
	}
	if _, err := exec.LookPath(assembler); demanded && err != nil {
		t.Fatalf("SHA1DC_AS: %v (Debian: binutils-aarch64-linux-gnu)", err)
	} else if err != nil {
		t.Skipf("%v (Debian: binutils-aarch64-linux-gnu)", err)
	}
	var s stream
	for _, emit := range []func(a, b, d V){s.vorn} {
		for v := V(0); v < 32; v++ {
			emit(v, 0, 0)
			emit(0, v, 0)
			emit(0, 0, v)
			emit(v, v^21, v^10)
		}
	}
	var lines []string
	for _, n := range s.nodes {
		i := n.(*ir.Instruction)
		lines = append(lines, fmt.Sprintf("%s %s", i.Opcode, i.Operands[0].Asm()))
	}
	methods := len(lines)
	for _, f := range generate(t) {
		for line := range strings.SplitSeq(string(f.Content), "\n") {
			if strings.Contains(line, "WORD") {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == methods {
		t.Error("no generated file has an encoded word")
	}
	var want []uint32
	var mnemonics []string
	for _, line := range lines {
		m := wordLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no word and mnemonic in %q", line)
		}
		w, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		want, mnemonics = append(want, uint32(w)), append(mnemonics, m[2])
	}
	got := assembled(t, assembler, mnemonics)
	if len(got) != len(want) {
		t.Fatalf("%d words assembled of %d", len(got), len(want))
	}
	for n, w := range want {
		if got[n] != w {
			t.Errorf("%s is written as %08x, %s makes %08x of it", mnemonics[n], w, assembler, got[n])
		}
	}
}
