//go:build !unix

package main

import "os"

// hangup is the signal of a terminal that is closed, where there is one.
var hangup []os.Signal
