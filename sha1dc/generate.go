package sha1dc

//go:generate go run ../gen plan
//go:generate go run ../gen asm
//go:generate go run ../gen report
