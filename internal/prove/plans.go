package prove

import (
	"errors"
	"fmt"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// ProvePlan proves that no expanded message exists, nor any other 80 words, for
// which p dismisses a vector that the published conditions keep; and if p
// covers them in full, none for which it keeps another.
func ProvePlan(p *plan.Plan) error {
	g := symbolic.New()
	table := dvs.Published()
	w := g.Message(spec.Patterns(table, 0))
	published, kept := spec.Conditions(g, table, &w), spec.Plan(g, p, &w)
	for dv, d := range dvs.All() {
		if g.Refute(nil, published[dv], kept[dv].Not()) != nil {
			return fmt.Errorf("plan %s dismisses %v for words that meet all its conditions", p.Name, d)
		}
		if p.Limit == plan.Full && g.Refute(nil, kept[dv], published[dv].Not()) != nil {
			return fmt.Errorf("plan %s keeps %v for words that break one of its conditions, though it covers them in full", p.Name, d)
		}
	}
	// A table without conditions would make all of this true.
	for dv, d := range dvs.All() {
		if g.Refute(nil, published[dv]) == nil || g.Refute(nil, published[dv].Not()) == nil {
			return errors.New("the conditions of " + d.String() + " are never met, or always")
		}
	}
	return nil
}
