package prove

import "fmt"

// areaFiles are the files of the runtime that say where the kernels for many
// messages leave what, the last for its tests.
var areaFiles = []string{"many_area_amd64.go", "many_bank_amd64_test.go"}

// area is where things are in the memory that kernels for many messages work
// in, in bytes from its start, as the runtime reads it.
type area struct {
	values, idle, banks, owner, used, slots room

	lanes, groups, records int // lanes of a row, groups of rows, and slots that may be used
	align                  int
	bankKept, bankWord     int // rows of the first bank

	// Of a slot.
	slotSize, slotW, slotState, slotMask, slotOut, slotOutE int
}

// room is a field of the area.
type room struct{ at, size int }

// readArea reads the layout from the runtime's Go files.
func readArea(s *Sources) (*area, error) {
	l, err := readLayout(s, areaFiles, "amd64")
	if err != nil {
		return nil, err
	}
	a := &area{}
	if err := l.constants(map[string]*int{
		"manyMaxLanes": &a.lanes, "manyGroups": &a.groups, "manySlots": &a.records, "manyAlign": &a.align,
		"manyBankKept": &a.bankKept, "manyBankWord": &a.bankWord,
		"manySlotSize": &a.slotSize, "manySlotW": &a.slotW, "manySlotState": &a.slotState, "manySlotMask": &a.slotMask,
		"manySlotOut": &a.slotOut, "manySlotOutE": &a.slotOutE,
	}); err != nil {
		return nil, err
	}
	if _, err := l.fields("manyArea", map[string]*room{
		"value": &a.values, "idle": &a.idle, "banks": &a.banks, "owner": &a.owner, "used": &a.used, "slots": &a.slots,
	}); err != nil {
		return nil, err
	}
	return a, a.check()
}

// check returns whether the fields have the sizes that the proof takes for
// granted.
func (a *area) check() error {
	switch {
	case a.values.size != a.groups*5*4*a.lanes || a.idle.size != 4*a.lanes || a.owner.size != 4*a.records || a.used.size != 8:
		return fmt.Errorf("%s: fields of other sizes than the number of groups, lanes and slots makes", areaFiles[0])
	case a.slots.size < a.records*a.slotSize:
		return fmt.Errorf("%s: no room for %d slots", areaFiles[0], a.records)
	}
	return nil
}

// recordW returns where W[t] is, from the start of a slot.
func (a *area) recordW(t int) int { return a.slotW + 4*(79-t) }

// recordState returns where the words A to D (n from 0 to 3) of the state at
// the start of step t are.
func (a *area) recordState(t, n int) int { return a.slotState + 4*(t-52) + 4*(3-n) }

// recordOut returns where the words A to E of the outgoing chaining value are.
func (a *area) recordOut(n int) int {
	if n == 4 {
		return a.slotOutE
	}
	return a.slotOut + 4*(3-n)
}
