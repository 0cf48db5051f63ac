//go:build ignore

// Writes the runtime's assembly for amd64, on any machine:
//
//	go run asm_gen_amd64.go
//
// "go run ./gen asm" does it with everything else.
package main

import (
	"log"

	"github.com/sha1dc/go/gen/amd64"
	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/plans"
)

func main() {
	log.SetFlags(0)
	root, err := files.ModuleRoot()
	if err != nil {
		log.Fatal(err)
	}
	out, err := amd64.Files(plans.Load)
	if err != nil {
		log.Fatal(err)
	}
	if err := files.Write(root, out); err != nil {
		log.Fatal(err)
	}
}
