package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

const (
	chunkBlocks = asm.ChunkBlocks
	maxJobs     = chunkBlocks
)

// The kernel's frame, in bytes from the stack pointer.
const (
	frameLink = 0 // the return address, which the assembler saves
	frameArgs = 8 // arguments and result of recheckSHA1
	frameList = 48
	frameArea = frameList + 16*maxJobs // two areas of slots
	areaSize  = (chunkBlocks + 2) * slotSize
	frameSize = frameArea + 2*areaSize
)

// rowsOffset is where the filter's rows stand in the table, behind the constants
// of the rounds.
const rowsOffset = 64

// variant is a kernel for some kind of processor.
type variant struct {
	file, name string
	about      string // of the processors
	copied     copying
	firstPart  int // groups of the plan that test every block
}

// variants lists the kernels. Four vector pipes, as Apple's and the larger of
// Arm's cores have, take in all of the filter while SHA-1 goes on. Two pipes are
// what bounds the others: there, half of the filter is left to the blocks that
// the first part keeps. Shorter first parts gain nothing, since the second one
// and the branches to it cost more.
var variants = []variant{
	{"neon", "NEON", "processors with four vector pipes", everywhere, all},
	{"neon2", "NEON2", "processors with two vector pipes or more", sometimes, 15},
}

const all = 1 << 10

// kernel is the registers of the kernel. Those from message to table keep their
// values in recheckSHA1.
type kernel struct {
	variant
	*compression
	*filter
	rider *twin

	chunk         R // blocks of the chunk
	slots, before R // of the chunk, and of the one before
	left          R // blocks not yet compressed
	previous      R // blocks of the chunk before that are not yet confirmed

	count R // blocks to come in the chunk
	jobs  R // rechecks of the chunk before that are still to be done
	job   R // address of the next

	differences, stride R
	temp                [2]R
}

// emitKernel emits a kernel with the filter of p, and the filter alone.
func emitKernel(f *file, v variant, p *plan.Plan) error {
	k, err := newKernel(v, p)
	if err != nil {
		return err
	}
	blocks, filter := "blocksSHA1"+v.name, "filterSHA1"+v.name
	table := f.data("table_"+v.file, append(constantWords(), k.filter.rows...))
	err = f.function(blocks, "func(h *[5]uint32, p *byte, n int, dm *[32][80]uint32) (done int)", 0, frameSize-8, []string{
		blocks + " adds n blocks at p to the chaining value h, with the SHA-1",
		fmt.Sprintf("instructions and a NEON filter for %s. It stops before", v.about),
		fmt.Sprintf("a chunk of up to %d blocks that may hold an attack with the message differences", chunkBlocks),
		"dm, and returns the number of blocks added.",
	}, func(f *function) error {
		k.emit(f, table)
		return nil
	})
	if err != nil {
		return err
	}
	return f.function(filter, "func(slot *byte)", attr.NOSPLIT, 0, filterDoc(filter, blocks), func(f *function) error {
		k.filter.emit(f, k.compression.slot, table)
		return nil
	})
}

// filterDoc is the documentation of a filter that is the one of a kernel.
func filterDoc(filter, kernel string) []string {
	return []string{
		filter + " is the filter of " + kernel + ": it leaves in slot, which holds an",
		"expanded message, the mask of the vectors kept. Only tests call it, so the",
		"linker leaves it out of programs.",
	}
}

// emit emits the body of a function that is a filter alone.
func (f *filter) emit(out *function, slot R, table operand.Op) {
	out.add("MOVD", out.param("slot"), slot)
	out.add("MOVD", table, f.table)
	out.append(f.load(rowsOffset))
	for part := range f.parts {
		out.append(f.filter(part, slot, 0, rowsOffset))
	}
	out.ret()
}

// newKernel allocates the registers.
func newKernel(variant variant, p *plan.Plan) (*kernel, error) {
	a := newRegisters()
	constants := [4]V(a.Vs(4))
	// A recheck rides along with the compression of a block: neither of the two
	// chains of rounds can fill the processor's SHA unit alone. Its registers, and
	// those behind them, are the ones that recheckSHA1 uses.
	k := &kernel{variant: variant, rider: newTwin(a, constants)}
	v := a.Vs(6)
	k.compression = &compression{
		rounds: rounds{abcd: v[0], e: [2]V{v[1], v[2]}, wk: v[3], k: constants, copied: variant.copied, before: [2]V{v[4], v[5]}},
		w:      [4]V(a.Vs(4)),
	}
	k.compression.slot, k.count, k.job, k.differences, k.stride = a.R(), a.R(), a.R(), a.R(), a.R()
	k.temp = [2]R{a.R(), a.R()}
	k.jobs = a.R()
	var err error
	if k.filter, err = newFilter(p, variant.firstPart, a); err != nil {
		return nil, err
	}
	k.message, k.chunk, k.slots, k.before = a.R(), a.R(), a.R(), a.R()
	k.left, k.previous = a.R(), a.R()
	return k, nil
}

// recheck rechecks n blocks in area at once, and goes to hit if one is attacked.
// It loads the chaining value of the newest block again.
func (k *kernel) recheck(f *function, area, n R, hit string) {
	rsp := func(offset int) operand.Op { return text(fmt.Sprintf("%d(RSP)", offset)) }
	f.add("MOVD", area, rsp(frameArgs))
	f.add("MOVD", n, rsp(frameArgs+8))
	f.add("MOVD", f.param("dm"), k.differences)
	f.add("MOVD", k.differences, rsp(frameArgs+16))
	f.add("CALL", text("·recheckSHA1(SB)"))
	f.add("MOVBU", rsp(frameArgs+24), k.temp[0])
	f.cbnz(k.temp[0], hit)
	f.movConstant(0, k.jobs)
	f.movConstant(slotSize, k.temp[0])
	slot := k.compression.slot
	f.madd(k.temp[0], k.chunk, k.slots, slot)
	f.loadVV(slot, slotIn, k.abcd, k.e[0])
}

// advance moves to the next block.
func (k *kernel) advance(f *function) {
	f.addConstant(64, k.message, k.message)
	f.addConstant(slotSize, k.compression.slot, k.compression.slot)
	f.decrement(k.count)
}

// emit emits the body of the kernel.
func (k *kernel) emit(f *function, table operand.Op) {
	slot, temp, jobs := k.compression.slot, k.temp, k.jobs
	abcd, e := k.abcd, k.e[0]
	_, vectors := asm.TestSteps()

	f.add("MOVD", f.param("h"), temp[0])
	f.add("MOVD", f.param("p"), k.message)
	f.add("MOVD", f.param("n"), k.left)
	f.loadV(temp[0], 0, abcd)
	f.loadS(temp[0], 16, e)
	f.add("MOVD", text(fmt.Sprintf("$%d(RSP)", frameArea+slotSize)), k.slots)
	f.movConstant(areaSize, k.before)
	f.addR(k.slots, k.before, k.before)
	f.add("MOVD", table, k.table)
	loadConstants(&f.stream, k.table, k.k())
	f.append(k.load(rowsOffset))
	f.movConstant(0, jobs)
	f.movConstant(0, k.previous)

	list := func() { f.add("MOVD", text(fmt.Sprintf("$%d(RSP)", frameList)), k.job) }
	f.label("chunk")
	f.movConstant(chunkBlocks, k.chunk)
	f.minimum(k.chunk, k.left, k.chunk)
	f.sub(k.chunk, k.left, k.left)
	f.mov(k.chunk, k.count)
	f.mov(k.slots, slot)
	list()
	f.cbz(jobs, "block")

	filterBefore := func() *stream { return k.filter.filter(0, slot, -slotSize, rowsOffset) }
	one := func() *stream { return merge(k.compress(), filterBefore(), 0, 1) }
	f.label("rider")
	f.loadPair(k.job, k.rider.slot, k.rider.dm)
	f.append(merge(one(), k.rider.twin(60), 0, 1))
	k.rider.branchHit(&f.stream, temp, "hitBefore")
	k.advance(f)
	f.decrement(jobs)
	f.cbz(k.count, "compressed")
	f.cbnz(jobs, "rider")

	f.label("block")
	f.append(one())
	k.advance(f)
	f.cbnz(k.count, "block")

	f.label("compressed")
	f.storeVV(abcd, e, slot, slotIn)
	f.append(filterBefore())
	f.cbz(jobs, "scan")
	k.recheck(f, k.before, k.previous, "hitBefore")

	mask, count := k.rider.dm, k.count
	f.label("scan")
	if len(k.parts) > 1 {
		f.mov(k.slots, slot)
		f.mov(k.chunk, count)
		f.label("refineSlot")
		f.loadW(slot, slotMask, mask)
		f.cbz(mask, "refined")
		f.append(k.filter.filter(1, slot, 0, rowsOffset))
		f.label("refined")
		f.addConstant(slotSize, slot, slot)
		f.decrement(count)
		f.cbnz(count, "refineSlot")
	}

	// List the rechecks that can ride along with the next chunk.
	f.mov(k.slots, slot)
	f.mov(k.chunk, count)
	list()
	f.add("MOVD", f.param("dm"), k.differences)
	f.movConstant(4*dvs.Steps, k.stride)
	f.label("scanSlot")
	f.loadW(slot, slotMask, mask)
	f.cbnz(mask, "scanMask")
	f.label("scanNext")
	f.addConstant(slotSize, slot, slot)
	f.decrement(count)
	f.cbnz(count, "scanSlot")
	f.cbnz(k.left, "next")
	f.cbz(jobs, "next")

	f.label("direct")
	k.recheck(f, k.slots, k.chunk, "hit")

	f.label("next")
	f.mov(k.chunk, k.previous)
	f.mov(k.slots, temp[0])
	f.mov(k.before, k.slots)
	f.mov(temp[0], k.before)
	f.cbnz(k.left, "chunk")
	f.b("done")

	f.label("scanMask")
	f.andConstant(^uint32(vectors[60]), mask, temp[0], temp[0])
	f.cbnz(temp[0], "direct")
	f.label("scanVector")
	f.branchEqual(jobs, maxJobs, "direct")
	f.trailingZerosW(mask, temp[0])
	f.madd(temp[0], k.stride, k.differences, temp[0])
	f.storePair(slot, temp[0], k.job)
	f.addConstant(1, jobs, jobs)
	f.clearLowestW(mask, temp[0])
	f.cbnz(mask, "scanVector")
	f.b("scanNext")

	// None of the blocks of the chunk, or of the two last ones, counts.
	f.label("hitBefore")
	f.addR(k.previous, k.left, k.left)
	f.mov(k.before, k.slots)
	f.label("hit")
	f.addR(k.chunk, k.left, k.left)
	f.loadVV(k.slots, slotIn, abcd, e)
	f.label("done")
	f.add("MOVD", f.param("h"), temp[0])
	f.storeV(abcd, temp[0], 0)
	f.storeS(e, temp[0], 16)
	f.add("MOVD", f.param("n"), temp[0])
	f.sub(k.left, temp[0], temp[0])
	f.add("MOVD", temp[0], f.param("done"))
	f.ret()
}

// k returns the constants of the rounds.
func (k *kernel) k() [4]V { return k.rounds.k }
