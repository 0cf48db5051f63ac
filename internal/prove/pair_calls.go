package prove

import "fmt"

// pairCall is a call of a kernel for pairs of messages: its jobs, and which blocks
// the first part of the filter keeps, if it has two.
type pairCall struct {
	name        string
	alone       bool // the filter alone, on a block
	jobs        []pairWork
	group       int // of lanes, for the first job
	survivors   map[place]bool
	stack, data uint64 // as in a scenario
}

// pairWork is a job: how many blocks of two messages, and which of the messages
// are those of the job before.
type pairWork struct {
	n         int
	continues [2]bool
}

// each returns the number of slots for the blocks of a lane.
func (c *pairCall) each() (n int) {
	for _, j := range c.jobs {
		n += j.n + 1
	}
	return n
}

// places returns where the blocks of a call are, in the order of their slots.
func (c *pairCall) places() (out []place) {
	for lane := range 2 {
		for n, j := range c.jobs {
			for block := range j.n {
				out = append(out, place{c.group + n, block, lane})
			}
		}
	}
	return out
}

// calls are the calls that are explored. Of a filter in two parts, every block of
// short calls survives the first one alone, and in longer ones some or all do.
func (p *pairProver) calls() []pairCall {
	var out []pairCall
	add := func(c pairCall, survives func(n int) bool) {
		number := uint64(len(out))
		c.stack, c.data = number%8*8, number/2%2*32
		c.survivors = make(map[place]bool)
		for n, at := range c.places() {
			if survives(n) {
				c.survivors[at] = true
			}
		}
		c.name = fmt.Sprintf("jobs %v from group %d, %d blocks survive", c.jobs, c.group, len(c.survivors))
		if c.alone {
			c.name = "the filter alone"
		}
		out = append(out, c)
	}
	none, all := func(int) bool { return false }, func(int) bool { return true }
	third := func(n int) bool { return n%3 == 1 }
	parts := func(c pairCall) {
		add(c, none)
		if p.kernel.First == 0 {
			return
		}
		add(c, all)
		add(c, third)
	}
	add(pairCall{alone: true}, none)
	new := func(n int) pairWork { return pairWork{n: n} }
	for _, n := range []int{1, 2, 3, 5} {
		c := pairCall{jobs: []pairWork{new(n)}}
		parts(c)
		if p.kernel.First > 0 {
			for alone := range 2 * n {
				add(c, func(n int) bool { return n == alone })
			}
		}
	}
	parts(pairCall{jobs: []pairWork{new(1), new(1)}})
	parts(pairCall{jobs: []pairWork{new(2), new(3)}})
	parts(pairCall{jobs: []pairWork{new(3), new(1), new(2)}})
	// Messages that go on, in one lane, the other, and both.
	parts(pairCall{group: 10, jobs: []pairWork{new(2), {1, [2]bool{true, false}}, {2, [2]bool{false, true}}}})
	parts(pairCall{group: 20, jobs: []pairWork{new(1), {2, [2]bool{true, true}}}})
	// As many slots as there may be: of one job, and of the shortest ones.
	parts(pairCall{jobs: []pairWork{new(p.slot.most - 1)}})
	short := pairCall{group: 30}
	for n := range p.slot.most / 4 {
		short.jobs = append(short.jobs, pairWork{3, [2]bool{n%4 == 1, n%4 == 2}})
	}
	parts(short)
	return out
}
