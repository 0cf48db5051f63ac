module github.com/sha1dc/go

go 1.25.0

require (
	github.com/irifrance/gini v1.0.1
	github.com/klauspost/compress v1.20.4
	github.com/mmcloughlin/avo v0.6.0
	golang.org/x/sys v0.41.0
)

require (
	golang.org/x/mod v0.27.0 // indirect
	golang.org/x/sync v0.16.0 // indirect
	golang.org/x/tools v0.36.0 // indirect
)
