package prove

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/goread"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// goFiles are the files of the runtime that the proof of Go code reads.
var goFiles = []string{"filter_generic.go", "compress_generic.go", "disturbance_vectors.go", "detect.go"}

// readGo reads the Go files of the runtime.
func readGo(g *symbolic.Graph, s *Sources) (*goread.Package, error) {
	p := goread.New(g)
	for _, name := range goFiles {
		text, err := s.File(name)
		if err != nil {
			return nil, err
		}
		if err := p.Add(name, text); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// ReadDifferences sets the message differences to those in the runtime's table,
// which must be derived from the vectors' names.
func (s *Sources) ReadDifferences() error {
	p, err := readGo(symbolic.New(), s)
	if err != nil {
		return err
	}
	rows, err := p.Numbers("messageDifferences")
	if err != nil {
		return err
	}
	if len(rows) != dvs.Count {
		return fmt.Errorf("messageDifferences has %d rows, want %d", len(rows), dvs.Count)
	}
	for dv, d := range dvs.All() {
		want := spec.Differences(d)
		if len(rows[dv]) != len(want) {
			return fmt.Errorf("messageDifferences: %v has %d words, want %d", d, len(rows[dv]), len(want))
		}
		for t, w := range rows[dv] {
			if w != int64(want[t]) {
				return fmt.Errorf("messageDifferences: word %d of %v is %#08x, want %#08x", t, d, w, want[t])
			}
			s.Differences[dv][t] = uint32(w)
		}
	}
	return nil
}

// GoReport says what was proved of the Go code.
type GoReport struct {
	Nodes, Queries int
	Time           time.Duration
}

// ProveGo proves that filterGeneric keeps of every expanded message what the
// published conditions keep, no vector more and none less; that compressGeneric
// is SHA-1's compression function for every block, and leaves the expanded
// message and the states of the test steps; and that those are steps at which
// both messages of a pair share the state.
func ProveGo(s *Sources) (GoReport, error) {
	start := time.Now()
	g := symbolic.New()
	p, err := readGo(g, s)
	if err != nil {
		return GoReport{}, err
	}
	table := dvs.Published()
	w := g.Message(spec.Patterns(table, 0))
	queries, err := proveGoFilter(g, p, table, w)
	if err == nil {
		err = proveGoCompression(g, p, w)
	}
	return GoReport{g.Size(), queries, time.Since(start)}, err
}

func proveGoFilter(g *symbolic.Graph, p *goread.Package, table *dvs.Table, w [spec.Steps]symbolic.Word) (queries int, err error) {
	mask, err := p.Call("filterGeneric", w[:])
	if err != nil {
		return 0, err
	}
	if mask == 0 {
		return 0, errors.New("filterGeneric returns no mask")
	}
	for dv, want := range spec.Conditions(g, table, &w) {
		queries++
		model := g.Refute([]symbolic.Bit{g.Xor(g.Bits(mask)[dv], want)})
		if model == nil {
			continue
		}
		c := &Counterexample{Plan: "of all published conditions", DV: dv, Keeps: model(want)}
		for t := range c.W {
			for i, b := range g.Bits(w[t]) {
				if model(b) {
					c.W[t] |= 1 << i
				}
			}
		}
		c.Message = dvs.Expand([16]uint32(c.W[:16])) == c.W
		return queries, &Failure{Kernel: "generic", Scenario: "every schedule", File: "filter_generic.go", Code: "filterGeneric", Err: errors.New("the mask differs"), Counterexample: c}
	}
	return queries, nil
}

func proveGoCompression(g *symbolic.Graph, p *goread.Package, w [spec.Steps]symbolic.Word) error {
	rows, err := p.Rows("disturbanceVectors")
	if err != nil {
		return err
	}
	var in spec.State
	for n := range in {
		in[n] = g.FreshWord()
	}
	want := spec.Compress(g, in, w)
	h := goread.Words(slices.Clone(in[:]))
	var out goread.Words = make([]symbolic.Word, spec.Steps)
	var states goread.Words = make([]symbolic.Word, 5*spec.Steps)
	if _, err := p.Call("compressGeneric", h, goread.Words(w[:16]), out, states); err != nil {
		return err
	}
	if !slices.Equal(h, want.Out[:]) {
		return errors.New("compress_generic.go: compressGeneric leaves another chaining value than SHA-1")
	}
	if !slices.Equal(out, w[:]) {
		return errors.New("compress_generic.go: compressGeneric expands the message otherwise than SHA-1")
	}
	if len(rows) != dvs.Count {
		return fmt.Errorf("disturbance_vectors.go: %d vectors, want %d", len(rows), dvs.Count)
	}
	for dv, d := range dvs.All() {
		r := rows[dv]
		if r["dv.Type"] != int64(d.Type) || r["dv.K"] != int64(d.K) || r["dv.B"] != int64(d.B) {
			return fmt.Errorf("disturbance_vectors.go: vector %d is not %v", dv, d)
		}
		t, at := int(r["testStep"]), int(r["testState"])
		if !slices.Contains(spec.SharedSteps(d), t) {
			return fmt.Errorf("disturbance_vectors.go: the messages of a pair do not share the state at step %d of %v", t, d)
		}
		if at < 0 || 5*at+5 > len(states) || !slices.Equal(states[5*at:5*at+5], want.States[t][:]) {
			return fmt.Errorf("disturbance_vectors.go: state %d, which %v is tested at, is not that of step %d", at, d, t)
		}
	}
	return nil
}
