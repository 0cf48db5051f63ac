// Package gitpack reads git packs, checks all of them, and writes their
// indexes, with detection of collision attacks in every object.
package gitpack
