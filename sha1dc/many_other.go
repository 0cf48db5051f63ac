//go:build !gc || purego || noasm || (!amd64 && !arm64)

package sha1dc

// manyKernel is none here: all messages are hashed one after the other.
type manyKernel struct{ least int }

// manyKernel returns the kernel for many messages to use with b, if there is
// one.
func (b backend) manyKernel() (k manyKernel, ok bool) { return manyKernel{}, false }

// suits reports whether it pays to use the kernel for these messages.
func (k manyKernel) suits(msgs *messages) bool { return msgs.len() >= k.least }

// lanes have no use without a kernel.
type lanes struct{}

func newLanes() *lanes { return nil }

func testManyKernels() error { return nil }

func (l *lanes) fill(c Config, k manyKernel, out []Result, msgs messages, o *order, stop <-chan struct{}) {
}
