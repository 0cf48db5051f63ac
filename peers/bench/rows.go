package main

import (
	"crypto/sha1"

	"github.com/pjbgf/sha1cd"
	"github.com/pjbgf/sha1cd/cgo"

	"github.com/sha1dc/go/sha1dc"
)

// A row is one implementation in the table.
type row struct {
	name string

	// hash sets digests[n] to the digest of msgs[n].
	hash func(digests [][sha1.Size]byte, msgs [][]byte)
}

// baseline is the row that ratios are taken to.
var baseline = row{"crypto/sha1", func(digests [][sha1.Size]byte, msgs [][]byte) {
	for n, m := range msgs {
		digests[n] = sha1.Sum(m)
	}
}}

// rows are all implementations in the order of the table. Without cgo, the
// package cgo is sha1cd's Go code once more and has no row.
func rows() []row {
	all := []row{
		baseline,
		{"sha1cd", func(digests [][sha1.Size]byte, msgs [][]byte) {
			for n, m := range msgs {
				digests[n], _ = sha1cd.Sum(m)
			}
		}},
	}
	if cgoEnabled {
		all = append(all, row{"sha1cd/cgo", func(digests [][sha1.Size]byte, msgs [][]byte) {
			for n, m := range msgs {
				sum, _ := cgo.Sum(m)
				digests[n] = [sha1.Size]byte(sum)
			}
		}})
	}
	return append(all, row{"sha1dc", func(digests [][sha1.Size]byte, msgs [][]byte) {
		for n, m := range msgs {
			digests[n], _ = sha1dc.Sum(m)
		}
	}})
}
