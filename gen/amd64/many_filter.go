package amd64

import (
	"cmp"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"

	"github.com/sha1dc/go/internal/plan"
)

// bitTest is a group with one lane: it tests a bit of the XOR of two words,
// the second moved to the right, or to the left if right is negative.
type bitTest struct {
	group       int // in the plan
	i, j, right int
	bit         int
	c           uint32
}

// sameWords reports whether t and u test the same XOR.
func (t bitTest) sameWords(u bitTest) bool { return t.i == u.i && t.sameSecond(u) }

// sameSecond reports whether t and u move the same word alike.
func (t bitTest) sameSecond(u bitTest) bool { return t.j == u.j && t.right == u.right }

// bitTests returns the tests of p in the order in which their words are known.
// Those that share a moved word or an XOR are together.
func bitTests(p *plan.Plan) []bitTest {
	var tests []bitTest
	for n := range p.Groups {
		g, l := &p.Groups[n], p.Groups[n].Lanes[0]
		tests = append(tests, bitTest{group: n, i: l.I, j: l.J, right: g.B - g.A, bit: g.A, c: g.C})
	}
	slices.SortStableFunc(tests, func(a, b bitTest) int {
		return cmp.Or(cmp.Compare(a.j, b.j), cmp.Compare(a.right, b.right), cmp.Compare(a.i, b.i))
	})
	return tests
}

// spreadTests returns the stream of the steps with the tests in between, as
// even as they can be: none comes before its words, and all keep their order.
func spreadTests(steps []*stream, tests []bitTest, streams []*stream) *stream {
	var out stream
	next := 0
	for t, s := range steps {
		out.append(s)
		for next < len(tests) && tests[next].j <= t {
			left, rest := len(tests)-next, len(steps)-t
			share := (left + rest - 1) / rest
			for ; share > 0 && next < len(tests) && tests[next].j <= t; share-- {
				out.append(streams[next])
				next++
			}
			break
		}
	}
	for ; next < len(tests); next++ {
		out.append(streams[next])
	}
	return &out
}

// groupMasks adds a table of the vectors that each group dismisses to ctx.
func groupMasks(ctx *build.Context, p *plan.Plan) operand.Mem {
	table := ctx.StaticGlobal("masks_" + p.Name)
	ctx.DataAttributes(dataAttributes)
	for n := range p.Groups {
		ctx.AppendDatum(operand.U32(p.Groups[n].DVs()))
	}
	return table
}
