package forensics

import (
	"bytes"
	"io"
	"testing"

	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

// TestPlanted checks that planted attacks of all kinds are found, and that the
// others show nothing.
func TestPlanted(t *testing.T) {
	type outcome struct {
		kind   Kind
		end    End
		blocks int
	}
	for _, c := range []struct {
		name    string
		plant   func(p *planter)
		window  int
		reduced bool
		want    []outcome
	}{
		{"nothing", func(p *planter) { p.noise(50) }, 10, true, nil},
		{"one block", func(p *planter) { p.noise(2); p.attack(1, p.h, true) }, 1, false, []outcome{{IdenticalPrefix, Met, 1}}},
		{"first block", func(p *planter) { p.attack(1, p.h, true); p.noise(1) }, 1, false, []outcome{{IdenticalPrefix, Met, 1}}},
		{"another start", func(p *planter) { p.attack(2, p.value(), true) }, 9, false, []outcome{{Undetermined, MessageStart, 2}}},
		{"three blocks", func(p *planter) { p.noise(1); p.attack(3, p.h, true) }, 3, false, []outcome{{IdenticalPrefix, Met, 3}}},
		{"short window", func(p *planter) { p.noise(1); p.attack(3, p.h, true) }, 2, false, []outcome{{Undetermined, WindowStart, 2}}},
		{"chosen prefix", func(p *planter) { p.noise(1); p.attack(20, p.value(), true) }, 21, false, []outcome{{ChosenPrefix, NoVector, 20}}},
		{"chosen prefix, short window", func(p *planter) { p.noise(1); p.attack(20, p.value(), true) }, 20, false, []outcome{{Undetermined, WindowStart, 20}}},
		{"across chunks", func(p *planter) { p.noise(chunkBlocks - 2); p.attack(4, p.h, true); p.noise(3) }, 4, false, []outcome{{IdenticalPrefix, Met, 4}}},
		{"never closed", func(p *planter) { p.noise(1); p.attack(4, p.value(), false); p.noise(3) }, 9, true, nil},
		{"reduced", func(p *planter) { p.noise(1); p.attack(1, p.h, false); p.noise(3) }, 9, true, []outcome{{ReducedRound, Met, 1}}},
		{"reduced, not asked for", func(p *planter) { p.noise(1); p.attack(1, p.h, false) }, 9, false, nil},
		{"two parts in one", func(p *planter) { p.noise(1); p.attack(2, p.h, true) }, 9, true, []outcome{{IdenticalPrefix, Met, 2}}},
		{"two parts, window of one", func(p *planter) { p.noise(1); p.attack(2, p.h, true) }, 1, true,
			[]outcome{{ReducedRound, Met, 1}, {Undetermined, WindowStart, 1}}},
		{"side by side", func(p *planter) {
			p.noise(5)
			p.attack(1, p.h, true)
			p.attack(2, p.h, true)
			p.attack(2, p.value(), true)
			p.noise(9)
			p.attack(1, p.h, false)
			p.attack(1, p.h, true)
		}, 9, true, []outcome{{IdenticalPrefix, Met, 1}, {IdenticalPrefix, Met, 2}, {ChosenPrefix, NoVector, 2}, {ReducedRound, Met, 1}, {IdenticalPrefix, Met, 1}}},
	} {
		for seed := range uint64(5) {
			p := newPlanter(seed)
			c.plant(p)
			p.message = append(p.message, make([]byte, seed*17)...)
			r := checkPlanted(t, p, Options{Window: c.window, ReducedRounds: c.reduced})
			var have []outcome
			for n := range r.Attacks {
				a := &r.Attacks[n]
				if err := r.WriteOther(io.Discard, a, bytes.NewReader(p.message)); !a.HasOther() && err != ErrNoOther || a.HasOther() == (a.Kind() == ReducedRound || a.End == MessageStart) {
					t.Errorf("%s, attack %d: other message: %v, %v", c.name, n, a.HasOther(), err)
				}
				have = append(have, outcome{a.Kind(), a.End, len(a.Blocks)})
			}
			if len(have) != len(c.want) {
				t.Fatalf("%s: %v, want %v", c.name, have, c.want)
			}
			for n := range have {
				if have[n] != c.want[n] {
					t.Errorf("%s, attack %d: %v, want %v", c.name, n, have[n], c.want[n])
				}
			}
		}
	}
}

// paddingFinder flags the block at an offset.
type paddingFinder struct {
	slowFinder
	hit
}

func (p *paddingFinder) next(blocks []byte) (hit, bool) {
	p.slowFinder.next(blocks)
	return p.hit, p.at > p.offset
}

// inPadding analyzes a message of four blocks and a tail whose padded end is
// attacked, with a difference that is in the message only if it can be.
func inPadding(t *testing.T, tail int, chosenPrefix, spared bool) (message, padded []byte, r *Report) {
	t.Helper()
	p := newPlanter(1)
	p.noise(4)
	p.message = append(p.message, bytes.Repeat([]byte("t"), tail)...)
	padded = reference.Pad(p.message)
	v := &p.table[3]
	block := padded[256:320]
	w := reference.Expand(block)
	twinIn := p.h
	if chosenPrefix {
		twinIn = p.value()
	}
	for ok := false; !ok; {
		v.dm = difference(block, p.h, twinIn, reference.Compress(p.h, &w), v.step, p.rng)
		ok = !spared || v.dm[15]&0xff == 0
	}
	a := &analyzer{
		finder:  &paddingFinder{slowFinder{table: &p.table, h: reference.Initial}, hit{256, v.name}},
		vectors: &p.table,
		window:  newWindow(9),
	}
	if err := a.read(bytes.NewReader(p.message)); err != nil {
		t.Fatal(err)
	}
	return p.message, padded, &a.report
}

// TestSparedPadding checks attacks on a block that ends in padding, but has no
// difference there: the other message exists.
func TestSparedPadding(t *testing.T) {
	for _, chosenPrefix := range []bool{false, true} {
		message, _, r := inPadding(t, 63, chosenPrefix, true)
		a := only(t, r)
		if a.Padded || !a.HasOther() || a.Complete() == chosenPrefix {
			t.Errorf("chosen prefix %v: %v, padded: %v, complete: %v", chosenPrefix, a.Kind(), a.Padded, a.Complete())
		}
		want := append(bytes.Clone(message[:256]), a.Flagged().Twin[:63]...)
		if chosenPrefix {
			want = want[256:]
		}
		var written bytes.Buffer
		err := r.WriteOther(&written, a, bytes.NewReader(message))
		if err == nil { // a planted twin is none to the check
			t.Errorf("chosen prefix %v: not checked", chosenPrefix)
		}
		if !bytes.Equal(written.Bytes(), want) {
			t.Errorf("chosen prefix %v: %d bytes written, want %d: wrong", chosenPrefix, written.Len(), len(want))
		}
	}
}

// TestPaddingOfVectors checks which published vectors can spare the padding, and
// that none can change the length to that of another message.
func TestPaddingOfVectors(t *testing.T) {
	spare := 0
	for n := range published() {
		v := &published()[n]
		if v.dm[14] == 0 {
			t.Errorf("%v changes the length by less than %d bytes", v.name, uint64(1)<<29)
		}
		if v.dm[15]&0xff == 0 {
			spare++
		}
	}
	if spare != 6 {
		t.Errorf("%d vectors have no difference in the last byte", spare)
	}
}

// TestPadding checks an attack on the padding, whose twin is no message.
func TestPadding(t *testing.T) {
	message, padded, r := inPadding(t, 0, false, false)
	attack := only(t, r)
	if attack.Kind() != IdenticalPrefix || !attack.Padded || attack.Complete() || !bytes.Equal(attack.Flagged().Data[:], padded[256:]) {
		t.Errorf("padded: %v, complete: %v, %x", attack.Padded, attack.Complete(), attack.Flagged().Data)
	}
	if err := r.WriteOther(&bytes.Buffer{}, attack, bytes.NewReader(message)); err != ErrNoOther {
		t.Error(err)
	}
}

// TestWindowKeeps checks that a window holds its number of blocks behind every
// block, also where the last chunks are short.
func TestWindowKeeps(t *testing.T) {
	const most = 4*chunkBlocks + 3
	for _, blocks := range []int{1, 2, chunkBlocks - 1, chunkBlocks, chunkBlocks + 1, 2*chunkBlocks + 1, 3 * chunkBlocks} {
		w := newWindow(blocks)
		end := int64(0)
		for _, used := range []int{chunkBlocks, chunkBlocks, chunkBlocks, chunkBlocks, 1, 2} {
			c := w.grow(ChainingValue{})
			c.used = used * sha1dc.BlockSize
			for n := 0; n < c.used; n++ {
				c.data[n] = byte((c.start + int64(n)) / sha1dc.BlockSize)
			}
			end += int64(c.used)
			for flagged := c.start; flagged < end; flagged += sha1dc.BlockSize {
				first := max(0, flagged-int64(blocks-1)*sha1dc.BlockSize)
				if data, _, ok := w.at(first); !ok || data[0] != byte(first/sha1dc.BlockSize) {
					t.Fatalf("window of %d: the block at %d is missing behind the one at %d", blocks, first, flagged)
				}
			}
		}
		if _, _, ok := w.at(end); ok || end != most*sha1dc.BlockSize {
			t.Error("there is a block behind the end")
		}
	}
}

// TestAttacksWithoutEnd checks that a report stays bounded.
func TestAttacksWithoutEnd(t *testing.T) {
	p := newPlanter(1)
	p.attack(1, p.h, true)
	a := &analyzer{vectors: &p.table, window: newWindow(1)}
	w := a.window.grow(reference.Initial)
	w.used = copy(w.data[:], p.message)
	attack := a.window.walk(hit{0, p.table[p.latest].name}, &p.table)
	for range MaxAttacks + 5 {
		a.add(attack)
	}
	if len(a.report.Attacks) != MaxAttacks || a.report.Omitted != 5 {
		t.Errorf("%d attacks and %d omitted", len(a.report.Attacks), a.report.Omitted)
	}
}

// TestFullAttackStays checks that any number of reduced-round attacks does not
// keep a full one out of the report.
func TestFullAttackStays(t *testing.T) {
	full := Attack{Blocks: []Block{{Offset: 1 << 30}}}
	a := &analyzer{}
	for n := range int64(MaxAttacks + 5) {
		a.add(Attack{Blocks: []Block{{Offset: 64 * n, TwinOut: ChainingValue{1}}}})
	}
	for range 2 {
		a.add(full)
	}
	list := a.report.Attacks
	if len(list) != MaxAttacks || a.report.Omitted != 7 {
		t.Fatalf("%d attacks and %d omitted", len(list), a.report.Omitted)
	}
	for n := range list {
		kind, offset := ReducedRound, 64*int64(n)
		if n >= MaxAttacks-2 {
			kind, offset = IdenticalPrefix, 1<<30
		}
		if list[n].Kind() != kind || list[n].Offset() != offset {
			t.Fatalf("attack %d is %v at %d, want %v at %d", n, list[n].Kind(), list[n].Offset(), kind, offset)
		}
	}
}

// TestNames checks that every vector that the runtime can report is known.
func TestNames(t *testing.T) {
	vs := published()
	for n := range vs {
		if v := vs.named(vs[n].name); v != &vs[n] {
			t.Errorf("%v is not found", vs[n].name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown vector is known")
		}
	}()
	vs.named(sha1dc.DV{Type: 1, K: 42})
}
