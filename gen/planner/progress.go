package planner

import (
	"fmt"
	"io"
	"time"

	"github.com/sha1dc/go/internal/solver"
)

// Printer returns a progress function that writes a line for each step to w.
// Callers pass it only where somebody watches: w should be a terminal.
func Printer(w io.Writer) solver.Progress {
	return func(s solver.Step) {
		took := s.Elapsed.Round(100 * time.Millisecond)
		switch {
		case s.Clauses == 0:
			fmt.Fprintf(w, "%-18s bound %.4f, best %.4f, %d nodes, %v\n", s.What, s.Bound, s.Best, s.Nodes, took)
		case s.Sat:
			fmt.Fprintf(w, "%-18s %.0f is possible, %d clauses, %v\n", s.What, s.Bound, s.Clauses, took)
		default:
			fmt.Fprintf(w, "%-18s %.0f is refuted, %d clauses, %v\n", s.What, s.Bound, s.Clauses, took)
		}
	}
}
