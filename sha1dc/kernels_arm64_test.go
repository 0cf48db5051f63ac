//go:build gc && !purego && !noasm

package sha1dc

// filters are the filters of the kernels with the SHA-1 instructions, which work
// on one slot, and the plans that they follow.
var filters = [len(backends)]struct {
	filter func(slot *byte)
	plan   string
}{
	sha1NEON:  {filterSHA1NEON, "neon"},
	sha1NEON2: {filterSHA1NEON2, "neon"},
}

// stopBlocks bounds the blocks of which a kernel with one of these filters adds
// none if one is an attack.
const stopBlocks = chunkBlocks

// kernelFunctions are the assembly functions that each backend runs, the one
// that it calls first.
var kernelFunctions = [len(backends)][]string{
	sha1NEON:  {"blocksSHA1NEON", "recheckSHA1"},
	sha1NEON2: {"blocksSHA1NEON2", "recheckSHA1"},
}

// extensions are the features that the generator names in front of a function.
var extensions = map[string]features{"SHA1": sha}

// recheckSlots is the recheck of the blocks in slots, and recheckNeeds what it
// takes to run it.
var recheckSlots = recheckSHA1

const recheckNeeds = sha
