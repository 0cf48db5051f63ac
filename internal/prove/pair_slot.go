package prove

import "fmt"

// pairFiles are the files of the runtime that say what jobs are, and where a
// recheck finds what.
var pairFiles = []string{"slot_arm64_test.go", "pair_job_arm64.go"}

// pairSlot is where things are in a slot and a job, in bytes.
type pairSlot struct {
	words, state, firstState, in, inE, mask, size int

	most                  int // slots of a message in a call
	jobSize               int
	blocks, values, count room // of a job
}

// readPairSlot reads the layout from the runtime's Go files.
func readPairSlot(s *Sources) (*pairSlot, error) {
	l, err := readLayout(s, pairFiles, "arm64")
	if err != nil {
		return nil, err
	}
	p, size := &pairSlot{}, 0
	if err := l.constants(map[string]*int{
		"slotW": &p.words, "slotState": &p.state, "slotFirstState": &p.firstState, "slotIn": &p.in, "slotInE": &p.inE,
		"slotMask": &p.mask, "slotSize": &p.size, "pairSlotSize": &size, "pairBlocks": &p.most,
	}); err != nil {
		return nil, err
	}
	p.jobSize, err = l.fields("pairJob", map[string]*room{"blocks": &p.blocks, "values": &p.values, "n": &p.count})
	if err == nil && (size != p.size || p.blocks.size != 16 || p.values.size != 16 || p.count.size != 8) {
		err = fmt.Errorf("%s: slots or fields of other sizes than the proof takes for granted", pairFiles[1])
	}
	return p, err
}
