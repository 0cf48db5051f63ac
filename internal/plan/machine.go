package plan

// Machine says what filter groups cost on a target. Instructions are counted
// by hand from the kernels; the cycles are measured, and only their ratio
// matters to a plan.
type Machine struct {
	Name  string
	About string
	Lanes int

	// Instructions of a group of each shape; 0 if the target has no such shape.
	Equal    int // uniform, both bits at the same position
	Shifted  int // uniform, one word shifted
	Variable int
	LaneDV   int

	// Thousandths of a cycle.
	Slot    int // one filter instruction beside the compression
	Recheck int // a survivor that goes to the recheck, its branch included
	Tail    int // a survivor of a prefix that goes to the tail, its branch included; 0 if the target has no tail
}

// UnitsPerCycle is the unit of Cycles: thousandths of a cycle times One.
const UnitsPerCycle = 1000 * int64(One)

// Instructions returns the instructions of g, or 0 if the machine lacks its
// shape.
func (m Machine) Instructions(g *Group) int {
	switch {
	case g.Shape == Variable:
		return m.Variable
	case g.Shape == LaneDV:
		return m.LaneDV
	case g.Shifted():
		return m.Shifted
	}
	return m.Equal
}

// Survivor returns what a survivor of the plan costs, in thousandths of a
// cycle.
func (m Machine) Survivor() int {
	if m.Tail != 0 {
		return m.Tail
	}
	return m.Recheck
}

// Cycles returns the expected cycles a block of a filter and its survivors,
// in units of UnitsPerCycle. What passes a tail is rechecked whatever the plan,
// and does not count.
func (m Machine) Cycles(instructions int, s Survivors) int64 {
	return int64(m.Slot)*int64(instructions)*int64(One) + int64(m.Survivor())*int64(s)
}

// machines lists the targets.
//
// SHA-NI and the ARMv8 SHA instructions leave most issue slots of a core free,
// so a filter instruction beside them costs a small part of a cycle.
//
// The cycles of avx512vl, sse, eight and generic are rounded from what "make
// costs" printed on an Intel Emerald Rapids core at 3 GHz:
//
//	backend             instruction  recheck  survivor
//	shani-avx512-intel        0.181       95        80
//	shani-avx2-intel          0.130       97        81
//	shani-sse                 0.134      105        82
//	avx512                    0.021      317       267
//	avx2                      0.027      321       269
//	generic                   0.334      729       203
//
// with kernels that test every block with all groups, as those of sse no longer
// do, and where 203 is for survivors of which one in nine passes the tail. Other
// cores differ. Those of avx512 and avx2, whose kernels are for AMD's processors,
// are of prototypes on a Zen 5 core; those of many are estimates.
//
// Those of neon follow from what "make mca" prints, which is all that is known.
// In the kernel that leaves 19 of 34 groups to the 35 of 100 blocks that the
// others keep, against the one that tests all groups:
//
//	                    19 groups  an instruction  recheck
//	Neoverse N1 and N2       40.6           0.283     44.5
//	Neoverse V2                 0               0     30
//	Neoverse V1               4.0           0.028     16
//	Apple M1                  4.2           0.029     11
//
// taken for one message on the N1 and N2, which have two vector pipes, and for
// two on the others, where one leaves more room than that. The costs are those of
// the N1 and N2: an instruction for 35 of 100 blocks, and a recheck with a
// mispredicted branch, of 12 cycles or so. They matter little: with 0.15 and 110,
// 0.283 and 57 or 0.028 and 28 there are 34 groups too, and survivors of 0.0697 to
// 0.0737 a block, since the data that must be dismissed asks for that many.
var machines = []Machine{
	{
		Name: "avx512", About: "16 lanes beside SHA-NI: load, xor, test into a mask, masked or",
		Lanes: 16, Equal: 4, Shifted: 4, Variable: 6, LaneDV: 3,
		Slot: 50, Recheck: 80_000,
	},
	{
		Name: "avx512vl", About: "8 lanes beside SHA-NI: load, shift, xor, test into a mask, masked or",
		Lanes: 8, Equal: 4, Shifted: 5, Variable: 6, LaneDV: 3,
		Slot: 180, Recheck: 85_000,
	},
	{
		Name: "avx2", About: "8 lanes beside SHA-NI: load, xor, two shifts, and, or",
		Lanes: 8, Equal: 6, Shifted: 7, Variable: 8, LaneDV: 4,
		Slot: 110, Recheck: 80_000,
	},
	{
		Name: "sse", About: "4 lanes beside SHA-NI, two-operand forms: two loads, xor, one or two shifts, bits to an index, or",
		Lanes: 4, Equal: 6, Shifted: 7, LaneDV: 5,
		Slot: 130, Recheck: 80_000,
	},
	{
		Name: "neon", About: "4 lanes beside the ARMv8 SHA-1 instructions: two loads, xor, test, load, and, or",
		Lanes: 4, Equal: 7, Shifted: 8, Variable: 9, LaneDV: 5,
		Slot: 100, Recheck: 57_000,
	},
	{
		Name: "generic", About: "one condition at a time in plain Go, a tail for what is left",
		Lanes: 1, Equal: 6, Shifted: 7,
		Slot: 330, Recheck: 730_000, Tail: 120_000,
	},
	{
		Name: "many", About: "16 messages in 16 lanes, a condition of all of them at a time; costs are per message",
		Lanes: 1, Equal: 4, Shifted: 4,
		Slot: 25, Recheck: 80_000,
	},
	{
		Name: "eight", About: "8 blocks in 8 lanes beside scalar steps, a condition of all of them at a time; costs are per block",
		Lanes: 1, Equal: 6, Shifted: 7,
		Slot: 28, Recheck: 270_000,
	},
	{
		Name: "count1", About: "one condition at a time, counted",
		Lanes: 1, Equal: 1, Shifted: 1,
	},
	{
		Name: "count16", About: "16 lanes, instructions counted by hand",
		Lanes: 16, Equal: 4, Shifted: 4, Variable: 6, LaneDV: 3,
	},
	{
		Name: "count8", About: "8 lanes, instructions counted by hand",
		Lanes: 8, Equal: 6, Shifted: 7, Variable: 8, LaneDV: 4,
	},
	{
		Name: "count4", About: "4 lanes, instructions counted by hand",
		Lanes: 4, Equal: 7, Shifted: 8, Variable: 9, LaneDV: 5,
	},
}

// Machines returns the targets for which there are plans.
func Machines() []Machine { return append([]Machine(nil), machines...) }

// MachineNamed returns the target with the given name.
func MachineNamed(name string) (Machine, bool) {
	for _, m := range machines {
		if m.Name == name {
			return m, true
		}
	}
	return Machine{}, false
}
