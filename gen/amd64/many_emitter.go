package amd64

import (
	"errors"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/internal/dvs"
)

const (
	sliceSize = 24 // of a slice of Go's, of which the first word is the address
	partSize  = sliceSize * manyMaxLanes
)

// manyEmitter emits what the kernels for many messages have in common.
//
// The survivors of a block are copied to slots in the middle of the next one,
// from a bank of rows of their own: the processor has work enough then to go on
// with while it finds that it foresaw their number wrongly.
type manyEmitter struct {
	*build.Context
	kernel        *manyKernel
	area          reg.GPPhysical
	messages      reg.GPPhysical // slices of the lanes
	offset, count reg.GPPhysical // of the next block, and of blocks to come in the slices
	values        reg.GPPhysical // chaining values
	bank, last    reg.GPPhysical // of this block, and of the one before
	survived      reg.GPPhysical // the lanes of last that survived the filter, as bits
	part, more    operand.Mem    // first slices of the group, and blocks to come from the second
	groups        operand.Mem    // groups to come, with this one
	lane          operand.Mem    // first lane of the group, counting those of all groups
	lastValues    operand.Mem    // of the block before
	lastLane      operand.Mem    //
	rest          operand.Mem    // blocks not to be added in this call
	errs          []error
}

func newManyEmitter(ctx *build.Context, k *manyKernel) *manyEmitter {
	return &manyEmitter{
		Context: ctx, kernel: k,
		messages: reg.RSI, area: reg.RDI, offset: reg.RBX, count: reg.RCX,
		values: reg.R13, bank: reg.R14, last: reg.R12, survived: reg.RAX,
	}
}

// value returns the row of word n of the chaining values.
func (m *manyEmitter) value(n int) operand.Mem { return mem(m.values, n*rowSize) }

// idle returns the row that is all ones in lanes without a message.
func (m *manyEmitter) idle() operand.Mem { return mem(m.area, manyIdle) }

// kept returns the row of the vectors kept.
func (m *manyEmitter) kept() operand.Mem { return mem(m.bank, bankKept) }

// word returns the row of W[t].
func (m *manyEmitter) word(t int) operand.Mem { return mem(m.bank, bankWord+t*rowSize) }

// traced returns the row of A at the start of step t, and whether that is kept.
func (m *manyEmitter) traced(t int) (row operand.Mem, kept bool) {
	n := t - bankFirstState
	return mem(m.bank, bankState+n*rowSize), n >= 0 && n < bankStates
}

// emit adds a stream to the kernel.
func (m *manyEmitter) emit(s *stream) { m.errs = append(m.errs, emit(m.Context, s)) }

// begin emits the head of the kernel, up to the start of its loop.
func (m *manyEmitter) begin() {
	k := m.kernel
	m.Function("blocksMany" + k.name)
	m.Doc(fmt.Sprintf("blocksMany%s adds blocks to each of %d lanes, with %s:", k.name, k.lanes, k.about),
		"first n blocks, at least one, from byte from of the lane's slice in part on, then",
		"more blocks from its slice in the array that follows. If groups is more than one,",
		"from must be zero, and the same happens with the arrays that follow and the",
		"chaining values of the groups that follow the given one in area. Blocks that",
		"survive the filter are copied to the area's slots. It returns the number of",
		"blocks added to each lane, of all groups: fewer if slots run short.")
	m.Pragma("noescape")
	m.SignatureExpr(fmt.Sprintf("func(part *[%d][]byte, area *byte, group int, from int, n int, more int, groups int) (done int)", manyMaxLanes))
	for _, local := range []*operand.Mem{&m.part, &m.more, &m.groups, &m.lane, &m.lastValues, &m.lastLane, &m.rest} {
		*local = m.AllocLocal(8)
	}
	m.Load(m.Param("part"), m.messages)
	m.MOVQ(m.messages, m.part)
	m.Load(m.Param("area"), m.area)
	m.Load(m.Param("from"), m.offset)
	m.Load(m.Param("n"), m.count)
	m.Load(m.Param("more"), reg.RAX)
	m.MOVQ(reg.RAX, m.more)
	m.Load(m.Param("groups"), reg.RAX)
	m.MOVQ(reg.RAX, m.groups)
	m.Load(m.Param("group"), reg.RAX)
	m.IMUL3Q(operand.U32(manyValueSize), reg.RAX, m.values)
	m.LEAQ(operand.Mem{Base: m.area, Index: m.values, Scale: 1, Disp: manyValue}, m.values)
	m.SHLQ(operand.U8(manyLaneBits), reg.RAX)
	m.MOVQ(reg.RAX, m.lane)
	m.MOVQ(operand.U32(0), m.rest)
	m.LEAQ(mem(m.area, manyBanks), m.bank)
	m.LEAQ(mem(m.bank, bankSize), m.last)
	m.XORL(m.survived.As32(), m.survived.As32())
	m.Label("block")
}

// message loads the address of a lane's message.
func (m *manyEmitter) message(lane int, to reg.Register) { m.MOVQ(mem(m.messages, sliceSize*lane), to) }

// quarter returns 16 bytes of the next block of the message at base.
func (m *manyEmitter) quarter(base reg.Register, n int) operand.Mem {
	return operand.Mem{Base: base, Index: m.offset, Scale: 1, Disp: 16 * n}
}

// checkLast emits the copying of the survivors of the block before.
func (m *manyEmitter) checkLast() {
	m.TESTL(m.survived.As32(), m.survived.As32())
	m.JNE(operand.LabelRef("survivors"))
	m.Label("checked")
}

// end emits the end of the kernel's loop, and of the kernel. The lanes that
// survived the filter are in m.survived.
func (m *manyEmitter) end() {
	x, used := reg.RDX, reg.R9
	m.ADDQ(operand.I8(64), m.offset)
	m.XCHGQ(m.bank, m.last)
	m.MOVQ(m.values, m.lastValues)
	m.MOVQ(m.lane, x)
	m.MOVQ(x, m.lastLane)
	m.DECQ(m.count)
	m.JNE(operand.LabelRef("block"))

	// Go on with the second part of the group, or with the next group.
	m.XORL(m.offset.As32(), m.offset.As32())
	m.ADDQ(operand.U32(partSize), m.messages)
	m.XCHGQ(m.more, m.count)
	m.TESTQ(m.count, m.count)
	m.JNE(operand.LabelRef("block"))
	m.DECQ(m.groups)
	m.JE(operand.LabelRef("added"))
	m.MOVQ(m.part, m.messages)
	m.ADDQ(operand.U32(2*partSize), m.messages)
	m.MOVQ(m.messages, m.part)
	m.ADDQ(operand.U32(manyValueSize), m.values)
	m.ADDQ(operand.U32(manyMaxLanes), m.lane)
	m.Load(m.Param("more"), x)
	m.MOVQ(x, m.more)
	m.Load(m.Param("n"), m.count)
	m.JMP(operand.LabelRef("block"))

	m.Label("added")
	m.TESTL(m.survived.As32(), m.survived.As32())
	m.JNE(operand.LabelRef("survivors"))
	m.Label("done")
	m.VZEROUPPER()
	m.blocks(reg.RAX)
	m.Load(m.Param("groups"), x)
	m.IMULQ(x, reg.RAX)
	m.SUBQ(m.rest, reg.RAX)
	m.Store(reg.RAX, m.Return("done"))
	m.RET()

	m.Label("survivors")
	m.copySurvivors(used)
	m.TESTQ(m.count, m.count)
	m.JE(operand.LabelRef("done"))
	// All lanes may survive this block, and again the next one.
	m.CMPQ(used, operand.U32(manySlots-2*manyMaxLanes))
	m.JLE(operand.LabelRef("checked"))
	m.blocks(x)
	m.MOVQ(m.groups, used)
	m.DECQ(used)
	m.IMULQ(used, x)
	m.ADDQ(m.more, x)
	m.LEAQ(operand.Mem{Base: x, Index: m.count, Scale: 1, Disp: -1}, x)
	m.MOVQ(x, m.rest)
	m.MOVQ(operand.U32(0), m.more)
	m.MOVQ(operand.U32(1), m.count)
	m.MOVQ(m.count, m.groups)
	m.JMP(operand.LabelRef("checked"))
}

// blocks leaves the number of blocks in a group in to.
func (m *manyEmitter) blocks(to reg.GPPhysical) {
	more := reg.R8
	m.Load(m.Param("n"), to)
	m.Load(m.Param("more"), more)
	m.ADDQ(more, to)
}

// beginSame emits the head of a function that adds the same block to all lanes,
// and returns the register with the address of the sums of its words and the
// constants.
func (m *manyEmitter) beginSame() reg.Register {
	sums := reg.RSI
	name := "sameMany" + m.kernel.name
	m.Function(name)
	m.Doc(name+" adds a block that is the same in all lanes to the chaining values of a",
		"group. It filters nothing: sums are the words of the expanded block plus the",
		"constants of their steps.")
	m.Pragma("noescape")
	m.SignatureExpr("func(sums *[80]uint32, area *byte, group int)")
	m.Attributes(noSplit)
	m.Load(m.Param("sums"), sums)
	m.Load(m.Param("area"), m.area)
	m.Load(m.Param("group"), m.values)
	m.IMUL3Q(operand.U32(manyValueSize), m.values, m.values)
	m.LEAQ(operand.Mem{Base: m.area, Index: m.values, Scale: 1, Disp: manyValue}, m.values)
	return sums
}

// endSame emits the end of that function.
func (m *manyEmitter) endSame() {
	m.VZEROUPPER()
	m.RET()
}

// beginFilter emits the head of a function that is the filter of the kernel.
// Only tests call it, so the linker leaves it out of programs.
func (m *manyEmitter) beginFilter() {
	name := m.kernel.name
	m.Function("filterMany" + name)
	m.Doc(fmt.Sprintf("filterMany%s is the filter of blocksMany%s: it leaves the vectors kept of the", name, name),
		"expanded messages in the first bank of area.")
	m.Pragma("noescape")
	m.SignatureExpr("func(area *byte)")
	m.Attributes(noSplit)
	m.Load(m.Param("area"), m.area)
	m.LEAQ(mem(m.area, manyBanks), m.bank)
}

// endFilter emits the end of that function.
func (m *manyEmitter) endFilter() {
	m.VZEROUPPER()
	m.RET()
}

// err returns what was wrong with the streams.
func (m *manyEmitter) err() error { return errors.Join(m.errs...) }

// copySurvivors copies the survivors to slots, and leaves in used the number of
// slots in use.
func (m *manyEmitter) copySurvivors(used reg.GPPhysical) {
	var (
		lane = reg.RDX
		row  = reg.R11 // address of the lane's word in the first row of the bank
		slot = reg.R8
		word = reg.R10L
	)
	move := func(from operand.Mem, offset int) {
		m.MOVL(from, word)
		m.MOVL(word, mem(slot, offset))
	}

	m.MOVQ(mem(m.area, manyUsed), used)
	m.IMUL3Q(operand.U32(slotSize), used, slot)
	m.LEAQ(operand.Mem{Base: m.area, Index: slot, Scale: 1, Disp: manySlot}, slot)
	m.Label("survivor")
	m.BSFL(m.survived.As32(), lane.As32())
	m.LEAQ(operand.Mem{Base: m.last, Index: lane, Scale: 4}, row)
	for t := range dvs.Steps {
		move(mem(row, bankWord+t*rowSize), slotLayout.Word(t))
	}
	for t := firstState; t <= 68; t += 4 {
		for n := range 4 {
			// B is the A of the step before, C and D are rotated from those before that.
			m.MOVL(mem(row, bankState+(t-n-bankFirstState)*rowSize), word)
			if n >= 2 {
				m.ROLL(operand.U8(30), word)
			}
			m.MOVL(word, mem(slot, stateOffset(t)+4*(3-n)))
		}
	}
	move(mem(row, bankKept), slotMask)
	// A block's outgoing value is looked for in the next slot.
	m.MOVQ(m.lastValues, row)
	m.LEAQ(operand.Mem{Base: row, Index: lane, Scale: 4}, row)
	for n := range 4 {
		move(mem(row, n*rowSize), slotSize+slotIn+4*(3-n))
	}
	move(mem(row, 4*rowSize), slotSize+slotInE+12)
	m.ADDQ(m.lastLane, lane)
	m.MOVL(lane.As32(), operand.Mem{Base: m.area, Index: used, Scale: 4, Disp: manyOwner})
	m.ADDQ(operand.U32(slotSize), slot)
	m.INCQ(used)
	m.LEAL(operand.Mem{Base: m.survived, Disp: -1}, lane.As32())
	m.ANDL(lane.As32(), m.survived.As32())
	m.JNE(operand.LabelRef("survivor"))
	m.MOVQ(used, mem(m.area, manyUsed))
}
