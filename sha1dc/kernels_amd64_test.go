//go:build gc && !purego && !noasm

package sha1dc

// filters are the filters of the kernels with the SHA extensions, which work on
// one slot, and the plans that they follow.
var filters = [len(backends)]struct {
	filter func(slot *byte)
	plan   string
}{
	shaniAVX512:      {filterSHANIAVX512, "avx512"},
	shaniAVX512Intel: {filterSHANIAVX512Intel, "avx2"},
	shaniAVX2:        {filterSHANIAVX2, "avx2"},
	shaniAVX2Intel:   {filterSHANIAVX2Intel, "sse"},
	shaniSSE:         {filterSHANISSE, "sse"},
}

// stopBlocks bounds the blocks of which a kernel with one of these filters adds
// none if one is an attack.
const stopBlocks = 1

// kernelFunctions are the assembly functions that each backend runs, the one
// that it calls first.
var kernelFunctions = [len(backends)][]string{
	shaniAVX512:      {"blocksSHANIAVX512", "recheckSHANI"},
	shaniAVX512Intel: {"blocksSHANIAVX512Intel", "recheckSHANI"},
	shaniAVX2:        {"blocksSHANIAVX2", "recheckSHANI"},
	shaniAVX2Intel:   {"blocksSHANIAVX2Intel", "recheckSHANI"},
	shaniSSE:         {"blocksSHANISSE", "recheckSHANI"},
	avx512Kernel:     {"blocksAVX512", "addTwins", "recheckTwins"},
	avx2Kernel:       {"blocksAVX2", "addTwins", "recheckTwins"},
}

// extensions are the features that the generator names in front of a function.
// Every amd64 processor has those that are zero.
var extensions = map[string]features{
	"SSE": 0, "SSE2": 0, "CMOV": 0,
	"SSSE3": ssse3, "SSE4.1": sse41, "SHA": sha, "AVX": avx, "AVX2": avx2, "BMI": bmi1, "BMI2": bmi2,
	"AVX512F": avx512f, "AVX512BW": avx512bw, "AVX512DQ": avx512dq, "AVX512VL": avx512vl,
}

// recheckSlots is the recheck of the blocks in slots, and recheckNeeds what it
// takes to run it.
var recheckSlots = recheckSHANI

const recheckNeeds = needSHANI
