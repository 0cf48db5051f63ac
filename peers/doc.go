// Package peers compares the module with other implementations of SHA-1: its
// tests with crypto/sha1, with github.com/pjbgf/sha1cd and with the reference
// implementation in C, which that module carries in its package cgo; its
// command bench measures their speed beside ours. It is a module of its own so
// that no user of the library depends on any of them.
package peers
