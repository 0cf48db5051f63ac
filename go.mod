module github.com/sha1dc/go

go 1.25.0
