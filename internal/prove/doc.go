// Package prove shows that the code in package sha1dc does what it must, from
// that code alone: assembly as text, Go through go/ast. It shares with the
// generators the table of published conditions and the text of the plans, and
// nothing else.
//
// # What is proved
//
// Of every plan (ProvePlan): there are no 80 words for which it dismisses a
// vector all of whose published conditions hold; and if it covers them in full,
// none for which it keeps another.
//
// Of the Go code (ProveGo): for all 80 words, filterGeneric keeps exactly the
// vectors whose published conditions hold. compressGeneric is SHA-1's
// compression function, for every block and chaining value; it leaves the
// expanded message, and for every vector the state at a step that both messages
// of a pair share. The table of message differences (ReadDifferences) is what
// follows from the vectors' names.
//
// Of every kernel (Kernel.Prove), in each of the calls that scenarios lists, for
// every message and every chaining value:
//
//   - What is branched on is, as a function of the expanded message, a bit of
//     what the plan keeps of a block, or a function of such bits: the solver
//     finds no words for which they differ. All 2,560 bits of an expanded message
//     are free in that. The bits branched on are those in the shipping loop,
//     beside the compression, not those of a copy for tests. Where a filter has
//     two parts, that holds for each, and the second decides of what the first
//     keeps alone.
//   - Or it is whether the twin of a block, for a vector that the plan keeps of
//     it, ends in the block's own chaining value (spec.Block.Recheck).
//   - When it returns, every vector that the plan keeps of a block that was
//     added was rechecked and is no attack; an attack was not added; the number
//     of blocks is all of them if there is none; and the chaining value is that
//     of SHA-1 after these blocks. So the expanded message is SHA-1's too.
//   - It reads and writes no byte outside its message, chaining value, arguments,
//     frame and tables, and only the bytes that it may; needs no alignment that it
//     does not have; uses no flag that is undefined, and no register that is not a
//     function's own; and depends on no register or memory that was not set.
//   - Every instruction of it, and of the function that it calls, was executed.
//
// Of every kernel for many messages (ManyKernel.Prove), in each of the calls that
// manyProver.calls lists, for all messages and chaining values in all lanes and
// all values of the row by which idle lanes dismiss vectors:
//
//   - What is branched on is whether blocks survive: whether the plan keeps any
//     vector of a block, and its lane does not dismiss it. Again all bits of the
//     expanded messages are free. For which vectors a block survives is left open.
//   - When it returns, the number of blocks added is that of all, or slots had run
//     short; the chaining values of all lanes and groups are those of SHA-1 after
//     these blocks, those of other groups as before. Each block that survives has
//     one slot, where the runtime's Go code says, with its lane, the vectors
//     that are kept, the expanded message, the states of the steps from which it
//     may be rechecked and the outgoing chaining value. Every other word of the
//     slots, their owners and the idle row is as it was.
//   - The function that adds the same block to all lanes, and the filter alone,
//     which tests call, do so too.
//   - Memory, registers, flags and instructions are as above.
//
// Of every kernel for pairs of messages (PairKernel.Prove), in each of the calls
// that pairProver.calls lists, for all messages and chaining values:
//
//   - It branches on nothing but the numbers of jobs and blocks, and where its
//     filter has two parts, on whether the first keeps any vector of a block.
//   - When it returns, each block has its slot, where the runtime's Go code says,
//     with the vectors that the plan keeps of it, no more and no fewer, whether the
//     first part keeps any or not; the expanded message, the states of the steps
//     from which it may be rechecked, and the incoming chaining value. The slot
//     behind the last block of a job has the outgoing one, and no vectors. The
//     chaining values are those of SHA-1 after the blocks, also where a message goes
//     on in the next job. The words of slots that no recheck reads are left open.
//   - The filter alone, which tests call, does so too, and changes nothing else.
//   - Memory, registers, flags and instructions are as above.
//
// # What is not proved
//
// Messages of other lengths than those of the scenarios, and other sets of
// survivors: that a kernel's loops go on in the same way is tested, not proved.
// The scenarios have up to 26 blocks, with every vector alone in two places, and
// in every lane of a kernel that takes eight blocks at once, vectors together and
// blocks together: code that treats one vector in one other place otherwise, or
// calls of more blocks, would not show. The choice of a backend, and the Go code
// around the kernels and the filter, are tested; so is that the slots of a kernel
// for many or pairs of messages are all rechecked.
//
// # What is assumed
//
// The meanings of the instructions in the package of the architecture, which
// are tested with random operands on the processor or, for arm64, an emulated
// one; that Go's assembler and linker encode what the text says, with 32-byte
// alignment for the tables that ask for it, while instructions written as words
// are decoded; that functions are called by Go's rules for assembly; the three
// rules of package symbolic; and the solver. A recheck is the reverse of how the
// literature puts it, which is the same because a step can be undone.
//
// # How to prove more
//
// A new instruction needs an entry in a table of its architecture's package, or
// in encodings if it is written as a word, and is then tested on the processor
// as soon as a kernel has it. A new kernel needs a row in Kernels, in ManyKernels
// if it works in an area as these do, or in PairKernels if it does jobs. Another
// architecture needs a package like amd64 and arm64, which fulfils
// processor.Processor. A proof reads text alone, so every architecture's kernels
// are proved on every host.
package prove
