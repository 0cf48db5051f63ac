package prove

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
)

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
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range areaFiles {
		text, err := s.File(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	sizes := types.SizesFor("gc", "amd64")
	pkg, err := (&types.Config{Sizes: sizes}).Check("sha1dc", fset, files, nil)
	if err != nil {
		return nil, err
	}
	a := &area{}
	for name, to := range map[string]*int{
		"manyMaxLanes": &a.lanes, "manyGroups": &a.groups, "manySlots": &a.records, "manyAlign": &a.align,
		"manyBankKept": &a.bankKept, "manyBankWord": &a.bankWord,
		"manySlotSize": &a.slotSize, "manySlotW": &a.slotW, "manySlotState": &a.slotState, "manySlotMask": &a.slotMask,
		"manySlotOut": &a.slotOut, "manySlotOutE": &a.slotOutE,
	} {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			return nil, fmt.Errorf("%s: no constant %s", areaFiles[0], name)
		}
		v, ok := constant.Int64Val(c.Val())
		if !ok {
			return nil, fmt.Errorf("%s: %s is no number", areaFiles[0], name)
		}
		*to = int(v)
	}
	o := pkg.Scope().Lookup("manyArea")
	if o == nil {
		return nil, fmt.Errorf("%s: no type manyArea", areaFiles[0])
	}
	t, ok := o.Type().Underlying().(*types.Struct)
	if !ok {
		return nil, fmt.Errorf("%s: manyArea is no struct", areaFiles[0])
	}
	var fields []*types.Var
	for n := range t.NumFields() {
		fields = append(fields, t.Field(n))
	}
	offsets := sizes.Offsetsof(fields)
	for name, to := range map[string]*room{
		"value": &a.values, "idle": &a.idle, "banks": &a.banks, "owner": &a.owner, "used": &a.used, "slots": &a.slots,
	} {
		for n, f := range fields {
			if f.Name() == name {
				*to = room{int(offsets[n]), int(sizes.Sizeof(f.Type()))}
			}
		}
		if to.size == 0 {
			return nil, fmt.Errorf("%s: manyArea has no field %s", areaFiles[0], name)
		}
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
