package sha1dc

//go:generate go run ../gen asm
