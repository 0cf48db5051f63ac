//go:build ignore

// Writes the runtime's assembly for arm64, on any machine:
//
//	go run asm_gen_arm64.go
//
// "go run ./gen asm" does it with everything else.
package main

import (
	"log"

	"github.com/sha1dc/go/gen/arm64"
	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/plans"
)

func main() {
	log.SetFlags(0)
	root, err := files.ModuleRoot()
	if err != nil {
		log.Fatal(err)
	}
	out, err := arm64.Files(plans.Load)
	if err != nil {
		log.Fatal(err)
	}
	if err := files.Write(root, out); err != nil {
		log.Fatal(err)
	}
}
