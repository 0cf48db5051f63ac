module github.com/sha1dc/go/peers

go 1.25.0

require (
	github.com/pjbgf/sha1cd v0.7.0
	github.com/sha1dc/go v0.0.0
)

replace github.com/sha1dc/go => ../
