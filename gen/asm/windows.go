package asm

// Windows keeps windows of consecutive words in registers for as long as there
// are registers and uses to come.
type Windows[Register any] struct {
	free []Register
	held map[int]Register // by first word
	last map[int]int      // step of the last use of a window
}

// NewWindows returns windows in the registers free. Windows are used in steps:
// uses holds the first words of the windows of each.
func NewWindows[Register any](free []Register, uses [][2]int) *Windows[Register] {
	w := &Windows[Register]{
		free: append([]Register(nil), free...),
		held: make(map[int]Register), last: make(map[int]int),
	}
	for step, starts := range uses {
		for _, start := range starts {
			w.last[start] = step
		}
	}
	return w
}

// Take returns a register for an intermediate value, dropping at need the window
// that is not used for the longest time.
func (w *Windows[Register]) Take() Register {
	if len(w.free) == 0 {
		victim := -1
		for start := range 80 { // in order, for determinism
			if _, ok := w.held[start]; ok && (victim < 0 || w.last[start] > w.last[victim]) {
				victim = start
			}
		}
		w.release(victim)
	}
	r := w.free[0]
	w.free = w.free[1:]
	return r
}

// Return gives back a register that Take returned.
func (w *Windows[Register]) Return(r Register) { w.free = append(w.free, r) }

// Window returns the register of the window from start on, and whether it must
// be loaded.
func (w *Windows[Register]) Window(start int) (r Register, load bool) {
	if r, ok := w.held[start]; ok {
		return r, false
	}
	r = w.Take()
	w.held[start] = r
	return r, true
}

// Done gives back the registers of the windows that no step after this one uses.
func (w *Windows[Register]) Done(step int) {
	for start := range 80 {
		if _, ok := w.held[start]; ok && w.last[start] <= step {
			w.release(start)
		}
	}
}

func (w *Windows[Register]) release(start int) {
	w.free = append(w.free, w.held[start])
	delete(w.held, start)
}
