module github.com/sha1dc/go/peers

go 1.25.0

require (
	github.com/pjbgf/sha1cd v0.7.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/sha1dc/go v0.0.0
)

require (
	golang.org/x/sys v0.41.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/sha1dc/go => ../
