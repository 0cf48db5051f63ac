// Package gogit tests sha1dc as the hash of go-git, versions 5 and 6: clone and
// fetch from a directory and over HTTP, and the hash behind every entry point;
// its benchmarks measure go-git's parser of packs with its own hash and ours.
package gogit
