//go:build gc && !purego && !noasm

package sha1dc

func testManyKernels() error { return nil }
