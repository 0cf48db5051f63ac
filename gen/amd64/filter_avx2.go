package amd64

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/plan"
)

// ymm are the registers that both AVX2 and AVX-512 reach.
var ymm = []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}

// vectors is an instruction set for vectors of 256 bits and less.
type vectors int

const (
	avx2     vectors = iota
	avx512vl         // AVX-512 F and VL: masks, rotations, any function of three
)

// xor adds a and b to x.
func (v vectors) xor(out *stream, a operand.Op, b, x reg.VecPhysical) {
	if v == avx512vl {
		out.add(x86.VPTERNLOGD(operand.U8(0x96), a, b, x))
		return
	}
	out.add(x86.VPXOR(a, x, x))
	out.add(x86.VPXOR(b, x, x))
}

// rotate rotates the words of x to the left.
func (v vectors) rotate(out *stream, by int, x, temp reg.VecPhysical) {
	if v == avx512vl {
		out.add(x86.VPROLD(operand.U8(by), x, x))
		return
	}
	if by == 1 {
		out.add(x86.VPADDD(x, x, temp))
	} else {
		out.add(x86.VPSLLD(operand.U8(by), x, temp))
	}
	out.add(x86.VPSRLD(operand.U8(32-by), x, x))
	out.add(x86.VPOR(temp, x, x))
}

// xorAligned sets x to the words at first XOR those at second, bit b of which
// is moved to where bit a is.
func xorAligned(out *stream, first, second operand.Mem, a, b int, x reg.VecPhysical) {
	out.add(x86.VMOVDQU(second, x))
	switch {
	case b > a:
		out.add(x86.VPSRLD(operand.U8(b-a), x, x))
	case b < a:
		out.add(x86.VPSLLD(operand.U8(a-b), x, x))
	}
	out.add(x86.VPXOR(first, x, x))
}

// filterOne filters one block, eight consecutive words a group.
type filterOne struct {
	vectors vectors
	plan    *plan.Plan
	lanes   operand.Mem // vectors of each lane
	bits    bitVectors  // AVX-512 only
}

// newFilterOne adds the tables of the filter of p, whose groups have eight
// lanes, to ctx.
func newFilterOne(ctx *build.Context, v vectors, p *plan.Plan) (*filterOne, error) {
	f := &filterOne{vectors: v, plan: p, lanes: ctx.StaticGlobal("lanes_" + p.Name)}
	ctx.DataAttributes(dataAttributes)
	for n := range p.Groups {
		if len(p.Groups[n].Lanes) != 8 || p.Groups[n].Shape != plan.Uniform {
			return nil, fmt.Errorf("plan %s: group %d is not uniform with 8 lanes", p.Name, n)
		}
		for _, l := range p.Groups[n].Lanes {
			ctx.AppendDatum(operand.U32(l.DVs))
		}
	}
	if v == avx512vl {
		f.bits = newBitVectors(ctx, p)
	}
	return f, nil
}

// filter returns the filter of the block with its words at w. It leaves the
// vectors kept in result, and uses Y0 to Y3 and K1.
func (f *filterOne) filter(w func(t int) operand.Mem, result reg.GPPhysical) *stream {
	var out stream
	for n := range f.plan.Groups {
		g := &f.plan.Groups[n]
		x, d := ymm[2+n%2], ymm[n%2]
		if n < 2 {
			out.add(x86.VPXOR(d, d, d))
		}
		xorAligned(&out, w(g.Start), w(g.Start+g.Gap), g.A, g.B, x)
		lanes := f.lanes.Offset(32 * n)
		if f.vectors == avx512vl {
			out.append(f.bits.test(g.A, g.C, x))
			out.add(x86.VPORD(lanes, d, reg.K1, d))
			continue
		}
		out.add(x86.VPSLLD(operand.U8(31-g.A), x, x))
		out.add(x86.VPSRAD(operand.U8(31), x, x))
		if g.C == 0 {
			out.add(x86.VPAND(lanes, x, x))
		} else {
			out.add(x86.VPANDN(lanes, x, x))
		}
		out.add(x86.VPOR(x, d, d))
	}
	out.add(x86.VPOR(reg.Y1, reg.Y0, reg.Y0))
	out.add(x86.VEXTRACTI128(operand.U8(1), reg.Y0, reg.X1))
	out.add(x86.VPOR(reg.X1, reg.X0, reg.X0))
	out.add(x86.VPSHUFD(operand.U8(0x4e), reg.X0, reg.X1))
	out.add(x86.VPOR(reg.X1, reg.X0, reg.X0))
	out.add(x86.VPSHUFD(operand.U8(0xb1), reg.X0, reg.X1))
	out.add(x86.VPOR(reg.X1, reg.X0, reg.X0))
	out.add(x86.VMOVD(reg.X0, result.As32()))
	out.add(x86.NOTL(result.As32()))
	return &out
}

// filterEight filters eight blocks side by side, one a lane: a group is one
// condition, for all of them.
type filterEight struct {
	vectors vectors
	plan    *plan.Plan
	order   []int       // of the groups
	masks   operand.Mem // vectors of each group
	bits    bitVectors
}

// newFilterEight adds the tables of the filter of p, whose groups have one
// lane, to ctx.
func newFilterEight(ctx *build.Context, v vectors, p *plan.Plan) (*filterEight, error) {
	f := &filterEight{vectors: v, plan: p, masks: ctx.StaticGlobal("masks_" + p.Name)}
	ctx.DataAttributes(dataAttributes)
	for n := range p.Groups {
		if len(p.Groups[n].Lanes) != 1 {
			return nil, fmt.Errorf("plan %s: group %d has more than one lane", p.Name, n)
		}
		if p.Groups[n].Lanes[0].A == 31 {
			return nil, fmt.Errorf("plan %s: group %d tests bit 31, which VPSIGND would negate", p.Name, n)
		}
		f.order = append(f.order, n)
		ctx.AppendDatum(operand.U32(p.Groups[n].DVs()))
	}
	// Tests of the same two words, aligned alike, share their XOR.
	slices.SortStableFunc(f.order, func(m, n int) int { return f.xor(m).Compare(f.xor(n)) })
	f.bits = newBitVectors(ctx, p)
	return f, nil
}

// alignedXOR names the XOR of two words, one of them shifted.
type alignedXOR struct{ i, j, shift int }

// Compare orders by the later word first.
func (x alignedXOR) Compare(y alignedXOR) int {
	return cmp.Or(cmp.Compare(x.j, y.j), cmp.Compare(x.i, y.i), cmp.Compare(x.shift, y.shift))
}

// xor returns the XOR that group n tests a bit of.
func (f *filterEight) xor(n int) alignedXOR {
	l := f.plan.Groups[n].Lanes[0]
	return alignedXOR{i: l.I, j: l.J, shift: l.B - l.A}
}

// filter returns the filter of the blocks with their words at w. It leaves the
// vectors dismissed for each block in memory at dismissed, and uses Y0 to Y3
// and K1.
func (f *filterEight) filter(w func(t int) operand.Mem, dismissed operand.Mem) *stream {
	var out stream
	d, x, y, z := ymm[0], ymm[1], ymm[2], ymm[3]
	out.add(x86.VPXOR(d, d, d))
	for n, group := range f.order {
		l := f.plan.Groups[group].Lanes[0]
		if n == 0 || f.xor(f.order[n-1]) != f.xor(group) {
			xorAligned(&out, w(l.I), w(l.J), l.A, l.B, x)
		}
		mask := f.masks.Offset(4 * group)
		if f.vectors == avx512vl {
			out.append(f.bits.test(l.A, l.C, x))
			out.add(x86.VPORD_BCST(mask, d, reg.K1, d))
			continue
		}
		// The sign of the tested bit, zero or one, times the mask.
		if l.C == 0 {
			out.add(x86.VPAND(f.bits.at(l.A), x, y))
		} else {
			out.add(x86.VPANDN(f.bits.at(l.A), x, y))
		}
		out.add(x86.VPBROADCASTD(mask, z))
		out.add(x86.VPSIGND(y, z, z))
		out.add(x86.VPOR(z, d, d))
	}
	out.add(x86.VMOVDQU(d, dismissed))
	return &out
}

// bitVectors is a table of vectors that have one bit set in every lane.
type bitVectors struct {
	table operand.Mem
	index map[int]int // by the bit
}

// newBitVectors adds a table of the bits that p tests to ctx.
func newBitVectors(ctx *build.Context, p *plan.Plan) bitVectors {
	b := bitVectors{table: ctx.StaticGlobal("bits_" + p.Name), index: make(map[int]int)}
	ctx.DataAttributes(dataAttributes)
	for n := range p.Groups {
		a := p.Groups[n].A
		if _, ok := b.index[a]; ok {
			continue
		}
		b.index[a] = len(b.index)
		for range 8 {
			ctx.AppendDatum(operand.U32(1 << a))
		}
	}
	return b
}

// at returns the vector of bit a.
func (b bitVectors) at(a int) operand.Mem { return b.table.Offset(32 * b.index[a]) }

// test sets K1 to the lanes in which bit a of x is not c.
func (b bitVectors) test(a int, c uint32, x reg.VecPhysical) *stream {
	var out stream
	if c == 0 {
		out.add(x86.VPTESTMD(b.at(a), x, reg.K1))
	} else {
		out.add(x86.VPTESTNMD(b.at(a), x, reg.K1))
	}
	return &out
}
